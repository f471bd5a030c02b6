"""Pull requests: close what is closed, bring up to date what is behind, say what is ready.

An Idle Retry's row is worked on like any other (B1.3): nothing here knows in which state a row was claimed.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.decisions.pulls import NEW_HEAD
from bot.services import notices
from bot.services.closing import finish_closed
from bot.services.facts import take_facts
from bot.services.judging import judge
from bot.services.reach import Bench, Place, place_of
from bot.services.updating import bring_up_to_date
from bot.values import AskAgain, Done, Ending, Next, Readiness, Tomorrow
from githubapi.values import PullRequestDetail
from webhooks.models import PullRequest
from webhooks.services.claims import Claim

# Once more after a head that moved between our reading and our writing; its own Event brings whatever comes then.
READINGS = 2


@dataclass(frozen=True)
class Visit:
    """One pull request at work: its claim, and where GitHub has it."""

    claim: Claim
    bench: Bench
    place: Place

    @property
    def row(self) -> PullRequest:
        row: PullRequest = self.claim.row
        return row


def handle_pull_request(claim: Claim, bench: Bench) -> Ending:
    """Fetch the pull request, and do what its state asks for; raises GithubError."""
    visit = Visit(claim, bench, place_of(claim.row, bench.app, claim.cause))
    for reading in range(READINGS):
        ending = _once(visit, last=reading == READINGS - 1)
        if ending is not None:
            return ending
    raise AssertionError("The last reading has an ending.")


def _once(visit: Visit, *, last: bool) -> Ending | None:
    row, place = visit.row, visit.place
    detail = place.client.pull_request_detail(place.repository_id, row.number)
    take_facts(row, detail, visit.claim.cause)
    if detail.facts.state == "closed":
        return Done(finish_closed(row, detail, place, visit.bench.settings, visit.claim.cause))
    return _work_on_open(visit, detail, last=last)


def _work_on_open(visit: Visit, detail: PullRequestDetail, *, last: bool) -> Ending | None:
    row, place, cause = visit.row, visit.place, visit.claim.cause
    step = bring_up_to_date(row, detail, place, visit.bench.settings, cause)
    if step.next is Next.JUDGE_AGAIN:
        return Done(step.reason) if last else None
    if step.next is Next.WAIT_FOR_NEW_HEAD:
        notices.show(row, NEW_HEAD, cause)
        return Done(step.reason)
    verdict = judge(row, detail, place, cause)
    if step.next is Next.TOMORROW:
        return Tomorrow(step.reason)
    if verdict.readiness is Readiness.UNKNOWN:
        return AskAgain()
    return Done(f"{step.reason}; {verdict.reason}")
