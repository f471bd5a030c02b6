"""Payloads with anything wrong in them: every one gets an answer with a reason, and none an unrecorded 5xx."""

from __future__ import annotations

import copy
import json
import os
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox import ci, payloads
from sandbox.world import Commit
from tests.npm import Example, fetched
from tests.webhooks.hook import ALICE, BASE, INSTALLATION, ISSUE, PULL, TOOLS, Hook
from webhooks.events import WRITERS
from webhooks.models import Delivery

SHORT, LONG = 150, 2_000
# GitHub hangs up after 10 s; the test's machine may be busy with more than this test.
PATIENCE = 8.0
DROP = object()
COMMIT = Commit(sha="a" * 40, message="A step", author=ALICE, at=BASE)
BUILT: list[Example] = [
    ("pull_request", payloads.pull_request("synchronize", PULL, ALICE)),
    ("pull_request", payloads.pull_request("edited", PULL, ALICE)),
    ("pull_request_review", payloads.pull_request_review("submitted", PULL, ALICE)),
    ("issues", payloads.issues("opened", ISSUE, ALICE)),
    ("issue_comment", payloads.issue_comment("created", PULL, ALICE, "/retry")),
    ("push", payloads.push(TOOLS, "refs/heads/main", [COMMIT], ALICE, before="0" * 40)),
    ("create", payloads.create(TOOLS, "lamp", ALICE)),
    ("delete", payloads.delete(TOOLS, "lamp", ALICE)),
    ("repository", payloads.repository("edited", TOOLS, ALICE)),
    ("repository", payloads.repository("renamed", TOOLS, ALICE, old_name="old")),
    ("installation", payloads.installation("created", INSTALLATION, ALICE, [TOOLS])),
    ("installation_repositories", payloads.installation_repositories("added", INSTALLATION, ALICE, [TOOLS])),
    ("member", payloads.member("added", TOOLS, ALICE, ALICE)),
    ("release", payloads.release("published", TOOLS, "v1", ALICE)),
    ("branch_protection_rule", payloads.branch_protection_rule("edited", TOOLS, "main", ALICE)),
    ("check_suite", ci.check_suite("completed", PULL, INSTALLATION, conclusion="success")),
    ("status", ci.status(PULL, "success", BASE)),
    ("workflow_run", ci.workflow_run("completed", PULL, conclusion="success")),
    ("ping", payloads.ping(TOOLS, 1, ALICE, "https://example.org")),
]


