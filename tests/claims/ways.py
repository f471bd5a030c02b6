"""The ways in which a claim can end, for tests that are about all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from webhooks.models import CLAIMED, PullRequestHistory
from webhooks.services import finishing
from webhooks.services.claims import Claim

Claimed = Callable[..., Claim]
Way = Callable[[Claim], bool]

BACK = {
    "give back": partial(finishing.give_back, reason="throttled", throttled_for=60),
    "defer": partial(finishing.defer, seconds=60, reason="later"),
    "GitHub is down": partial(finishing.defer_while_github_is_down, reason="502"),
    "next day": partial(finishing.defer_to_next_day, reason="10 branch updates today"),
    "fail": partial(finishing.fail, error="odd"),
}
DONE = {
    "finalize": partial(finishing.finalize, reason="nothing to do"),
    "fail for good": partial(finishing.fail, error="gone", permanent=True),
}
WAYS = BACK | DONE
every_table = pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)


def ways(of: dict[str, Way]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("way", of.values(), ids=of)


def fresh(claim):
    return claim.model.objects.get(pk=claim.row.pk)


def last_line():
    return PullRequestHistory.objects.order_by("-sequence").first()
