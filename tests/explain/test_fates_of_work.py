"""Issue 5: of a pull request that is pending, claimed or failed, the sentence is right and says what comes next."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from core import heartbeat
from monitor.explain.values import Fate
from tests import factories
from tests.explain.conftest import codes, hours
from webhooks.models import PullRequest
from webhooks.services import finishing, history
from webhooks.services.claims import claim
from webhooks.services.pending import re_request
from webhooks.values import Cause, HistoryKind

WORKER = "a-bot 1.2"
GONE = {"status": "0"}


def test_claimed_says_by_whom_and_when_the_claim_goes_stale(pull, why, running):
    row = pull(processing_state="UPDATED")
    claim(PullRequest, worker=WORKER)
    running.shift(minutes=10)
    answer = why(row)
    assert answer.state is Fate.CLAIMED
    assert answer.sentence == (
        "octo/tools#7 is being worked on by a-bot 1.2, claimed 10 min ago (2026-03-04 09:00:00 UTC), "
        "attempt 1 of 5. If that worker goes silent, the claim is stale in 50 min (2026-03-04 10:00:00 UTC) "
        "and another one takes it over."
    )
    assert hours(running.now, answer.next.at) == pytest.approx(50 / 60)
    assert codes(answer)["claim_holds"] is False


def test_a_claim_by_another_programs_sql_is_a_claim_as_well(pull, why, running):
    row = pull(processing_state="PROCESSING", processing_date=running.now - timedelta(minutes=5))
    answer = why(row)
    assert answer.state is Fate.CLAIMED
    assert "worker without a name" in answer.sentence
    assert "attempt" not in answer.sentence


def test_a_stale_claim_is_taken_over_at_the_next_sweep(pull, why, running):
    row = pull(processing_state="UPDATED")
    claim(PullRequest, worker=WORKER)
    running.shift(minutes=90)
    heartbeat.beat(heartbeat.WORKER)
    answer = why(row)
    assert answer.state is Fate.STALE_CLAIM
    assert answer.sentence == (
        "octo/tools#7 was claimed by a-bot 1.2, which went silent: the claim went stale "
        "30 min ago (2026-03-04 10:00:00 UTC). The bot takes it over within a minute."
    )
    assert answer.next.at == running.now
    assert [one.row.pk for one in claim(PullRequest, worker="another").claims] == [row.pk]


def test_a_stale_claim_without_attempts_left_will_be_listed_as_failed(pull, why, running):
    old = running.now - timedelta(hours=2)
    row = pull(processing_state="PROCESSING", processing_date=old, processing_attempts=5)
    assert "Its 5 attempts are used up, so the bot lists it as failed within a minute." in why(row).sentence
    assert claim(PullRequest, worker=WORKER).failed == (row.pk,)


def test_an_attempt_that_failed_says_its_error_and_the_next_one(pull, why, running):
    row = pull(processing_state="UPDATED")
    (one,) = claim(PullRequest, worker=WORKER).claims
    finishing.fail(one, "Traceback ...\n  File x\nValueError: boom")
    answer = why(row)
    assert answer.state is Fate.RETRYING
    assert answer.sentence == (
        "octo/tools#7 failed in attempt 1 of 5: ValueError: boom. "
        "The next attempt comes in 1 min (2026-03-04 09:01:00 UTC)."
    )
    assert answer.next.at == running.now + timedelta(minutes=1)
    assert codes(answer)["put_off"] is False


def test_failed_for_good_says_the_error_the_attempts_and_its_next_chance(pull, why, running):
    row = pull(processing_state="UPDATED", processing_attempts=4)
    (one,) = claim(PullRequest, worker=WORKER).claims
    finishing.fail(one, "ValueError: boom")
    answer = why(row)
    assert answer.state is Fate.FAILED
    assert (
        "failed just now (2026-03-04 09:00:00 UTC): given up on after 5 attempts: ValueError: boom."
        in answer.sentence
    )
    assert "Its next chance: it was last written" in answer.sentence
    assert hours(running.now, answer.next.at) == 24
    running.shift(days=3)
    heartbeat.beat(heartbeat.WORKER)
    later = why(row)
    assert later.state is Fate.FAILED
    assert "Its next chance: it is due for Idle Retry 1 of 10 and next up." in later.sentence


def test_closed_and_still_pending_says_both(pull, why):
    answer = why(pull(state="CLOSED", processing_state="UPDATED"))
    assert "is closed, and pending (UPDATED)" in answer.sentence
    assert answer.next is not None


def test_a_pending_one_out_of_reach_is_told_how_it_will_end(pull, why):
    factories.InstallationFactory(**GONE)
    answer = why(pull(processing_state="UPDATED"))
    assert (
        "GitHub will refuse: installation gone. The bot then finishes it with that reason." in answer.sentence
    )


def test_throttled_says_until_when_github_wants_to_be_left_alone(pull, why, running):
    until = running.now + timedelta(minutes=30)
    factories.InstallationFactory(throttled_until=until)
    answer = why(pull(processing_state="UPDATED"))
    assert answer.state is Fate.THROTTLED
    assert "throttles its installation until 2026-03-04 09:30:00 UTC (in 30 min)." in answer.sentence
    assert answer.next.at == until
    assert claim(PullRequest, worker=WORKER).claims == ()


def test_put_off_says_until_when_and_why(pull, why, running):
    row = pull(processing_state="UPDATED")
    (one,) = claim(PullRequest, worker=WORKER).claims
    finishing.defer(one, 7200, "the repository's share of the day is used up")
    answer = why(row)
    assert answer.state is Fate.DEFERRED
    assert answer.sentence == (
        "octo/tools#7 was put off: the repository's share of the day is used up. "
        "The bot claims it again in 2 h (2026-03-04 11:00:00 UTC)."
    )
    assert hours(running.now, answer.next.at) == 2


def test_a_missed_event_that_a_sync_healed_is_named_so(pull, why):
    row = pull(processing_state="RE_REQUESTED")
    states = ("PROCESSED", "RE_REQUESTED")
    history.append(
        row.pk, HistoryKind.SYNC, states, reason="a new head was found", cause=Cause(pass_run_id=3)
    )
    answer = why(row)
    assert answer.state is Fate.HEALED
    assert "an Event about it was missed, and a sync healed that (a new head was found)" in answer.sentence
    assert answer.next.what == "The bot claims it"
    assert codes(answer)["missed_event_healed"] is None


def test_next_in_line_names_the_one_whose_closing_woke_it(pull, why):
    row = pull(processing_state="RE_REQUESTED")
    cause = Cause(actor=WORKER, claim_token="a-token")
    states = ("PROCESSED", "RE_REQUESTED")
    history.append(row.pk, HistoryKind.RE_REQUEST, states, reason="next in line after #5", cause=cause)
    answer = why(row)
    assert answer.state is Fate.NEXT_IN_LINE
    assert "it is its repository's next in line after #5." in answer.sentence
    assert answer.next is not None


def test_re_requested_by_a_person_is_pending_with_that_reason(pull, why):
    row = pull(3)
    re_request(PullRequest, [row.pk], actor="ada")
    answer = why(row)
    assert answer.state is Fate.PENDING
    assert (
        "re-requested by ada. Nothing is before it in the queue. The bot claims it within a minute."
        in answer.sentence
    )


def test_pending_says_about_how_many_are_before_it(pull, why, running):
    for _ in range(2):
        factories.PullRequestFactory(processing_state="NEW", updated_at=running.now - timedelta(hours=1))
    answer = why(pull(processing_state="UPDATED"))
    assert "another program made it UPDATED" in answer.sentence
    assert "About 2 pull requests are before it in the queue." in answer.sentence
    assert answer.next.what == "The bot claims what is first in the queue"


def test_more_than_can_be_counted_before_it_is_said_as_more_than(pull, why, running, monkeypatch):
    monkeypatch.setattr("monitor.explain.gather.QUEUE", 2)
    for _ in range(3):
        factories.PullRequestFactory(processing_state="NEW", updated_at=running.now - timedelta(hours=1))
    assert "More than 2 pull requests are before it" in why(pull(processing_state="UPDATED")).sentence


def test_pending_while_the_bot_is_off_says_so_and_promises_nothing(pull, why, setting):
    setting("bot.enabled", "off")
    setting("bot.pause-reason", "the old bot claims")
    answer = why(pull(processing_state="UPDATED"))
    assert answer.state is Fate.NOT_CLAIMED
    assert answer.next is None
    assert answer.sentence.endswith(
        "Our bot does not claim it. The pass bot is switched off (bot.enabled): the old bot claims. "
        "Another program may claim it."
    )
    assert codes(answer)["bot_off"] is False


def test_pending_without_a_configured_app_says_what_is_missing(pull, why, settings):
    settings.GITHUB_APP_ID = ""
    answer = why(pull(processing_state="UPDATED"))
    assert answer.state is Fate.NOT_CLAIMED
    assert codes(answer)["bot_hindered"] is False


def test_a_state_that_no_rule_knows_is_named(why, pull, mariadb):
    row = pull()
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode=''")
        cursor.execute("UPDATE github_pull_requests SET ProcessingState='BOGUS' WHERE Sequence=%s", [row.pk])
        cursor.execute("SET SESSION sql_mode='STRICT_TRANS_TABLES'")
    answer = why(row)
    assert answer.state is Fate.UNREADABLE
    assert "which no rule knows" in answer.sentence
