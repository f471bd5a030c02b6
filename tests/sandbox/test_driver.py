"""The pretended GitHub, driven from another process."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from sandbox import outage, scenario
from sandbox.driver import Driver, RefusedError
from sandbox.server import SandboxGithub, store, worlds
from sandbox.server.state import State
from tests.github_app import REPOSITORY

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(State()) as running:
        yield running


@pytest.fixture
def driver(github: SandboxGithub) -> Iterator[Driver]:
    with Driver(github.url) as made:
        yield made


def test_it_is_told_what_to_know(github, driver):
    assert not driver.knows_anything()
    state = worlds.regular(pull_requests=2)
    driver.know(state)
    assert driver.knows_anything()
    assert store.plain(github.state) == store.plain(state)


def test_a_change_is_made_at_the_instant_that_it_is_told(driver):
    driver.know(worlds.regular(pull_requests=2))
    driver.move_clock(NOW)
    made = driver.change("close_pull_request", repository_id=REPOSITORY, number=1, merged=True)
    assert (made["state"], made["merged"]) == ("closed", True)
    assert made["updated_at"].startswith("2026-03-04T09:00:0")


def test_what_github_refuses_is_an_error_with_its_words(driver):
    with pytest.raises(RefusedError, match=r"changes with 422: .*There is no change"):
        driver.change("explode")


def test_a_step_without_a_hook_is_refused(driver):
    with pytest.raises(RefusedError, match="no hook"):
        driver.deliver(scenario.past(NOW, "")[0])


@pytest.mark.parametrize("url", ["https://api.github.com", "127.0.0.1:8000", ""])
def test_only_a_plain_http_address_is_driven(url):
    with pytest.raises(ValueError, match="not the http address"):
        Driver(url)


def test_the_outage_leaves_one_failed_attempt_and_one_silence(github, driver, receiver):
    driver.know(worlds.of_the_demo(NOW))
    outage.happen(driver, NOW, receiver=receiver.url)
    assert receiver.got == []
    assert [one.action for one in github.hook.attempts.values()] == ["opened"]
    repository, number = outage.cast.MERGED_UNHEARD
    assert github.state.things[repository.id][number].merged
    github.changes.push(repository.id, 1)
    assert list(github.hook.attempts.values())[-1].status_code == 401  # it is sent there again, unsigned