def paths(value: Any, depth: int = 4) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to every member down to a depth; addresses are read by no rule and left out."""
    items: Any = (
        value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    )
    for key, member in items:
        if isinstance(key, str) and key.endswith("url"):
            continue
        yield (key,)
        if depth > 1:
            yield from ((key, *rest) for rest in paths(member, depth - 1))


EXAMPLES = [
    (event, body, list(paths(body)))
    for event, body in BUILT + [one for one in fetched() if one[0] in WRITERS]
]

ODD_TEXTS = [
    "", " ", "\0", "\ud83d", "a\ud83d\0b", "\udc00\ud83d", "\u202eevil", "\ufffe\uffff", "\U0010ffff", "x" * 100_000,
    "🚀" * 30_000, "é" * 251, "🚀" * 250 + "\ud83d", "trailing  ", "'; DROP TABLE settings; --", "%s %(x)s",
    "refs/heads/", "{{ 7 }}", "\\", "NaN", "-1", "1e400", "\r\n", "İ" * 250, "ǅ", "a" * 500 + " ",
]  # fmt: skip
ODD_DATES = [
    "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "2038-01-19T03:14:08Z",
    "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z", "2026-03-04T09:00:00+99:99", "20260304", "2026-W10", "2026-03-04",
    "2026-03-04T09:00:00.123456789Z", "٢٠٢٦-03-04T09:00:00Z",
]  # fmt: skip
ODD_NUMBERS = [0, -1, 1, 2**31, 2**63 - 1, 2**63, 2**64, 10**30, 10**4000, -(2**63), 1.5, 1e308, 1e-320, True]
ODD_SHAPES: list[Any] = [
    None,
    [],
    {},
    [None],
    [[]],
    {"id": None},
    [1] * 5_000,
    {"": ""},
    {"login": {}},
    [{"id": 1}],
]
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)
VALUES = st.one_of(
    st.just(DROP),
    st.sampled_from(ODD_SHAPES),
    st.sampled_from(ODD_NUMBERS),
    st.sampled_from(ODD_TEXTS),
    st.sampled_from(ODD_DATES),
    ANY_TEXT,
    st.integers(),
    st.booleans(),
)


@st.composite
def mutated(draw: st.DrawFn) -> Example:
    """Return an example with one to eight of its members replaced or dropped."""
    event, body, places = draw(st.sampled_from(EXAMPLES))
    changed = copy.deepcopy(body)
    for path in draw(st.lists(st.sampled_from(places), min_size=1, max_size=8)):
        put(changed, path, draw(VALUES))
    return event, changed


def put(body: Any, path: tuple[str | int, ...], value: Any) -> None:
    """Set or drop the member; an earlier change may have taken the way there."""
    *way, last = path
    for key in way:
        try:
            body = body[key]
        except (KeyError, IndexError, TypeError):
            return
    if not isinstance(body, dict) or not isinstance(last, str):
        return
    if value is DROP:
        body.pop(last, None)
    else:
        body[last] = copy.deepcopy(value)


def send_and_check(hook: Hook, example: Example) -> None:
    event, payload = example
    guid = uuid.uuid4()
    started = time.perf_counter()
    answer = hook.send(event, payload, guid=guid)
    assert time.perf_counter() - started < PATIENCE
    kept = Delivery.objects.filter(guid=str(guid)).values_list("status", "error").first()
    if answer.status_code == 400:
        assert kept is None
        return
    assert kept is not None, (event, answer.status_code, answer.content)
    assert (kept[0] == "failed") == (answer.status_code >= 400), (event, answer.status_code, kept)
    assert answer.status_code in {200, 202, 422}, (event, answer.status_code, kept[1])
    assert answer.status_code != 422 or kept[1].strip()


def run(hook: Hook, count: int) -> None:
    @settings(
        max_examples=count,
        deadline=None,
        derandomize=os.environ.get("CI", "").lower() == "true",
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(example=mutated())
    def check(example: Example) -> None:
        send_and_check(hook, example)

    check()


def test_mutated_payloads_get_an_answer_and_a_record(hook: Hook) -> None:
    run(hook, SHORT)


@pytest.mark.prove
def test_two_thousand_mutated_payloads_get_an_answer_and_a_record(hook: Hook) -> None:
    run(hook, LONG)


@pytest.mark.parametrize("event", sorted({event for event, _, _ in EXAMPLES}))
def test_every_single_member_may_be_missing_null_or_of_another_type(hook: Hook, event: str) -> None:
    """One example an event, one member at a time, down to the members of those that are the event's own."""
    body = next(body for name, body in BUILT if name == event)
    for path in paths(body, depth=2):
        if len(path) > 1 and path[0] in {"repository", "sender", "organization"} and event != "ping":
            continue
        for value in (DROP, "\ud83d\0"):
            changed = copy.deepcopy(body)
            put(changed, path, value)
            send_and_check(hook, (event, changed))


@pytest.mark.parametrize(
    "body", [b'{"a":' * 900 + b"1" + b"}" * 900, json.dumps({"action": ["x"] * 100_000}).encode()]
)
@pytest.mark.parametrize("event", WRITERS)
def test_deep_and_wide_payloads_are_no_crash(hook: Hook, event: str, body: bytes) -> None:
    assert hook.send_bytes(event, body).status_code in {200, 422, 400}
