"""Whatever goes wrong at whatever page: nothing is taken for gone, the dates are right, the next run heals."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest
from django.db.models import F

from core.models import PassRun, Setting
from core.passes import find_pass, run_pass
from sandbox.server import worlds
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from tests.sync.github import INSTALLATIONS, REPOSITORIES, differences, dump, rows
from webhooks import models

pytestmark = pytest.mark.django_db

LAST_RUN = "gstraccini-bot.sync-installations.last-run"
PAGE = 2
# Three full pages: one item fewer is still three pages, and no count of pages tells.
SIX = 6
FAULTS = {
    "500": ("status", {"status": 500}),
    "502": ("status", {"status": 502}),
    "401": ("status", {"status": 401}),
    "403": ("status", {"status": 403, "message": "Resource not accessible by integration"}),
    "404": ("status", {"status": 404}),
    "410": ("status", {"status": 410}),
    "451": ("status", {"status": 451}),
    "429": ("status", {"status": 429}),
    "primary limit": ("primary_limit", {"seconds": 600}),
    "secondary limit": ("secondary_limit", {}),
    "empty page": ("empty", {}),
    "empty page, announced": ("empty_announced", {}),
    "dropped page": ("drop", {}),
    "repeated page": ("repeat", {}),
    "no Link header": ("no_link", {}),
    "half the JSON": ("truncate", {}),
    "page for people": ("html", {}),
    "empty body": ("body", {}),
    "an object": ("body", {"text": '{"message": "?"}'}),
    "204": ("body", {"status": 204}),
    "304": ("body", {"status": 304}),
    "hung up": ("disconnect", {}),
    "cut off": ("cut", {}),
    "moved away": ("redirect", {"location": "https://elsewhere.example/"}),
    "moved in a circle": ("redirect", {"status": 302, "location": "?page=1"}),
}
LISTINGS = {
    "installations": (INSTALLATIONS, "/app/installations"),
    "repositories": (INSTALLATIONS, "/installation/repositories"),
    "pulls": (REPOSITORIES, f"/repositories/{FIRST_REPOSITORY}/pulls"),
    "issues": (REPOSITORIES, f"/repositories/{FIRST_REPOSITORY}/issues"),
    "branches": (REPOSITORIES, f"/repositories/{FIRST_REPOSITORY}/branches"),
}
# How often a fault strikes (None: always), and at which pages.
SIZES = [
    pytest.param([None], [2], id="short"),
    pytest.param([None, 1], [1, 2, 3], id="long", marks=pytest.mark.prove),
]


@pytest.fixture
def converged(pair_with):
    """Three pages of everything, all of it known; the first repository is the one whose turn always is."""
    state = worlds.regular(installations=SIX, repositories=1)
    first = state.repositories[FIRST_REPOSITORY]
    worlds.fill(state, first, pull_requests=5, issues=5)
    for number in range(11, 11 + SIX - 1):
        state.add_repository(replace(first, id=FIRST_REPOSITORY + number, name=f"repository-{number}"))
    pair = pair_with(state, page_size=PAGE)
    pair.sync_everything()
    assert differences(pair.state) == {}
    others = models.Repository.objects.exclude(github_id=FIRST_REPOSITORY)
    others.update(last_sync_date=datetime(2037, 1, 1, tzinfo=UTC), updated_at=F("updated_at"))
    return pair


@pytest.mark.parametrize("times, pages", SIZES)
@pytest.mark.parametrize("listing", LISTINGS)
def test_no_fault_of_any_page_takes_anything_away(subtests, converged, listing, times, pages):
    name, path = LISTINGS[listing]
    for fault, page, often in product(FAULTS, pages, times):
        with subtests.test(fault=fault, page=page, times=often):
            all_are_due(converged)
            before, (kind, details) = dump(), FAULTS[fault]
            injected = converged.github.inject(path, kind, page=page, times=often, **details)
            run_pass(find_pass(name), force=True)
            assert injected.times in {None, 0}, "the fault did not strike"
            assert dump() == before
            check_dates(converged, name, path)
            heals(converged, name)


def all_are_due(pair) -> None:
    pair.clock.shift(hours=1)
    models.Installation.objects.update(last_sync_date=None, updated_at=F("updated_at"))


def check_dates(pair, name, path) -> None:
    run = pair.last
    if name == REPOSITORIES:
        # Its turn is over: it went to the back before GitHub was asked.
        repository = models.Repository.objects.get(github_id=FIRST_REPOSITORY)
        assert repository.last_sync_date == run.started_at
        return
    # The month is closed by a complete pass only, and an installation's date moves with its listing only.
    closed = Setting.objects.filter(name=LAST_RUN, value=run.started_at.isoformat()).exists()
    moved = len(rows(models.Installation, last_sync_date=run.started_at))
    if run.outcome == PassRun.Outcome.FAILED:
        assert (path, moved, closed) == ("/app/installations", 0, False)
    else:
        throttled = run.counters.get("throttled", 0)
        assert moved + run.counters["failed"] + throttled == SIX
        assert closed is not bool(throttled)


def heals(pair, name) -> None:
    """The next run, once the fault is over, finds what was missed."""
    pair.github.heal()
    all_are_due(pair)
    if name == INSTALLATIONS:
        made = pair.github.changes.create_repository(FIRST_INSTALLATION, f"new-{pair.state.next_id()}")
        pair.run(name)
        assert models.Repository.objects.filter(github_id=made.id).update(
            last_sync_date=datetime(2037, 1, 1, tzinfo=UTC), updated_at=F("updated_at")
        )
    else:
        made = pair.github.changes.open_pull_request(FIRST_REPOSITORY, "Missed meanwhile")
        pair.run(name)
        assert models.PullRequest.objects.filter(node_id=made.node_id).exists()
    assert not rows(models.PullRequest, processing_state="RE_REQUESTED")


@pytest.mark.parametrize("fault", ["500", "404", "primary limit", "hung up"])
def test_a_token_that_cannot_be_had(converged, fault):
    all_are_due(converged)
    before, (kind, details) = dump(), FAULTS[fault]
    converged.github.inject(r"/app/installations/\d+/access_tokens", kind, times=None, **details)
    for name in (INSTALLATIONS, REPOSITORIES):
        converged.clock.shift(seconds=1)
        run_pass(find_pass(name), force=True)
    assert dump() == before
    assert not rows(models.Installation, last_sync_date__isnull=False)
    heals(converged, INSTALLATIONS)
    heals(converged, REPOSITORIES)


def test_a_suspended_installation_in_the_middle_does_not_stop_the_others(pair_with):
    pair = pair_with(installations=5, repositories=2)
    pair.github.changes.suspend(FIRST_INSTALLATION + 2)
    run = pair.run(INSTALLATIONS)
    assert (run.outcome, run.counters["failed"]) == ("succeeded", 0)
    assert len(rows(models.Repository)) == 8
    row = models.Installation.objects.get(installation_id=FIRST_INSTALLATION + 2)
    assert (row.status, row.last_sync_date) == ("0", None)
    assert row.suspended_date == pair.state.installations[row.installation_id].suspended_at


def test_one_that_is_suspended_while_we_list_is_marked_and_passed_over(pair_with):
    pair = pair_with(installations=3, repositories=2)
    message = "This installation has been suspended"
    path = f"/app/installations/{FIRST_INSTALLATION + 1}/access_tokens"
    pair.run(INSTALLATIONS)
    pair.clock.shift(days=100)
    pair.github.inject(path, "status", status=403, message=message, times=None)
    run = pair.run(INSTALLATIONS)
    assert (run.outcome, run.counters["failed"]) == ("succeeded", 1)
    statuses = models.Installation.objects.order_by("pk").values_list("status", "processing_state")
    assert list(statuses) == [("1", "NEW"), ("0", "NEW"), ("1", "NEW")]
    assert not rows(models.Repository, last_action="deleted")
    # Unsuspended, and the Event for it missed: the next listing of all installations says so.
    pair.github.heal()
    pair.clock.shift(days=31)
    pair.run(INSTALLATIONS)
    assert not rows(models.Installation, status="0")


def test_a_slow_answer_is_given_up_on(converged):
    before = dump()
    converged.github.inject(r"/repositories/\d+/branches", "delay", seconds=2.5)
    converged.run(REPOSITORIES)
    assert dump() == before


# --- things that move while their pages are read ----------------------------------------------------------------------
def after_page_one(pair, monkeypatch, path: str, happens: Callable[[], object]) -> None:
    """Let something happen on GitHub between the first page of a listing and the second."""
    answer, waiting = pair.github.service.answer, [happens]

    def answering(request):
        answered = answer(request)
        if waiting and re.fullmatch(path, request.path) and request.page == 1:
            waiting.pop()()
        return answered

    monkeypatch.setattr(pair.github.service, "answer", answering)


def test_a_branch_that_slips_between_two_pages_is_still_there(converged, monkeypatch):
    """main slips to the first page, which was read before, when a branch of that page goes."""
    first, second, *_ = sorted(converged.state.branches[FIRST_REPOSITORY])
    changes = converged.github.changes
    after_page_one(
        converged,
        monkeypatch,
        LISTINGS["branches"][1],
        lambda: changes.delete_branch(FIRST_REPOSITORY, first),
    )
    run = converged.run(REPOSITORIES)
    assert (run.counters["contradicted"], run.counters["removed"]) == (1, 0)
    assert converged.run(REPOSITORIES).counters["removed"] == 1
    assert not models.Branch.objects.filter(event="delete").exclude(ref=first).exists()
    assert second != first


def test_a_repository_that_slips_between_two_pages_is_still_seen(converged, monkeypatch):
    all_are_due(converged)
    removed = FIRST_REPOSITORY + 11
    after_page_one(
        converged,
        monkeypatch,
        LISTINGS["repositories"][1],
        lambda: converged.github.changes.remove_repository(removed),
    )
    assert converged.run(INSTALLATIONS).counters["removed"] == 0
    all_are_due(converged)
    assert converged.run(INSTALLATIONS).counters["removed"] == 1
    assert [row.github_id for row in rows(models.Repository, last_action="deleted")] == [removed]


def test_an_installation_that_slips_between_two_pages_is_still_there(converged, monkeypatch):
    after_page_one(
        converged,
        monkeypatch,
        LISTINGS["installations"][1],
        lambda: converged.github.changes.uninstall(FIRST_INSTALLATION + 1),
    )
    run = converged.run(INSTALLATIONS)
    assert (run.counters["removed"], run.counters["contradicted"]) == (0, 1)
    assert converged.run(INSTALLATIONS).counters["removed"] == 1
