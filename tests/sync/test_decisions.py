"""The comparisons, case by case."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sync.decisions import (
    NOT_OPEN_ANY_MORE,
    OPEN_AGAIN,
    diff_branches,
    diff_installations,
    diff_repositories,
    diff_surely,
    diff_threads,
    differing,
    month_is_open,
    months_before,
    repository_action,
)
from sync.values import Add, BranchColumns, Refresh, Remove, ReRequest, Revive
from tests.sync.made import (
    ELSEWHERE,
    HERE,
    PLACE,
    at,
    branch,
    installation,
    installation_facts,
    listing,
    pull,
    pull_facts,
    repository,
    repository_facts,
)


def kinds(changes):
    return [type(change) for change in changes]


# --- pull requests and issues -----------------------------------------------------------------------------------------
def test_an_unknown_pull_request_is_added():
    (change,) = diff_threads([], listing([pull_facts()]))
    assert change == Add(listing([pull_facts()]).items["PR_1"])


def test_what_comes_twice_is_added_once():
    assert kinds(diff_threads([], listing([pull_facts(), pull_facts(title="Other")]))) == [Add]


def test_equal_facts_change_nothing():
    assert diff_threads([pull()], listing([pull_facts()])) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"title": "Add a lamp!"},
        {"head_sha": "b" * 40},
        {"draft": True},
        {"auto_merge_enabled": True},
        {"repository_name": "Tools"},
        {"repository_id": 1},
        {"installation_id": None},
    ],
)
@pytest.mark.parametrize("state", ["NEW", "UPDATED", "RE_REQUESTED", "IDLE", "PROCESSING", "PROCESSED"])
def test_a_differing_fact_is_refreshed_whatever_the_row_waits_for(changed, state):
    row = pull(facts=pull_facts(**changed), state=state)
    assert kinds(diff_threads([row], listing([pull_facts()]))) == [Refresh]


@pytest.mark.parametrize("state", ["NEW", "UPDATED", "RE_REQUESTED", "IDLE"])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_pending_row_gets_its_look_anyway(state, is_open):
    listed = [] if is_open else [pull_facts()]
    assert diff_threads([pull(is_open=is_open, state=state)], listing(listed)) == []


@pytest.mark.parametrize("state", ["PROCESSING", "PROCESSED"])
def test_b3_23_an_open_row_that_is_not_listed_is_re_requested(state):
    row = pull(state=state)
    assert diff_threads([row], listing()) == [ReRequest(row, NOT_OPEN_ANY_MORE)]


def test_a_closed_row_that_is_listed_is_re_requested():
    row = pull(is_open=False)
    assert diff_threads([row], listing([pull_facts()])) == [ReRequest(row, OPEN_AGAIN)]


def test_merged_is_final():
    assert diff_threads([pull(is_open=False, merged=True)], listing([pull_facts()])) == []


def test_a_closed_row_that_is_not_listed_is_as_it_should_be():
    assert diff_threads([pull(is_open=False)], listing()) == []


@pytest.mark.parametrize("row", [pull(updated=10), pull(updated=11), pull(updated=10, is_open=False)])
def test_a_row_written_since_the_listing_began_is_not_judged(row):
    assert diff_threads([row], listing()) == []
    assert diff_threads([row], listing([pull_facts(title="Other")])) == []


@pytest.mark.parametrize("is_open", [True, False])
def test_f26_a_row_that_has_seen_a_later_state_of_github_is_not_taken_back(is_open):
    row = pull(is_open=is_open, known=5)
    assert diff_threads([row], listing([pull_facts(title="Older")], changed=4)) == []
    assert len(diff_threads([row], listing([pull_facts(title="Newer")], changed=5))) == 1


def test_the_reason_names_what_differs():
    assert differing(pull_facts(), pull_facts(title="x", head_sha="y")) == ["title", "head sha"]


# --- branches ---------------------------------------------------------------------------------------------------------
def branch_facts(ref="lamp"):
    return BranchColumns(**PLACE, ref=ref)


@pytest.mark.parametrize(
    "rows, refs, expected",
    [
        ([], ["lamp"], [Add]),
        ([branch()], ["lamp"], []),
        ([branch()], [], [Remove]),
        ([branch(exists=False)], ["lamp"], [Revive]),
        ([branch(exists=False)], [], []),
        ([branch(updated=10)], [], []),
        ([branch(updated=10, exists=False)], ["lamp"], []),
        ([branch(state="NEW")], [], [Remove]),
        # Outside writers leave RepositoryId out, so a name may have two rows.
        ([branch(pk=1), branch(pk=2)], [], [Remove, Remove]),
        ([branch(pk=1), branch(pk=2, exists=False)], ["lamp"], []),
        ([branch(pk=1, exists=False), branch(pk=2, exists=False)], ["lamp"], [Revive]),
        ([branch("Lamp")], ["lamp"], [Add, Remove]),
    ],
)
def test_branches(rows, refs, expected):
    assert kinds(diff_branches(rows, listing(map(branch_facts, refs)))) == expected


# --- repositories -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "rows, listed, expected",
    [
        ([], [repository_facts()], [Add]),
        ([repository()], [repository_facts()], []),
        ([repository()], [repository_facts(name="lamps", full_name="octo/lamps")], [Refresh]),
        ([repository()], [repository_facts(private=True)], [Refresh]),
        ([repository()], [], [Remove]),
        ([repository(removed=True)], [], []),
        ([repository(removed=True)], [repository_facts()], [Revive]),
        ([repository(repository_facts(installation_id=ELSEWHERE))], [], []),
        ([repository(repository_facts(installation_id=None))], [], []),
        ([repository(repository_facts(installation_id=ELSEWHERE))], [repository_facts()], [Refresh]),
        (
            [repository(repository_facts(installation_id=ELSEWHERE), removed=True)],
            [repository_facts()],
            [Revive],
        ),
        ([repository(updated=10)], [], []),
        ([repository(updated=10)], [repository_facts(private=True)], []),
        ([repository(known=5)], [repository_facts(private=True)], []),
    ],
)
def test_repositories(rows, listed, expected):
    assert kinds(diff_repositories(rows, listing(listed, changed=4), installation_id=HERE)) == expected


@pytest.mark.parametrize(
    "after, action",
    [
        ({}, None),
        ({"private": True}, None),
        ({"installation_id": ELSEWHERE}, None),
        ({"name": "lamps", "full_name": "octo/lamps"}, "renamed"),
        ({"name": "Tools", "full_name": "octo/Tools"}, "renamed"),
        ({"owner_login": "Octo", "full_name": "Octo/tools"}, "renamed"),
        ({"owner_login": "other", "full_name": "other/tools"}, "transferred"),
        ({"owner_login": "other", "name": "lamps", "full_name": "other/lamps"}, "transferred"),
    ],
)
def test_a_new_name_is_the_event_it_would_have_come_with(after, action):
    assert repository_action(repository_facts(), repository_facts(**after)) == action


# --- installations ----------------------------------------------------------------------------------------------------
SUSPENDED = {"status": "0", "suspended_date": at(0)}
GONE = {"status": "0", "suspended_date": None}


@pytest.mark.parametrize(
    "rows, listed, expected",
    [
        ([], [installation_facts()], [Add]),
        ([installation()], [installation_facts()], []),
        ([installation()], [installation_facts(account_login="octopus")], [Refresh]),
        ([installation()], [installation_facts(**SUSPENDED)], [Refresh]),
        ([installation(installation_facts(**SUSPENDED))], [installation_facts(**SUSPENDED)], []),
        ([installation(installation_facts(**SUSPENDED))], [installation_facts()], [Refresh]),
        ([installation(installation_facts(**GONE))], [installation_facts()], [Refresh]),
        ([installation()], [], [Remove]),
        ([installation(installation_facts(**SUSPENDED))], [], [Remove]),
        ([installation(installation_facts(**GONE))], [], []),
        ([installation(updated=10)], [], []),
    ],
)
def test_installations(rows, listed, expected):
    assert kinds(diff_installations(rows, listing(listed))) == expected


# --- how sure a listing is --------------------------------------------------------------------------------------------
def surely(rows, first, *later):
    readings = iter(later)
    return diff_surely(lambda found: diff_branches(rows, found), first, lambda: next(readings))


def test_one_answer_is_one_instant_and_is_believed():
    assert kinds(surely([branch()], listing())) == [Remove]


def test_what_slipped_between_two_pages_is_not_removed():
    rows, second = [branch("a", pk=1), branch("b", pk=2)], listing([branch_facts("b")])
    assert surely(rows, listing([branch_facts("a")], pages=2), second) == []


def test_what_two_readings_miss_is_removed():
    changes = surely([branch("a", pk=1), branch("b", pk=2)], listing([branch_facts("a")], pages=2), listing())
    assert [change.row.facts.ref for change in changes] == ["b"]


def test_a_second_reading_is_made_only_where_something_would_be_removed():
    assert surely([branch("a")], listing([branch_facts("a"), branch_facts("b")], pages=2)) == [
        Add(listing([branch_facts("b")]).items["b"])
    ]


# --- months -----------------------------------------------------------------------------------------------------------
def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "now, months, before",
    [
        ("2026-03-04T09:00", 3, "2025-12-04T09:00"),
        ("2026-05-31T09:00", 3, "2026-02-28T09:00"),
        ("2028-05-31T09:00", 3, "2028-02-29T09:00"),
        ("2026-01-01T00:00", 1, "2025-12-01T00:00"),
        ("2026-12-31T00:00", 12, "2025-12-31T00:00"),
    ],
)
def test_months_before(now, months, before):
    assert months_before(day(now), months) == day(before)


@pytest.mark.parametrize(
    "last, now, is_open",
    [
        (None, "2026-03-04T09:00", True),
        ("2026-02-28T23:59:59", "2026-03-01T00:00", True),
        ("2026-03-01T00:00", "2026-03-01T00:00", False),
        ("2026-03-01T00:00", "2026-03-31T23:59", False),
        ("2025-03-02T00:00", "2026-03-01T00:00", True),
    ],
)
def test_b3_6_a_month_is_open_until_something_was_completed_in_it(last, now, is_open):
    assert month_is_open(last and day(last), day(now)) is is_open
