"""What goes wrong while a Delivery is written: recorded, retried or refused, and never half done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import InterfaceError, OperationalError

from benchmarks.serving import SECRET as SERVED_SECRET
from benchmarks.serving import WebServer
from sandbox import payloads
from sandbox.sender import Sender
from tests.webhooks.hook import ALICE, PULL, SECRET, Hook
from webhooks.events import WRITERS
from webhooks.models import Delivery, PullRequest, PullRequestHistory
from webhooks.services import receiving

OPENED = payloads.pull_request("opened", PULL, ALICE)
REAL_WRITER = WRITERS["pull_request"]


class FailingWriter:
    """Writes as ever, then raises the error, a number of times."""

    def __init__(self, error: Exception, times: int) -> None:
        self.error = error
        self.left = times
        self.calls = 0

    def __call__(self, incoming: Any) -> Any:
        self.calls += 1
        outcome = REAL_WRITER(incoming)
        if self.left:
            self.left -= 1
            raise self.error
        return outcome


@pytest.fixture
def hook_outside(transactional_db: None, settings: Any) -> Hook:
    """A hook whose Deliveries are not part of the test's own transaction: a lost connection may be closed."""
    settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
    return Hook()


def fail(monkeypatch: pytest.MonkeyPatch, error: Exception, times: int = 1000) -> FailingWriter:
    writer = FailingWriter(error, times)
    monkeypatch.setitem(WRITERS, "pull_request", writer)
    return writer


def nothing_written() -> bool:
    return not PullRequest.objects.exists() and not PullRequestHistory.objects.exists()


@pytest.mark.parametrize(
    "error", [RuntimeError("broken"), KeyError("x"), RecursionError(), ValueError("half \ud83d")]
)
def test_an_unexpected_error_is_recorded_and_answered_by_500(
    hook: Hook, monkeypatch: Any, error: Exception
) -> None:
    fail(monkeypatch, error)
    answer = hook.send("pull_request", OPENED)
    assert answer.status_code == 500
    assert type(error).__name__ not in answer.content.decode()
    kept = Delivery.objects.get()
    assert (kept.status, kept.event, kept.action) == ("failed", "pull_request", "opened")
    assert type(error).__name__ in kept.error
    assert nothing_written()


def test_a_failed_delivery_can_be_replayed_once_its_cause_is_mended(hook: Hook, monkeypatch: Any) -> None:
    fail(monkeypatch, RuntimeError("broken"), times=2)
    hook.send("pull_request", OPENED)
    kept = Delivery.objects.get()
    assert receiving.replay(kept.pk).http_status == 500
    assert receiving.replay(kept.pk).word == "applied"
    kept.refresh_from_db()
    row = PullRequest.objects.get()
    assert (kept.status, kept.error) == ("applied", "")
    assert str(row.delivery_id) == kept.guid
    assert Delivery.objects.count() == 1
    refused = receiving.replay(kept.pk)
    assert (refused.http_status, refused.word) == (409, "refused")


def test_a_failed_form_can_be_replayed_from_its_kept_bytes(hook: Hook, monkeypatch: Any) -> None:
    fail(monkeypatch, RuntimeError("broken"), times=1)
    body = urlencode({"payload": json.dumps(OPENED)}).encode()
    hook.send_bytes("pull_request", body, content_type="application/x-www-form-urlencoded")
    assert receiving.replay(Delivery.objects.get().pk).word == "applied"


def test_a_very_long_error_is_cut(hook: Hook, monkeypatch: Any) -> None:
    fail(monkeypatch, RuntimeError("é" * 100_000))
    hook.send("pull_request", OPENED)
    assert len(Delivery.objects.get().error.encode()) <= receiving.ERROR_BYTES


@pytest.mark.parametrize("code", [1213, 1205])
@pytest.mark.parametrize("times, status", [(1, 202), (3, 202), (4, 503)])
def test_a_deadlock_or_lock_wait_is_retried_three_times(
    hook_outside: Hook, monkeypatch: Any, code: int, times: int, status: int
) -> None:
    writer = fail(monkeypatch, OperationalError(code, "try restarting transaction"), times)
    answer = hook_outside.send("pull_request", OPENED)
    assert answer.status_code == status
    assert writer.calls == min(times + 1, 4)
    if status == 503:
        assert not Delivery.objects.exists()
        assert nothing_written()
    else:
        assert Delivery.objects.get().status == "applied"
        assert PullRequestHistory.objects.count() == 1


@pytest.mark.parametrize("error", [OperationalError(2006, "gone away"), InterfaceError(0, "closed")])
def test_a_database_that_goes_away_in_the_middle_leaves_nothing_half_done(
    hook_outside: Hook, monkeypatch: Any, error: Exception
) -> None:
    fail(monkeypatch, error)
    answer = hook_outside.send("pull_request", OPENED)
    assert (answer.status_code, answer.json()["status"]) == (503, "database_away")
    assert not Delivery.objects.exists()
    assert nothing_written()


def test_a_failure_that_cannot_even_be_recorded_is_503(hook: Hook, monkeypatch: Any) -> None:
    def record(*_: Any, **__: Any) -> None:
        raise OperationalError(2006, "gone away")

    fail(monkeypatch, RuntimeError("broken"))
    monkeypatch.setattr(receiving, "_record", record)
    assert hook.send("pull_request", OPENED).status_code == 503


@pytest.mark.parametrize(
    "url",
    ["sqlite:///{folder}/a-folder", pytest.param("mysql://root@127.0.0.1:1/none", marks=pytest.mark.mariadb)],
)
def test_with_the_database_away_the_server_says_503_and_still_knows_strangers(
    tmp_path: Path, url: str
) -> None:
    (tmp_path / "a-folder").mkdir()
    log = tmp_path / "log"
    with (
        WebServer(url.format(folder=tmp_path), log=log) as web,
        Sender(web.url, SERVED_SECRET) as github,
        Sender(web.url, "a guess") as stranger,
    ):
        answer = github.send("pull_request", OPENED)
        refused = stranger.send("pull_request", OPENED)
    assert (answer.status, refused.status) == (503, 401)
    assert '"database_away"' in answer.body
