"""Field case F25: what GitHub may send gets in, in either content type; nothing larger does."""

from __future__ import annotations

import base64
import json
import random
import zlib
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from sandbox import payloads
from sandbox.world import NO_COMMIT, Commit
from tests.webhooks.hook import ALICE, BASE, PULL, TOOLS, Hook
from webhooks.models import Delivery, PullRequest, Push, Rejection
from webhooks.services import receiving

MEGABYTE = 1024 * 1024
FORM = "application/x-www-form-urlencoded"
ODD_TITLE = "1 + 1 = 100 % é & payload=x; \N{GRINNING FACE}"


def padded(size: int) -> bytes:
    """Return a pull request's payload of exactly that many bytes."""
    body = json.dumps(payloads.pull_request("opened", PULL, ALICE) | {"padding": ""}).encode()
    return body.replace(b'"padding": ""', b'"padding": "' + b"x" * (size - len(body)) + b'"')


@pytest.mark.parametrize("size", [int(2.6 * MEGABYTE), 24 * MEGABYTE, 25 * MEGABYTE])
def test_f25_json_up_to_githubs_own_limit_is_applied_and_kept(hook: Hook, size: int) -> None:
    body = padded(size)
    assert len(body) == size
    assert hook.send_bytes("pull_request", body).status_code == 202
    assert PullRequest.objects.get().title == PULL.title
    assert zlib.decompress(Delivery.objects.get().body) == body


@pytest.mark.parametrize("size", [25 * MEGABYTE + 1, 26 * MEGABYTE])
def test_f25_a_larger_json_body_is_turned_away_and_counted(hook: Hook, size: int) -> None:
    answer = hook.send_bytes("pull_request", padded(size))
    assert (answer.status_code, answer.json()["status"]) == (413, "too_large")
    assert not Delivery.objects.exists()
    assert Rejection.objects.get().reason == "too_large"


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/json"]
)
def test_f25_the_content_type_may_have_parameters(hook: Hook, content_type: str) -> None:
    body = json.dumps(payloads.pull_request("opened", PULL, ALICE)).encode()
    assert hook.send_bytes("pull_request", body, content_type=content_type).status_code == 202


@pytest.mark.parametrize("encode", [quote_plus, quote, lambda text: quote(text, safe='{}":,[]/')])
@pytest.mark.parametrize("content_type", [FORM, f"{FORM}; charset=utf-8", f"{FORM};charset=iso-8859-1"])
def test_f25_a_form_is_signed_over_its_own_bytes(hook: Hook, encode: Any, content_type: str) -> None:
    payload = payloads.pull_request("opened", PULL, ALICE)
    payload["pull_request"]["title"] = ODD_TITLE
    body = ("payload=" + encode(json.dumps(payload, ensure_ascii=False))).encode()
    assert hook.send_bytes("pull_request", body, content_type=content_type).status_code == 202
    assert PullRequest.objects.get().title == ODD_TITLE
    assert zlib.decompress(Delivery.objects.get().body) == body


def test_f25_a_form_may_be_longer_than_the_payload_in_it(hook: Hook) -> None:
    payload = payloads.pull_request("opened", PULL, ALICE) | {"padding": "+ " * (5 * MEGABYTE)}
    body = b"payload=" + quote(json.dumps(payload), safe="").encode()
    assert len(body) > 27 * MEGABYTE
    assert hook.send_bytes("pull_request", body, content_type=FORM).status_code == 202


def test_f25_a_form_without_a_payload_gets_a_reason(hook: Hook) -> None:
    answer = hook.send_bytes("pull_request", b"load={}", content_type=FORM)
    assert (answer.status_code, answer.json()["status"]) == (400, "bad_form")


def test_f25_a_body_too_large_to_keep_is_applied_and_says_so(hook: Hook) -> None:
    noise = base64.b64encode(random.Random(25).randbytes(17 * MEGABYTE)).decode()
    payload = payloads.pull_request("opened", PULL, ALICE) | {"noise": noise}
    assert hook.send("pull_request", payload).status_code == 202
    kept = Delivery.objects.get()
    assert PullRequest.objects.get().title == PULL.title
    assert kept.body is None
    assert "too large to keep" in kept.note
    assert receiving.replay(kept.pk).http_status == 409


def test_f25_the_head_of_a_push_is_after_even_where_its_commits_are_cut(hook: Hook) -> None:
    commits = [
        Commit(sha=f"{number:040x}", message="one of many", author=ALICE, at=BASE) for number in range(2048)
    ]
    payload = payloads.push(TOOLS, "refs/heads/main", commits, ALICE, before=NO_COMMIT)
    payload["after"] = "f" * 40
    answer = hook.send("push", payload)
    assert answer.status_code == 202
    assert Push.objects.get().head_commit_id == "f" * 40
    assert "cut at 2048" in answer.json()["detail"]


def test_a_push_of_fewer_commits_is_not_called_cut(hook: Hook) -> None:
    commit = Commit(sha="a" * 40, message="one", author=ALICE, at=BASE)
    hook.send("push", payloads.push(TOOLS, "refs/heads/main", [commit], ALICE, before=NO_COMMIT))
    assert "cut" not in Delivery.objects.get().note
