"""Considering one pull request for merging: the guards in their order, then the classifier, then the queue.

No transaction is held across a call to GitHub: what the guards said is asked again when a merge is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.registry import Effective
from githubapi.errors import GithubError, Gone, Permanent, Suspended, Throttled
from githubapi.values import PullRequestDetail
from merge import selectors
from merge.decisions import guard_past, guard_title
from merge.rules.rule import refused
from merge.services import turns
from merge.services.enqueueing import POLLER, Wish, backoff_of, enqueue_approved
from merge.services.judging import judge, kept_refusal
from merge.services.places import Place
from merge.values import PastMerge, Standing, Verdict
from sync.services.github import asked


class Ending(StrEnum):
    """How the consideration of one pull request ends: each is a counter of the pass."""

    DRAFT = "drafts_dropped"
    HELD = "held"
    IN_FLIGHT = "in_flight"
    BACKED_OFF = "backed_off"
    REFUSED = "refused"
    WAITING = "waiting"
    ENQUEUED = "enqueued"


@dataclass(frozen=True)
class Considered:
    """An ending with the verdict that led to it."""

    ending: Ending
    verdict: Verdict


_GUARDS = {"held": Ending.HELD, "in_flight": Ending.IN_FLIGHT, "backoff": Ending.BACKED_OFF}


def consider(
    place: Place, number: int, title: str, settings: Effective, past: Sequence[PastMerge] | None = None
) -> Considered:
    """Propose a pull request's merge if nothing speaks against it.

    `title` is what a search or a row says of it; GitHub's own is read after the guards. `past`: its merges, for whoever
    has read those of many at once; they are read again before a merge is made. Raises Throttled, Suspended,
    and Permanent where the installation itself cannot be asked; any other error of GitHub's refuses this one only.
    """
    if stop := guard_title(title):
        return _stopped(stop)
    past = selectors.past_merges(place.repository_id, number) if past is None else past
    backoff = backoff_of(settings)
    if stop := guard_past(past, None, backoff):
        return _stopped(stop)
    turns.take(selectors.identity_of(place.repository_id, number))
    detail = _read(place, number)
    if isinstance(detail, Verdict):
        return Considered(Ending.REFUSED, detail)
    if detail.facts.draft:
        return Considered(Ending.DRAFT, refused("draft", "It is a draft."))
    if stop := guard_title(detail.facts.title) or guard_past(past, detail.facts.head_sha, backoff):
        return _stopped(stop)
    return _classified(place, detail, settings)


def _read(place: Place, number: int) -> PullRequestDetail | Verdict:
    """Read the pull request itself: a search may be behind the times (field case F12)."""
    try:
        return asked(lambda: place.client.pull_request_detail(place.repository_id, number))
    except (Throttled, Suspended, Permanent):
        raise
    except Gone as error:
        return refused("gone", f"GitHub does not show it any more: {error}")
    except GithubError as error:
        return refused("unanswered", f"GitHub did not answer: {error}")


def _classified(place: Place, detail: PullRequestDetail, settings: Effective) -> Considered:
    verdict = kept_refusal(detail, place.repository_id) or judge(place, detail, settings)
    if verdict.standing is Standing.WAITING:
        return Considered(Ending.WAITING, verdict)
    if verdict.standing is not Standing.ELIGIBLE:
        return Considered(Ending.REFUSED, verdict)
    wish = Wish(place=place, facts=detail.facts, verdict=verdict, caller=POLLER)
    made = enqueue_approved(wish, backoff_of(settings))
    return _stopped(made) if isinstance(made, Verdict) else Considered(Ending.ENQUEUED, verdict)


def _stopped(verdict: Verdict) -> Considered:
    return Considered(_GUARDS[verdict.code], verdict)
