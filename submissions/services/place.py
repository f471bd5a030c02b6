"""What the executors work with: an item's place at GitHub, and what is wanted there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from core.transactions import patiently
from githubapi.client import InstallationClient
from submissions import selectors
from submissions.decisions.pushing import Tip
from submissions.models import PullRequestItem, Submission
from submissions.setting_specs import EMPTY_CHECK_MINUTES
from submissions.values import Need, Wanted, wanted_of
from workqueue.registry import Job
from workqueue.values import DimensionUpdate

T = TypeVar("T")

# So many times the base may have been merged into a branch since our own commit.
MOST_MERGES = 20
SPREAD_SECONDS = 300


@dataclass(frozen=True)
class Place:
    """An item, what is wanted, and the way to its repository."""

    job: Job
    item: PullRequestItem
    client: InstallationClient
    wanted: Wanted

    @property
    def repository_id(self) -> int:
        return int(self.item.repository_id)

    @property
    def now(self) -> datetime:
        return self.job.snapshot.now


def place_of(job: Job) -> Place:
    """Return the place of an executor's job; nothing is asked yet."""
    content = Submission.objects.values_list("content", flat=True).get(pk=job.item.submission_id)
    client = job.tools.for_installation(int(job.item.installation_id))
    return Place(job, job.item, client, wanted_of(content))


def stored(work: Callable[[], T]) -> T:
    """Read or write the database after GitHub was asked: the connection may be gone by then (field case F18)."""
    return patiently(work)


def tip_of(place: Place, sha: str) -> Tip:
    """Return what a commit at a branch's tip is to us: walk back over merges of the base to a commit of ours."""
    base, found = "", sha
    for _ in range(MOST_MERGES):
        if own := stored(partial(selectors.commit_of_ours, place.item, found)):
            return Tip(sha=sha, own=found, base=base or own.base_sha)
        parents = place.client.commit(place.repository_id, found).parents
        if len(parents) != 2:  # noqa: PLR2004 -- a merge of the base has two parents
            break
        base, found = base or parents[1], parents[0]
    return Tip(sha=sha, own="", base="")


def handled(need: Need, variant: str = "") -> DimensionUpdate:
    return DimensionUpdate(need, needed=False, variant=variant)


def again_in(place: Place, need: Need, wait: timedelta) -> DimensionUpdate:
    """Return the mark that a need is to be looked at again after a while."""
    return DimensionUpdate(need, needed=True, pending_until=place.now + wait)


def next_empty_check(place: Place) -> DimensionUpdate:
    """Return the next regular look; items are spread, so that they do not come all at once."""
    minutes = place.job.settings[EMPTY_CHECK_MINUTES]
    spread = timedelta(seconds=place.item.pk % SPREAD_SECONDS)
    return again_in(place, Need.EMPTY_CHECK, timedelta(minutes=minutes) + spread)
