"""The life of a pull request, the newest first: lines of its history, what caused them, and the gaps between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.models import PassRun
from monitor import paging
from monitor.explain.decisions.gaps import NOT_ABOUT_STATE, RowState, with_gaps
from monitor.explain.values import Caused, Entry
from webhooks.models import Delivery, PullRequest, PullRequestHistory

ENTRIES = 50


@dataclass(frozen=True)
class TimelinePage:
    """The entries of one page, and the cursor of the next one ("" on the last)."""

    entries: list[Entry]
    next: str


def page(row: PullRequest, *, cursor: str) -> TimelinePage:
    """Return a page of the timeline in four queries at most; raises BadRequest for a cursor that is none."""
    history = PullRequestHistory.objects.filter(pull_request_sequence=row.pk)
    found = paging.by_sequence(history, cursor=cursor, size=ENTRIES)
    older = _older(found) if found.next else None
    entries = with_gaps(_entries(found.rows), _state(row), first_page=not cursor, older=older)
    return TimelinePage(list(entries), found.next)


def _older(page_before: paging.Page[PullRequestHistory]) -> Entry | None:
    """Return the first line beyond a page that tells a state."""
    last = page_before.rows[-1]
    beyond = PullRequestHistory.objects.filter(
        pull_request_sequence=last.pull_request_sequence, pk__lt=last.pk
    ).exclude(kind__in=NOT_ABOUT_STATE)
    line = beyond.order_by("-pk").first()
    return _entry(line, {}, {}) if line else None


def _entries(lines: list[PullRequestHistory]) -> list[Entry]:
    deliveries = _deliveries({line.delivery_guid for line in lines if line.delivery_guid})
    runs = PassRun.objects.only("name").in_bulk({line.pass_run_id for line in lines if line.pass_run_id})
    return [_entry(line, deliveries, runs) for line in lines]


def _deliveries(guids: Iterable[str]) -> dict[str, Delivery]:
    """Return the Deliveries of those GUIDs; of two hooks' that share one, the newer."""
    rows = Delivery.objects.filter(guid__in=guids).only("guid", "event", "action", "status").order_by("pk")
    return {row.guid: row for row in rows} if guids else {}


def _entry(
    line: PullRequestHistory, deliveries: Mapping[str, Delivery], runs: Mapping[int, PassRun]
) -> Entry:
    return Entry(
        sequence=line.pk,
        at=line.at,
        kind=line.kind,
        text=line.reason,
        actor=line.actor,
        from_state=line.from_state,
        to_state=line.to_state,
        guid=line.delivery_guid,
        delivery=_delivery(deliveries.get(line.delivery_guid or "")),
        run=_run(runs.get(line.pass_run_id or 0)),
    )


def _delivery(found: Delivery | None) -> Caused | None:
    if found is None:
        return None
    what = f"{found.event} {found.action}".strip()
    return Caused(sequence=found.pk, words=f"{what} ({found.status})")


def _run(found: PassRun | None) -> Caused | None:
    return Caused(sequence=found.pk, words=found.name) if found else None


def _state(row: PullRequest) -> RowState:
    return RowState(
        state=row.processing_state,
        writer=row.gstraccini_bot_version or "",
        updated_at=row.updated_at,
        created_at=row.created_at,
    )
