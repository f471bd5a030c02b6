"""Each rule of the view alone, on the smallest data that shows it (acceptance B1.7 to B1.19)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from idle.selectors import counts, in_order, next_due
from idle.values import IdleStatus
from tests.factories import InstallationFactory, RepositoryFactory
from webhooks.models import PullRequest
from webhooks.values import STATES, ProcessingState

DAY = 24 * 60 * 60


def statuses() -> list[str]:
    return [row.idle_status for row in in_order()]


def order() -> list[int]:
    return [row.pk for row in in_order()]


@pytest.mark.parametrize("retries", range(10))
def test_b1_7_due_from_the_boundary_second_on(untouched, retries):
    due_after = (retries + 1) * DAY
    untouched(retries=retries, seconds=due_after)
    untouched(retries=retries, seconds=due_after + 1)
    early = untouched(retries=retries, seconds=due_after - 1)
    # Without a retry the wait equals the idle threshold: too early means not idle yet.
    assert statuses() == ["DUE", "DUE", *(["WAITING"] if retries else [])]
    assert early.pk not in {row.pk for row in in_order().filter(idle_status="DUE")}


@pytest.mark.parametrize("retries", [10, 11, 2_000_000_000])
def test_b1_8_f07_after_ten_retries_it_is_given_up_whatever_the_age(untouched, retries):
    untouched(retries=retries, days=60)
    row = in_order().get()
    assert (row.idle_status, row.next_retry_at) == ("GAVE_UP", None)
    assert next_due() is None


def test_b1_10_11_all_idle_ones_are_listed_each_with_one_status(untouched):
    untouched(days=1)
    untouched(days=2, retries=4)
    untouched(days=2, retries=10)
    untouched(hours=23)
    assert statuses() == ["DUE", "WAITING", "GAVE_UP"]
    assert counts() == {IdleStatus.DUE: 1, IdleStatus.WAITING: 1, IdleStatus.GAVE_UP: 1}


@pytest.mark.parametrize("state", [state for state in STATES if state is not ProcessingState.PROCESSED])
def test_b1_12_other_states_are_not_idle(untouched, state):
    untouched(days=9, row={"processing_state": state})
    assert order() == []


def test_closed_ones_are_not_idle(untouched):
    untouched(days=9, row={"state": "CLOSED"})
    assert order() == []


def test_b1_13_15_private_comes_from_the_newest_row_and_rows_do_not_multiply(untouched):
    untouched(days=2)
    RepositoryFactory(private=False)
    RepositoryFactory(owner_login="OCTO", name="Tools", private=True)
    assert [row.repository_private for row in in_order()] == [True]


def test_b1_14_without_a_repository_row_it_stays_listed(untouched):
    untouched(days=2)
    RepositoryFactory(name="other")
    assert [(row.repository_private, row.blocked) for row in in_order()] == [(None, None)]


def test_b1_16_rank_goes_by_status_then_retries_then_age(untouched):
    gave_up = untouched(days=50, retries=10)
    waiting = untouched(days=3, retries=5)
    retried = untouched(days=40, retries=1)
    young = untouched(days=2)
    old = untouched(days=4)
    ranks = {row.pk: row.repository_idle_rank for row in in_order()}
    assert ranks == {old.pk: 1, young.pk: 2, retried.pk: 3, waiting.pk: 4, gave_up.pk: 5}


def test_b1_17_last_update_looks_at_closed_and_pending_ones_too(untouched, now):
    untouched(days=9)
    untouched(days=3, row={"state": "CLOSED", "repository_owner": "OCTO"})
    untouched(hours=1, row={"processing_state": "NEW"})
    assert in_order().get().repository_last_pull_request_update == now - timedelta(hours=1)


def test_b1_18_ties_are_broken_by_age_then_sequence(untouched):
    second = untouched(repo="b", days=5)
    third = untouched(repo="c", days=5)
    untouched(repo="b", days=2, row={"state": "CLOSED"})
    untouched(repo="c", days=2, row={"state": "CLOSED"})
    first = untouched(repo="d", days=6)
    untouched(repo="d", days=2, row={"state": "CLOSED"})
    assert order() == [first.pk, second.pk, third.pk]


def test_b1_19_a_first_nudge_for_everyone_before_a_second_for_anyone(untouched):
    retried = untouched(repo="quiet", days=30, retries=1)
    fresh = [untouched(repo="busy", days=2).pk for _ in range(3)]
    assert order() == [*fresh, retried.pk]


def test_b1_20_each_repositorys_first_before_any_repositorys_second(untouched):
    a1, a2 = untouched(repo="a", days=9), untouched(repo="a", days=8)
    b1 = untouched(repo="b", days=2)
    assert order() == [a1.pk, b1.pk, a2.pk]


def test_b1_21_22_any_activity_sends_a_repository_to_the_back(untouched):
    busy = untouched(repo="busy", days=9)
    quiet = untouched(repo="quiet", days=5)
    untouched(repo="busy", minutes=1, row={"state": "CLOSED"})
    assert order() == [quiet.pk, busy.pk]


def test_b1_23_a_much_retried_one_starves_while_fresh_ones_arrive(untouched, clock, run_idle):
    starving = untouched(repo="old", days=20, retries=9)
    for hour in range(30):
        untouched(repo=f"new-{hour}", days=1)
        run_idle()
        clock.shift(hours=1)
    assert PullRequest.objects.get(pk=starving.pk).idle_retry_count == 9


def test_reading_a_the_rank_counts_all_idle_ones_of_the_repository(untouched):
    """The example by which docs/decisions/0008 tells its reading from the others."""
    x1, x2 = untouched(repo="x", days=9), untouched(repo="x", days=8, retries=9)
    y1, y2 = untouched(repo="y", days=7, retries=9), untouched(repo="y", days=6, retries=9)
    assert order() == [x1.pk, y1.pk, x2.pk, y2.pk]


@pytest.mark.parametrize(
    "row,reason",
    [
        ({"last_action": "deleted"}, "repository removed"),
        ({"installation_action": "removed"}, "repository removed"),
        ({"archived": True}, "repository archived"),
        ({"archived": True, "last_action": "deleted"}, "repository removed"),
        ({"installation_action": "added"}, None),
    ],
)
def test_blocked_by_the_current_repository_row(untouched, row, reason):
    untouched(days=2)
    RepositoryFactory(last_action="deleted")
    RepositoryFactory(**row)
    assert in_order().get().blocked == reason


@pytest.mark.parametrize(
    "status,suspended,reason",
    [
        ("0", False, "installation gone"),
        ("0", True, "installation suspended"),
        ("1", True, "installation suspended"),
        ("1", False, None),
    ],
)
def test_blocked_by_the_current_installation_row(untouched, now, status, suspended, reason):
    untouched(days=2, row={"installation_id": 7})
    InstallationFactory(installation_id=7, status="0" if status == "1" else "1")
    InstallationFactory(installation_id=7, status=status, suspended_date=now if suspended else None)
    assert in_order().get().blocked == reason


@pytest.mark.parametrize(
    "through,reason", [(8, "installation gone"), (7, None), (None, "installation suspended")]
)
def test_the_repository_rows_installation_counts_before_the_pull_requests_own(
    untouched, now, through, reason
):
    untouched(days=2, row={"installation_id": 9})
    RepositoryFactory(installation_id=through)
    InstallationFactory(installation_id=8, status="0")
    InstallationFactory(installation_id=9, status="0", suspended_date=now)
    assert in_order().get().blocked == reason


def test_a_deleted_pull_request_leaves_the_view(untouched):
    untouched(days=2).delete()
    assert order() == []
