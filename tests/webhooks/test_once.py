"""Field case F11: a Delivery has its effect once, however often and in whatever company it comes."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import connections

from sandbox import payloads
from tests.webhooks.hook import ALICE, INSTALLATION, PULL, SECRET, SLUG, TOOLS, Hook, at, pull
from webhooks.events import WRITERS
from webhooks.models import Delivery, Installation, PullRequest, PullRequestHistory, Push, Repository

GUID = uuid.UUID("12345678-1234-4234-8234-1234567890ab")
OPENED = payloads.pull_request("opened", PULL, ALICE)
APPENDING = {
    "pull_request": OPENED,
    "installation": payloads.installation("created", INSTALLATION, ALICE, [TOOLS]),
    "push": payloads.push(TOOLS, "refs/heads/main", [], ALICE, before="a" * 40),
}


def row_counts() -> list[int]:
    models = (PullRequest, PullRequestHistory, Installation, Repository, Push, Delivery)
    return [model.objects.count() for model in models]


@pytest.mark.parametrize("event", APPENDING)
def test_f11_a_repeated_delivery_is_a_duplicate_and_changes_nothing(hook: Hook, event: str) -> None:
    assert hook.send(event, APPENDING[event], guid=GUID).status_code == 202
    PullRequest.objects.update(processing_state="PROCESSED", idle_retry_count=3, updated_at=at(0))
    before = row_counts(), list(PullRequest.objects.values()), list(Delivery.objects.values())
    for _ in range(2):
        answer = hook.send(event, APPENDING[event], guid=GUID)
        assert (answer.status_code, answer.json()["status"]) == (200, "duplicate")
    assert (row_counts(), list(PullRequest.objects.values()), list(Delivery.objects.values())) == before


def test_f11_an_ignored_delivery_is_a_duplicate_too(hook: Hook) -> None:
    hook.send("star", {}, guid=GUID)
    assert hook.send("star", {}, guid=GUID).json()["status"] == "duplicate"
    assert Delivery.objects.count() == 1


def test_f11_the_guid_is_the_same_in_any_letter_case(hook: Hook) -> None:
    body = b'{"zen": "once"}'
    answers = [hook.send_bytes("ping", body, guid=text) for text in (str(GUID), str(GUID).upper())]
    assert [answer.json()["status"] for answer in answers] == ["ignored", "duplicate"]


def test_f11_a_bad_signature_uses_no_guid_up(hook: Hook) -> None:
    assert Hook(secret="a guess").send("pull_request", OPENED, guid=GUID).status_code == 401
    assert hook.send("pull_request", OPENED, guid=GUID).status_code == 202
    assert PullRequest.objects.count() == 1


def test_f11_two_hooks_may_share_a_guid(hook: Hook) -> None:
    other = Hook(hook_id=hook.hook_id + 1)
    assert [sender.send("pull_request", OPENED, guid=GUID).status_code for sender in (hook, other)] == [
        202,
        202,
    ]
    assert Delivery.objects.filter(guid=str(GUID)).count() == 2


def test_f11_a_failed_delivery_is_processed_by_its_redelivery(hook: Hook) -> None:
    broken = OPENED | {"pull_request": None}
    assert hook.send("pull_request", broken, guid=GUID).status_code == 422
    assert Delivery.objects.get().status == "failed"
    assert hook.send("pull_request", OPENED, guid=GUID).status_code == 202
    kept = Delivery.objects.get()
    assert (kept.status, kept.error, PullRequest.objects.count()) == ("applied", "", 1)


def test_f11_a_redelivery_that_fails_again_stays_one_failed_delivery(hook: Hook) -> None:
    broken = OPENED | {"pull_request": None}
    answers = [hook.send("pull_request", broken, guid=GUID) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [422, 422, 422]
    assert Delivery.objects.get().status == "failed"


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls in threads of their own, beginning together, and return what they returned."""
    results: list[Any] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(index: int) -> None:
        try:
            start.wait(10)
            results[index] = calls[index]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


@pytest.fixture
def racing_hook(transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """A hook whose Deliveries all stand inside their transactions before any writes, where the database lets two.

    SQLite lets one: there the second waits before its transaction, and the barrier gives up.
    """
    settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
    settings.GITHUB_APP_SLUG = SLUG
    together = threading.Barrier(2)

    def meeting(writer: Any) -> Any:
        def write(incoming: Any) -> Any:
            with suppress(threading.BrokenBarrierError):
                together.wait(0.5)
            return writer(incoming)

        return write

    for event in APPENDING:
        monkeypatch.setitem(WRITERS, event, meeting(WRITERS[event]))
    return Hook()


@pytest.mark.parametrize("event", APPENDING)
def test_f11_of_two_copies_at_once_one_wins_and_both_are_thanked(racing_hook: Hook, event: str) -> None:
    def send() -> Any:
        return Hook().send(event, APPENDING[event], guid=GUID)

    answers = at_once(send, send)
    assert sorted(answer.json()["status"] for answer in answers) == ["applied", "duplicate"]
    assert all(answer.status_code in {200, 202} for answer in answers)
    assert Delivery.objects.get().status == "applied"
    counts = dict(
        zip(("pulls", "history", "installations", "repositories", "pushes"), row_counts(), strict=False)
    )
    expected = {
        "pull_request": {"pulls", "history"},
        "installation": {"installations", "repositories"},
        "push": {"pushes"},
    }
    assert {name for name, count in counts.items() if count == 1} == expected[event]
    assert sum(counts.values()) == len(expected[event])


def test_two_first_events_of_one_pull_request_at_once_become_one_row(racing_hook: Hook) -> None:
    newer = payloads.pull_request("labeled", pull(title="Newer", updated_at=at(5)), ALICE)
    answers = at_once(lambda: Hook().send("pull_request", OPENED), lambda: Hook().send("pull_request", newer))
    assert [answer.status_code for answer in answers] == [202, 202]
    row = PullRequest.objects.get()
    assert (row.title, row.processing_state, row.github_updated_at) == ("Newer", "NEW", at(5))
    assert PullRequestHistory.objects.count() == Delivery.objects.count() == 2


def test_two_events_of_a_known_pull_request_at_once_leave_the_newer_facts(racing_hook: Hook) -> None:
    Hook().send("pull_request", OPENED)
    PullRequest.objects.update(processing_state="PROCESSED", updated_at=at(0))
    events = [payloads.pull_request("edited", pull(title=f"At {n}", updated_at=at(n)), ALICE) for n in (7, 8)]
    answers = at_once(*(lambda event=event: Hook().send("pull_request", event) for event in events))
    assert [answer.status_code for answer in answers] == [202, 202]
    row = PullRequest.objects.get()
    assert (row.title, row.processing_state) == ("At 8", "UPDATED")
    assert PullRequestHistory.objects.count() == 3
