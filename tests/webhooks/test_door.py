"""Who gets in: signatures, envelopes, and how the ones turned away are counted."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import zlib
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from githubapi.protocol import sign
from sandbox import payloads
from tests.clock import DrivenClock
from tests.webhooks.hook import ALICE, HOOK_ID, PULL, SECRET, TOOLS, Hook
from webhooks.models import Delivery, PullRequest, Rejection

ODD_BYTES = (
    b'{\r\n  "action" : "opened",\t"caf\\u00e9": "\xf0\x9f\x98\x80 caf\xc3\xa9", "number": 1.0, "big": 1E400,\r\n'
    b'  "zen":"\\u0000 \\ud83d"  }\r\n'
)


def pull_request_bytes() -> bytes:
    return json.dumps(payloads.pull_request("opened", PULL, ALICE)).encode()


def counted() -> dict[tuple[str, int], int]:
    return {(row.reason, row.hook_id): row.hits for row in Rejection.objects.all()}


def test_f22_the_raw_bytes_are_what_is_signed_and_what_is_kept(hook: Hook) -> None:
    answer = hook.send_bytes("ping", ODD_BYTES)
    assert answer.status_code == 200
    assert zlib.decompress(Delivery.objects.get().body) == ODD_BYTES


def test_f22_a_signature_over_the_same_json_written_differently_is_wrong(hook: Hook) -> None:
    rewritten = json.dumps(json.loads(ODD_BYTES)).encode()
    answer = hook.send_bytes("ping", ODD_BYTES, **{"X-Hub-Signature-256": sign(rewritten, SECRET)})
    assert answer.status_code == 401


def sha1(body: bytes) -> str:
    return "sha1=" + hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()


@pytest.mark.parametrize(
    "signature, reason",
    [
        ("", "signature_missing"),
        ("   ", "signature_missing"),
        ("sha256=", "signature_malformed"),
        ("sha256=" + "g" * 64, "signature_malformed"),
        ("sha256=" + "0" * 63, "signature_malformed"),
        ("sha256=" + "0" * 64 + "; x", "signature_malformed"),
        ("0" * 64, "signature_malformed"),
        (sha1(pull_request_bytes()), "signature_malformed"),
        ("sha256=" + "0" * 64, "signature_wrong"),
        (sign(pull_request_bytes(), ""), "signature_wrong"),
        (sign(pull_request_bytes(), "another secret"), "signature_wrong"),
        (sign(pull_request_bytes() + b" ", SECRET), "signature_wrong"),
    ],
)
def test_f22_without_a_right_signature_nothing_is_stored(hook: Hook, signature: str, reason: str) -> None:
    answer = hook.send_bytes("pull_request", pull_request_bytes(), **{"X-Hub-Signature-256": signature})
    assert (answer.status_code, answer.json()["status"]) == (401, reason)
    assert not Delivery.objects.exists()
    assert not PullRequest.objects.exists()
    assert counted() == {(reason, 0): 1}


def test_f22_sha1_alone_proves_nothing(hook: Hook) -> None:
    body = pull_request_bytes()
    answer = hook.send_bytes(
        "pull_request", body, **{"X-Hub-Signature-256": "", "X-Hub-Signature": sha1(body)}
    )
    assert (answer.status_code, answer.json()["status"]) == (401, "signature_sha1_only")


def test_f22_old_and_new_secret_both_pass_while_both_are_set(hook: Hook, settings: Any) -> None:
    settings.GITHUB_WEBHOOK_SECRETS = ["new secret", "", "old secret"]
    body = pull_request_bytes()
    answers = [
        Hook(secret=secret).send_bytes("ping", body) for secret in ("old secret", "new secret", "third", "")
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 401, 401]


@pytest.mark.parametrize("debug", [True, False])
def test_f22_without_any_secret_nothing_is_accepted(hook: Hook, settings: Any, debug: bool) -> None:
    settings.GITHUB_WEBHOOK_SECRETS = []
    settings.DEBUG = debug
    for signature in (sign(pull_request_bytes(), ""), "", sign(pull_request_bytes(), SECRET)):
        answer = hook.send_bytes("pull_request", pull_request_bytes(), **{"X-Hub-Signature-256": signature})
        assert (answer.status_code, answer.json()["status"]) == (503, "no_secret")
    assert not Delivery.objects.exists()


def test_f22_neither_answers_nor_logs_hold_a_digest_or_a_secret(hook: Hook, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    right = sign(pull_request_bytes(), SECRET)
    wrong = sign(pull_request_bytes(), "another secret")
    answers = [
        hook.send_bytes("pull_request", pull_request_bytes(), **{"X-Hub-Signature-256": value})
        for value in (right, wrong, "sha256=00")
    ]
    answers.append(hook.send("pull_request", {"action": "opened"}))
    said = " ".join(answer.content.decode() for answer in answers)
    said += " ".join(str(record.__dict__) for record in caplog.records)
    said += " ".join(str(row) for row in Delivery.objects.values_list("note", "error"))
    for value in (right, wrong):
        assert value.removeprefix("sha256=") not in said
    assert SECRET not in said


def test_rejections_are_counted_by_hour_and_by_hooks_that_once_were_authentic(
    hook: Hook, clock: DrivenClock
) -> None:
    hook.send("ping", payloads.ping(TOOLS, HOOK_ID, ALICE, "https://example.org"))
    stranger = Hook(secret="a guess", hook_id=99)
    known = Hook(secret="the secret of last year")
    for sender in (stranger, known, known):
        sender.send_bytes("push", b"{}")
    assert counted() == {("signature_wrong", 0): 1, ("signature_wrong", HOOK_ID): 2}
    clock.shift(hours=1)
    known.send_bytes("push", b"{}")
    assert Rejection.objects.filter(hook_id=HOOK_ID).count() == 2
    assert Rejection.objects.latest("sequence").last_seen == clock.now


def test_rejections_stay_bounded_whatever_is_sent(hook: Hook, clock: DrivenClock) -> None:
    for number in range(40):
        stranger = Hook(secret="a guess", hook_id=10**number + number)
        stranger.send_bytes(f"event_{number}", b"x" * number, **{"User-Agent": "z" * number})
    hook.send_bytes("push", b"{}", **{"X-Hub-Signature-256": "", "X-GitHub-Hook-ID": "²"})
    assert counted() == {("signature_wrong", 0): 40, ("signature_missing", 0): 1}


@pytest.mark.parametrize(
    "body, headers, reason",
    [
        (b"{}", {"X-GitHub-Delivery": ""}, "missing_guid"),
        (b"{}", {"X-GitHub-Delivery": "12"}, "bad_guid"),
        (b"{}", {"X-GitHub-Event": ""}, "missing_event"),
        (b"{}", {"X-GitHub-Event": "push; drop"}, "bad_event"),
        (b"{}", {"X-GitHub-Event": "x" * 51}, "bad_event"),
        (b"", {}, "not_json"),
        (b"{", {}, "not_json"),
        (b'{"a": NaN}', {}, "not_json"),
        (b'{"a": "\xff"}', {}, "not_json"),
        (b'{"a": ' + b"9" * 5000 + b"}", {}, "not_json"),
        (b"[" * 100_000, {}, "not_json"),
        (b'{"a":' * 100_000, {}, "not_json"),
        (b"[]", {}, "not_an_object"),
        (b"null", {}, "not_an_object"),
        (b'"text"', {}, "not_an_object"),
    ],
)
def test_what_cannot_be_read_gets_a_reason_and_is_counted(
    hook: Hook, body: bytes, headers: dict, reason: str
) -> None:
    answer = hook.send_bytes("push", body, **headers)
    assert (answer.status_code, answer.json()["status"]) == (400, reason)
    assert answer.json()["detail"].endswith(".")
    assert counted() == {(reason, 0): 1}
    assert not Delivery.objects.exists()


def test_an_unsigned_body_is_never_parsed(hook: Hook) -> None:
    """Authentic first: what a stranger sends is refused for its signature, however broken it is otherwise."""
    answer = hook.send_bytes("", b"{", **{"X-Hub-Signature-256": "", "X-GitHub-Delivery": ""})
    assert answer.json()["status"] == "signature_missing"


@pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete", "options"])
def test_the_door_takes_posts_only(hook: Hook, method: str) -> None:
    answer = getattr(Client(), method)("/webhooks/github")
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"


def test_the_door_needs_no_session_no_user_and_no_csrf_token(hook: Hook) -> None:
    hook.client = Client(enforce_csrf_checks=True)
    with CaptureQueriesContext(connection) as queries:
        answer = hook.send_bytes("pull_request", pull_request_bytes())
    assert answer.status_code == 202
    assert not answer.cookies
    asked = " ".join(query["sql"] for query in queries)
    assert "django_session" not in asked
    assert "auth_user" not in asked


def test_a_hook_id_that_is_none_is_zero_and_no_reason_to_refuse(hook: Hook) -> None:
    answer = hook.send_bytes(
        "ping", b"{}", **{"X-GitHub-Hook-ID": "²", "X-GitHub-Hook-Installation-Target-ID": "-1"}
    )
    assert answer.status_code == 200
    assert Delivery.objects.values_list("hook_id", "target_id").get() == (0, 0)
