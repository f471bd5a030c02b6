"""Reading what an explanation stands on: a bounded number of queries, whatever the size of the tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from bot.passes import BOT
from bot.setting_specs import MAX_ATTEMPTS
from core import registry
from core.passes import find_pass
from core.reasons import Reason
from core.registry import Effective
from idle.models import IdleState
from idle.passes import IDLE
from idle.selectors import ahead_of
from idle.setting_specs import RETRIES_PER_RUN
from idle.values import IdleStatus
from monitor.explain.decisions.words import ended
from monitor.explain.explainers import said
from monitor.explain.reaching import reaches
from monitor.explain.values import Code, IdleFacts, Line, Pace, PullFacts, Snapshot
from monitor.selectors.passes import PassHealth, Worker, all_passes, worker
from monitor.values import Liveness
from monitor.wording import age
from webhooks.holds import is_held
from webhooks.models import PullRequest, PullRequestHistory, PullRequestLook
from webhooks.values import PENDING, OpenState

# So many lines of history tell why it is where it is; the timeline has them all.
LINES = 20
# Places in the line, and in the queue, that are counted exactly. Beyond, "at least" and "more than" say enough.
PLACES = 200
QUEUE = 1_000
# Entries of the line's index that are read, at most about twice as many, to find a place in it.
SEEN = 2_000


def gather(row: PullRequest, *, now: datetime) -> Snapshot:
    """Return all that is known of a pull request's row, as of `now`."""
    values = registry.effective()
    idle_pass, bot = _paces(values, now)
    return Snapshot(
        pull=_pull(row),
        idle=_idle(row),
        reach=reaches([row])[row.pk],
        idle_pass=idle_pass,
        bot=bot,
        max_attempts=values[MAX_ATTEMPTS],
        before=_before(row),
        most_before=QUEUE,
        lines=_lines(row),
        look_at=_look(row),
        said=said(row, now),
    )


def _pull(row: PullRequest) -> PullFacts:
    return PullFacts(
        name=str(row),
        is_open=row.state == OpenState.OPEN,
        merged=row.merged,
        held=is_held(row.title),
        draft=row.draft,
        auto_merge=row.auto_merge_enabled,
        state=row.processing_state,
        updated_at=row.updated_at,
        processing_date=row.processing_date,
        processed_date=row.processed_date,
        closed_handled_date=row.closed_handled_date,
        attempts=row.processing_attempts,
        error=row.processing_error or "",
        not_before=row.not_before,
        worker=row.gstraccini_bot_version or "",
        retries=row.idle_retry_count,
    )


# --- its place among the idle -----------------------------------------------------------------------------------------
def _idle(row: PullRequest) -> IdleFacts | None:
    # All columns of the index are named, so that this reads one entry of it and not every idle row.
    found = IdleState.objects.filter(
        pk=row.pk,
        idle_retry_count=row.idle_retry_count,
        updated_at=row.updated_at,
    ).first()
    if found is None:
        return None
    status = next(status for status in IdleStatus if status.order == found.idle_status_order)
    wait = found.idle_wait_days
    place, ahead = _place(found) if status is IdleStatus.DUE else (None, 0)
    return IdleFacts(
        status=status,
        limit=found.idle_retry_limit,
        due_at=None if wait is None else row.updated_at + timedelta(days=wait),
        place=place,
        ahead=ahead,
    )


def _place(found: IdleState) -> tuple[int | None, int]:
    """Return its place in the line (None: too far back to be told) and how many come before it at the least."""
    ahead = ahead_of(found, most=SEEN)
    # So many repositories are asked whether they are out of reach: then they are no part of the line.
    rows = PullRequest.objects.filter(pk__in=ahead.sequences[:PLACES]).only("installation_id")
    known = sum(reach.blocked is None for reach in reaches(rows).values())
    return (known + 1 if ahead.complete and len(ahead.sequences) <= PLACES else None), known


# --- when somebody comes for it ---------------------------------------------------------------------------------------
def _paces(values: Effective, now: datetime) -> tuple[Pace, Pace]:
    health = all_passes(values, now=now, names=[IDLE.name, BOT.name])
    beat = worker(now=now)
    idle_pass, bot = (_pace(job, _stop(job, beat, now), values, now) for job in health)
    return replace(idle_pass, served=values[RETRIES_PER_RUN]), bot


def _pace(health: PassHealth, stop: Reason | None, values: Effective, now: datetime) -> Pace:
    interval = timedelta(seconds=find_pass(health.name).interval(values))
    return Pace(next_run=None if stop else max(now, health.next_due or now), interval=interval, stop=stop)


def _stop(health: PassHealth, beat: Worker, now: datetime) -> Reason | None:
    """Return why nobody comes, the reason that a person can do most about first."""
    off, hindered = _STOPS[health.name]
    if not health.enabled:
        text = f"The pass {health.name} is switched off ({health.name}.enabled): {health.paused_reason}"
        return Reason(off, ended(text), passed=False)
    if health.obstacle:
        return Reason(hindered, f"The pass {health.name} cannot run: {ended(health.obstacle)}", passed=False)
    if beat.state is Liveness.DOWN:
        heard = f"was last heard {age(now, beat.beat_at)}" if beat.beat_at else "was never heard"
        return Reason(
            Code.WORKER_SILENT, f"The worker is silent (it {heard}), so no pass runs.", passed=False
        )
    return None


_STOPS = {
    IDLE.name: (Code.PASS_PAUSED, Code.PASS_HINDERED),
    BOT.name: (Code.BOT_OFF, Code.BOT_HINDERED),
}


def _before(row: PullRequest) -> int | None:
    """Count the pending pull requests that were written earlier, which is the order of claims."""
    if row.processing_state not in PENDING:
        return None
    sooner = PullRequest.objects.filter(processing_state__in=PENDING, updated_at__lt=row.updated_at)
    return sooner.order_by()[:QUEUE].count()


# --- what is written about it -----------------------------------------------------------------------------------------
def _lines(row: PullRequest) -> tuple[Line, ...]:
    newest = PullRequestHistory.objects.filter(pull_request_sequence=row.pk).order_by("-pk")[:LINES]
    return tuple(
        Line(
            at=line.at,
            kind=line.kind,
            reason=line.reason,
            from_state=line.from_state,
            to_state=line.to_state,
            of_claim=line.claim_token is not None,
        )
        for line in newest
    )


def _look(row: PullRequest) -> datetime | None:
    looks = PullRequestLook.objects.filter(pull_request_sequence=row.pk)
    at: datetime | None = looks.values_list("due_at", flat=True).first()
    return at
