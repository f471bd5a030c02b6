"""What an explanation stands on is what the rules themselves say."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from core.reasons import Next, Reason
from idle.models import IdlePullRequest
from idle.selectors import due_in_reach
from monitor.explain.badges import FATE_BADGES
from monitor.explain.gather import gather
from monitor.explain.values import Code, Fate
from monitor.selectors.pull_requests import find
from tests import factories
from tests.explain.conftest import codes
from webhooks.models import PullRequest

REPOSITORIES: tuple[dict[str, Any] | None, ...] = (
    None,
    {},
    {"archived": True},
    {"last_action": "deleted", "archived": True},
    {"installation_action": "removed"},
    {"installation_id": None},
)
INSTALLATIONS: tuple[dict[str, Any] | None, ...] = (
    None,
    {},
    {"status": "0"},
    {"suspended_date": True, "status": "0"},
    {"suspended_date": True},
)


@pytest.mark.parametrize("repository, installation", [*product(REPOSITORIES, INSTALLATIONS)])
def test_out_of_reach_is_exactly_what_the_idle_view_calls_blocked(pull, running, repository, installation):
    now = running.now
    if repository is not None:
        # An older row of the same name, which must not count.
        factories.RepositoryFactory(archived=True)
        factories.RepositoryFactory(**repository)
    if installation is not None:
        columns = dict(installation)
        if columns.get("suspended_date"):
            columns["suspended_date"] = now - timedelta(days=1)
        factories.InstallationFactory(status="0")
        factories.InstallationFactory(**columns)
    row = pull(5)
    assert gather(row, now=now).reach.blocked == IdlePullRequest.objects.get(pk=row.pk).blocked


@pytest.mark.parametrize("retries", range(12))
@pytest.mark.parametrize("days", [0.5, 1, 1.5, 2, 5, 30])
def test_status_wait_and_limit_are_the_views(pull, running, retries, days):
    row = pull(days, idle_retry_count=retries)
    idle, view = gather(row, now=running.now).idle, IdlePullRequest.objects.filter(pk=row.pk).first()
    if view is None:
        assert idle is None
        return
    assert (idle.status, idle.limit, idle.due_at) == (
        view.idle_status,
        view.idle_retry_limit,
        view.next_retry_at,
    )


def test_the_place_is_the_one_in_which_the_pass_serves(pull, running):
    rows = [
        pull(5 + number % 3, number=number, repository_name=f"r{number % 4}", idle_retry_count=number % 2)
        for number in range(1, 12)
    ]
    line = [row.pk for row in due_in_reach()]
    assert line
    for row in rows:
        idle = gather(row, now=running.now).idle
        assert idle.place == (line.index(row.pk) + 1 if row.pk in line else None)


def test_those_out_of_reach_have_no_place_in_the_line(pull, running):
    factories.RepositoryFactory(name="gone", full_name="octo/gone", archived=True)
    pull(9, number=1, repository_name="gone")
    pull(8, number=2, repository_name="alpha")
    last = pull(5, repository_name="beta")
    assert [row.repository_name for row in due_in_reach()] == ["alpha", "beta"]
    assert gather(last, now=running.now).idle.place == 2


def test_with_more_before_it_than_are_read_it_says_so_and_no_place(pull, why, running, monkeypatch):
    for number in range(3):
        pull(9, number=number, repository_name=f"r{number}")
    last = pull(5, repository_name="beta")
    monkeypatch.setattr("monitor.explain.gather.SEEN", 2)
    idle = gather(last, now=running.now).idle
    assert (idle.place, idle.ahead) == (None, 2)
    monkeypatch.setattr("monitor.explain.gather.SEEN", 0)
    assert "behind more others than can be counted in line" in why(last).sentence


def test_a_repository_that_sees_it_through_another_installation_is_throttled_by_its_own(pull, running):
    """Claims go by the installation of the row itself."""
    until = running.now + timedelta(hours=1)
    factories.RepositoryFactory(installation_id=8)
    factories.InstallationFactory(installation_id=8, throttled_until=until)
    factories.InstallationFactory(installation_id=7)
    assert gather(pull(), now=running.now).reach.throttled_until is None


# --- which row is meant -----------------------------------------------------------------------------------------------
def test_nothing_is_found_where_nothing_is(db):
    assert find("octo", "tools", 7) is None


def test_of_equal_rows_the_newest_is_meant(pull):
    older, newer = pull(repository_id=5), pull(repository_id=5)
    found = find("octo", "tools", 7)
    assert (found.row, found.others) == (newer, [older])


def test_without_a_row_of_the_repository_one_that_names_none_goes_first(pull):
    unnamed, other = pull(repository_id=None), pull(repository_id=5)
    assert find("octo", "tools", 7).row == unnamed
    assert find("octo", "tools", 7, sequence=other.pk).row == other
    assert find("octo", "tools", 7, sequence=other.pk + 1).row == unnamed


# --- what other apps say ----------------------------------------------------------------------------------------------
def says_more(row: PullRequest, now):
    soon = Next("it is merged", now + timedelta(minutes=3))
    return [Reason("merge.approved", f"{row} is approved.", passed=True, next=soon)]


def breaks(row: PullRequest, now):
    raise RuntimeError("no luck")


def test_an_app_adds_its_reasons_and_what_comes_of_them(pull, why, running, settings):
    settings.EXPLAINERS = [f"{__name__}.says_more"]
    answer = why(pull(2, idle_retry_count=2))
    assert codes(answer)["merge.approved"] is True
    assert answer.state is Fate.WAITING
    assert answer.next == Next("It is merged", running.now + timedelta(minutes=3))
    assert answer.sentence.endswith("Before that: It is merged in 3 min (2026-03-04 09:03:00 UTC).")


def test_what_an_app_announces_is_all_that_comes_when_nothing_else_does(pull, why, settings):
    settings.EXPLAINERS = [f"{__name__}.says_more"]
    answer = why(pull(60, idle_retry_count=10))
    assert answer.sentence.endswith("wakes it. It is merged in 3 min (2026-03-04 09:03:00 UTC).")


def test_an_app_that_fails_takes_nothing_else_of_the_answer_away(pull, why, settings):
    settings.EXPLAINERS = [f"{__name__}.breaks", f"{__name__}.says_more", "nowhere.at_all"]
    answer = why(pull(2, idle_retry_count=2))
    assert answer.sentence.startswith("octo/tools#7 waits:")
    texts = [reason.text for reason in answer.reasons if reason.code == Code.EXPLAINER_FAILED]
    assert texts == [
        f"A part of the answer is missing: {__name__}.breaks failed.",
        "A part of the answer is missing: nowhere.at_all failed.",
    ]
    assert "merge.approved" in codes(answer)


def test_every_fate_has_a_badge():
    assert set(FATE_BADGES) == set(Fate)
