"""GET pull-requests/{owner}/{repo}/{number}/explain."""

from __future__ import annotations

from datetime import timedelta

import pytest

from monitor.explain.values import Fate
from tests import factories
from tests.monitor.conftest import HOSTILE
from webhooks.models import PullRequest
from webhooks.services import finishing, history
from webhooks.services.claims import claim
from webhooks.values import Cause, HistoryKind

PATH = "/api/v1/pull-requests/octo/tools/7/explain"
# Those of issue 5, and the rest; what is made of the clock, what it says, and in how many seconds something happens.
HOUR, DAY = 3_600, 86_400
ROWS = {
    "waiting": ({"days": 2, "idle_retry_count": 2}, "had 2 of 10 Idle Retries", DAY),
    "gave_up": ({"days": 60, "idle_retry_count": 10}, "Only an Event or a person wakes it.", None),
    "due": ({"days": 5}, "is due for Idle Retry 1 of 10 and next up.", 0),
    "resting": ({"days": 0.5}, "needs nothing of the bot now", DAY // 2),
    "held": ({"days": 2, "idle_retry_count": 2, "title": "x (HELD)"}, "is held", DAY),
    "closed": ({"days": 2, "state": "CLOSED"}, "was closed without being merged", None),
    "merged": ({"days": 2, "state": "CLOSED", "merged": True}, "was merged", None),
    "pending": ({"processing_state": "UPDATED"}, "The bot claims it within a minute.", 0),
    "failed": (
        {"days": 0.5, "processing_error": "ValueError: boom"},
        "ValueError: boom. Its next chance",
        DAY // 2,
    ),
}


@pytest.fixture
def ask(caller, running):
    """Ask as a viewer; returns the answer's JSON."""
    client = caller("viewer")

    def get(path=PATH, status=200):
        response = client.get(path)
        assert response.status_code == status, response.content
        return response.json()

    return get


def check(answer, now, *, state, words, seconds):
    assert answer["state"] == state
    assert answer["sentence"].startswith("octo/tools#7 ")
    assert words in answer["sentence"]
    if seconds is None:
        assert answer["next"] is None
    else:
        assert set(answer["next"]) == {"what", "at"}
        assert answer["next"]["at"] == f"{now + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("state", ROWS)
def test_the_fate_of_a_row_its_sentence_and_what_comes_next(ask, pull, running, state):
    columns, words, seconds = ROWS[state]
    pull(**columns)
    check(ask(), running.now, state=state, words=words, seconds=seconds)


def test_claimed_stale_retrying_and_put_off(ask, pull, running):
    row = pull(processing_state="UPDATED")
    (one,) = claim(PullRequest, worker="a-bot").claims
    check(ask(), running.now, state="claimed", words="being worked on by a-bot", seconds=HOUR)
    PullRequest.objects.filter(pk=row.pk).update(
        processing_date=running.now - timedelta(hours=2), updated_at=running.now
    )
    check(ask(), running.now, state="stale_claim", words="a-bot, which went silent", seconds=0)
    PullRequest.objects.filter(pk=row.pk).update(processing_date=running.now, updated_at=running.now)
    finishing.fail(one, "boom")
    check(ask(), running.now, state="retrying", words="failed in attempt 1 of 5: boom.", seconds=60)
    running.shift(minutes=1)
    (two,) = claim(PullRequest, worker="a-bot").claims
    finishing.defer(two, 600, "GitHub does not say")
    check(ask(), running.now, state="deferred", words="GitHub does not say", seconds=600)


def test_out_of_reach_and_throttled(ask, pull, running):
    installation = factories.InstallationFactory(throttled_until=running.now + timedelta(minutes=5))
    row = pull(processing_state="UPDATED", days=5)
    check(ask(), running.now, state="throttled", words="throttles its installation", seconds=300)
    type(installation).objects.update(status="0", updated_at=running.now)
    PullRequest.objects.filter(pk=row.pk).update(processing_state="PROCESSED", updated_at=row.updated_at)
    check(ask(), running.now, state="out_of_reach", words="installation gone", seconds=None)


def test_a_missed_event_healed_and_next_in_line(ask, pull, running):
    row = pull(processing_state="RE_REQUESTED")
    states = ("PROCESSED", "RE_REQUESTED")
    history.append(row.pk, HistoryKind.SYNC, states, reason="it has a new head")
    check(
        ask(), running.now, state="healed", words="an Event about it was missed, and a sync healed", seconds=0
    )
    history.append(
        row.pk, HistoryKind.RE_REQUEST, states, reason="next in line after #5", cause=Cause(claim_token="t")
    )
    check(ask(), running.now, state="next_in_line", words="next in line after #5", seconds=0)


def test_the_bot_switched_off_is_said(ask, pull, running, setting):
    pull(processing_state="NEW")
    setting("bot.enabled", "off")
    check(ask(), running.now, state="not_claimed", words="switched off (bot.enabled)", seconds=None)


def test_the_answer_has_exactly_the_promised_members(ask, pull):
    row = pull(2, idle_retry_count=2)
    history.append(row.pk, HistoryKind.FINALIZE, ("PROCESSING", "PROCESSED"), reason="done")
    answer = ask()
    assert set(answer) == {"sentence", "state", "since", "next", "reasons", "timeline"}
    assert {frozenset(reason) for reason in answer["reasons"]} == {frozenset({"code", "text"})}
    assert answer["since"] == "2026-03-02T09:00:00Z"
    assert [entry["kind"] for entry in answer["timeline"]] == ["finalize", "gap"]
    assert set(answer["timeline"][0]) == {
        "sequence", "at", "after", "kind", "text", "actor", "from_state", "to_state", "guid", "delivery", "run",
    }  # fmt: skip


def test_unknown_is_a_404_in_words(ask):
    problem = ask(status=404)
    assert problem["detail"] == "No pull request octo/tools#7 is known here."
    ask(PATH.replace("7", "9" * 25), status=404)


def test_names_are_taken_in_any_letter_case_and_with_a_final_slash(ask, pull):
    pull(5)
    assert ask(PATH.replace("octo/tools", "OCTO/Tools") + "/")["state"] == Fate.DUE


def test_a_hostile_name_is_found_and_comes_back_as_it_is(ask, pull):
    name = HOSTILE.replace("/", "")
    pull(5, repository_name=name, processing_error=HOSTILE)
    from urllib.parse import quote

    answer = ask(f"/api/v1/pull-requests/octo/{quote(name, safe='')}/7/explain")
    assert answer["sentence"].startswith(f"octo/{name}#7 ")


def test_the_timeline_is_paged_by_before(ask, pull):
    row = pull(5)
    for number in range(60):
        history.append(row.pk, HistoryKind.ECHO, ("PROCESSED", "PROCESSED"), reason=f"line {number}")
    first = ask()["timeline"]
    assert [entry["text"] for entry in first] == [f"line {number}" for number in reversed(range(10, 60))]
    older = ask(f"{PATH}?before={first[-1]['sequence']}")["timeline"]
    assert [entry["text"] for entry in older][:-1] == [f"line {number}" for number in reversed(range(10))]
    assert older[-1]["kind"] == "gap"


def test_a_query_that_cannot_be_read_is_refused_by_name(ask, pull):
    pull()
    for query in ("before=x", "before=0", "page=2", "before=" + "9" * 30):
        assert ask(f"{PATH}?{query}", status=400)["code"] == "invalid"


def test_who_may_not_read_gets_no_answer(caller, pull):
    pull()
    assert caller("").get(PATH).status_code == 403
    client = caller("operator")
    assert client.get(PATH).status_code == 200
    client.credentials()
    assert client.get(PATH).status_code == 401


def test_it_takes_few_queries_however_long_the_line_and_the_history(
    caller, pull, running, django_assert_max_num_queries
):
    client = caller("viewer")
    row = pull(5)
    old = running.now - timedelta(days=3)
    PullRequest.objects.bulk_create(factories.PullRequestFactory.build_batch(300, updated_at=old))
    for number in range(120):
        cause = Cause(delivery_guid=f"{number:036}", pass_run_id=number + 1)
        history.append(row.pk, HistoryKind.SYNC, ("PROCESSED", "PROCESSED"), reason="x", cause=cause)
    with django_assert_max_num_queries(32):
        assert client.get(PATH).json()["state"] == "due"
