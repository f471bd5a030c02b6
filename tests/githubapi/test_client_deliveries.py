"""The hook's deliveries: read back to an instant, and asked for again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from githubapi.errors import GithubError, Gone, Transient
from sandbox.server import SandboxGithub, worlds
from tests.github_app import REPOSITORY, app_client

PATH = "/app/hook/deliveries"


class Receiver:
    """Answers what a test wants and keeps the GUIDs."""

    def __init__(self) -> None:
        self.status = 202
        self.guids: list[str] = []

    def __call__(self, headers, body):
        self.guids.append(headers["X-GitHub-Delivery"])
        return self.status


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def github(receiver: Receiver) -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(), secret="s", receiver=receiver) as running:
        yield running


def happen(github: SandboxGithub, times: int) -> None:
    """Have so many deliveries made, a minute apart."""
    for number in range(times):
        github.changes.open_issue(REPOSITORY, f"Issue {number}")
        github.clock.shift(60)


def test_the_newest_come_first_and_all_pages_are_read(github, receiver):
    happen(github, 25)
    with app_client(github.url) as app:
        found = app.hook_deliveries(github.clock.now() - timedelta(hours=3))
    assert [str(one.guid) for one in found] == receiver.guids[::-1]
    assert {(one.event, one.action, one.repository_id, one.accepted) for one in found} == {
        ("issues", "opened", REPOSITORY, True)
    }
    assert len(github.requests(PATH)) == 3


def test_reading_stops_at_the_instant(github):
    happen(github, 45)
    since = github.clock.now() - timedelta(minutes=12, seconds=30)
    with app_client(github.url) as app:
        found = app.hook_deliveries(since)
    assert len(found) == 12
    assert min(one.delivered_at for one in found) >= since
    assert len(github.requests(PATH)) == 2


def test_an_instant_without_a_time_zone_is_refused(github):
    with app_client(github.url) as app, pytest.raises(ValueError, match="time zone"):
        app.hook_deliveries(datetime(2026, 1, 1))  # noqa: DTZ001 -- the very fault


@pytest.mark.parametrize("kind", ["empty", "empty_announced", "no_link", "truncate", "disconnect", "html"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_fault_at_any_page_is_healed_or_raised(github, kind, after):
    happen(github, 25)
    github.inject(PATH, kind, after=after)
    with app_client(github.url) as app:
        try:
            found = len(app.hook_deliveries(github.clock.now() - timedelta(hours=3)))
        except GithubError:
            found = 25
    assert found == 25


def test_a_page_announced_and_empty_is_an_error(github):
    happen(github, 25)
    github.inject(PATH, "empty", after=1, times=None)
    with app_client(github.url) as app, pytest.raises(Transient) as caught:
        app.hook_deliveries(github.clock.now() - timedelta(hours=3))
    assert caught.value.reason == "incomplete_listing"


def test_a_failed_delivery_is_asked_for_again_under_its_guid(github, receiver):
    receiver.status = 503
    happen(github, 1)
    since = github.clock.now() - timedelta(hours=1)
    with app_client(github.url) as app:
        (failed,) = app.hook_deliveries(since)
        assert (failed.status_code, failed.accepted, failed.redelivery) == (503, False, False)
        receiver.status = 202
        app.redeliver(failed.id)
        again, _ = app.hook_deliveries(since)
    assert (again.guid, again.accepted, again.redelivery) == (failed.guid, True, True)
    assert receiver.guids == [str(failed.guid)] * 2


def test_a_delivery_that_is_unknown_is_gone(github):
    with app_client(github.url) as app, pytest.raises(Gone):
        app.redeliver(12345)


def test_a_dead_receiver_leaves_a_failed_delivery(github):
    github.deliver_to("http://127.0.0.1:9/webhooks/github")
    happen(github, 1)
    with app_client(github.url) as app:
        (failed,) = app.hook_deliveries(github.clock.now() - timedelta(hours=1))
    assert (failed.status_code, failed.status) == (502, "failed to connect to host")
