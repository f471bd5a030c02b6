"""The one question behind the page and the API: why a pull request is where it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core import clock
from monitor.explain import timeline
from monitor.explain.decisions import explain
from monitor.explain.gather import gather
from monitor.explain.timeline import TimelinePage
from monitor.explain.values import Explanation
from monitor.selectors.pull_requests import find
from webhooks.models import PullRequest


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The row that is meant, other rows of the same address, the explanation as of `now`, and a page of its life."""

    now: datetime
    row: PullRequest
    others: list[PullRequest]
    explanation: Explanation
    timeline: TimelinePage


def ask(
    owner: str, name: str, number: int, *, sequence: int | None = None, cursor: str = ""
) -> Answer | None:
    """Explain the pull request of that address; None when nothing is known of it.

    `sequence` chooses another row of the same address; one that has a different address counts as not given. Raises
    BadRequest for a cursor that is none.
    """
    found = find(owner, name, number, sequence=sequence)
    if found is None:
        return None
    now = clock.now()
    return Answer(
        now=now,
        row=found.row,
        others=found.others,
        explanation=explain(gather(found.row, now=now), now),
        timeline=timeline.page(found.row, cursor=cursor),
    )
