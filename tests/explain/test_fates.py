"""Issue 5: the explanation of every fate is a right sentence, and says when something happens next."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from core import heartbeat
from core.models import PassState
from idle.values import IDLE_AFTER
from monitor.explain.values import Fate
from tests import factories
from tests.explain.conftest import codes, hours
from webhooks.models import PullRequest, PullRequestLook
from webhooks.services import finishing, history
from webhooks.services.claims import claim
from webhooks.services.pending import re_request
from webhooks.values import Cause, HistoryKind

WORKER = "a-bot 1.2"


def test_waiting_says_how_many_retries_it_had_and_when_the_next_falls_due(pull, why, running):
    answer = why(pull(2, idle_retry_count=2))
    assert answer.state is Fate.WAITING
    assert answer.sentence == (
        "octo/tools#7 waits: it had 2 of 10 Idle Retries, "
        "and the next one falls due in 1 d (2026-03-05 09:00:00 UTC)."
    )
    assert answer.next.what == "Idle Retry 3 of 10 falls due"
    assert hours(running.now, answer.next.at) == 24
    assert answer.since == running.now - timedelta(days=2)
    assert codes(answer)["wait_goes_on"] is False
    assert codes(answer)["retries_left"] is True


def test_due_and_next_up_gets_its_retry_at_the_next_run(pull, why, running):
    row = pull(5)
    answer = why(row)
    assert answer.state is Fate.DUE
    assert (
        answer.sentence
        == "octo/tools#7 is due for Idle Retry 1 of 10 and next up. It gets it within a minute."
    )
    assert answer.next.at == running.now
    assert answer.since == running.now - timedelta(days=4)
    assert codes(answer)["first_in_line"] is True
    PassState.objects.create(name="idle", last_started_at=running.now - timedelta(minutes=20))
    later = why(row)
    assert "It gets it in 40 min (2026-03-04 09:40:00 UTC)." in later.sentence
    assert later.next.at == running.now + timedelta(minutes=40)


def test_due_third_in_line_waits_one_hour_for_each_before_it(pull, why, running):
    for number, name in enumerate(("alpha", "beta")):
        factories.PullRequestFactory(
            repository_name=name, updated_at=running.now - timedelta(days=9 - number), number=1
        )
    answer = why(pull(5))
    assert answer.sentence == (
        "octo/tools#7 is due for Idle Retry 1 of 10 and 3rd in line (1 every 1 h). "
        "It gets it in about 2 h (2026-03-04 11:00:00 UTC)."
    )
    assert hours(running.now, answer.next.at) == 2
    assert codes(answer)["behind_others"] is False


def test_the_place_in_line_goes_by_the_settings_of_the_pass(pull, why, running, setting):
    factories.PullRequestFactory(repository_name="alpha", updated_at=running.now - timedelta(days=9))
    row = pull(5)
    setting("idle.interval-minutes", "15")
    assert hours(running.now, why(row).next.at) == 0.25
    setting("idle.retries-per-run", "2")
    assert hours(running.now, why(row).next.at) == 0


def test_far_down_the_line_it_says_not_before(pull, why, running, monkeypatch):
    monkeypatch.setattr("monitor.explain.gather.PLACES", 2)
    for number in range(3):
        old = running.now - timedelta(days=9)
        factories.PullRequestFactory(repository_name=f"r{number}", updated_at=old)
    answer = why(pull(5))
    assert "behind at least 2 others in line" in answer.sentence
    assert "It does not get it before 2026-03-04 11:00:00 UTC (in 2 h)." in answer.sentence
    assert hours(running.now, answer.next.at) == 2


def test_due_while_the_pass_is_paused_says_why_nobody_is_served(pull, why, setting):
    setting("idle.enabled", "off")
    setting("idle.pause-reason", "night shift")
    answer = why(pull(5))
    assert answer.state is Fate.DUE
    assert answer.next is None
    assert answer.sentence.endswith(
        "nobody is served now. The pass idle is switched off (idle.enabled): night shift."
    )
    assert codes(answer)["pass_paused"] is False


def test_a_silent_worker_is_said_and_nothing_is_promised(pull, why, running):
    row = pull(5)
    running.shift(hours=2)
    answer = why(row)
    assert answer.next is None
    assert "The worker is silent (it was last heard 2 h ago)" in answer.sentence
    assert codes(answer)["worker_silent"] is False


def test_gave_up_says_so_and_who_can_wake_it(pull, why, running):
    answer = why(pull(60, idle_retry_count=10))
    assert answer.state is Fate.GAVE_UP
    assert answer.sentence == (
        "octo/tools#7 was given up on: all 10 Idle Retries are used up, and it was not touched for 60 d. "
        "Only an Event or a person wakes it."
    )
    assert answer.next is None
    assert codes(answer)["retries_used_up"] is False


def test_a_fresh_one_counts_as_idle_a_day_after_its_last_write(pull, why, running):
    row = pull(0.25)
    answer = why(row)
    assert answer.state is Fate.RESTING
    assert "Without an Event it counts as idle in 18 h (2026-03-05 03:00:00 UTC)." in answer.sentence
    running.move_to(answer.next.at - timedelta(seconds=1))
    assert why(row).state is Fate.RESTING
    running.shift(seconds=1)
    assert why(row).state is Fate.DUE
    assert timedelta(days=1) == IDLE_AFTER


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


@pytest.mark.parametrize("title", ["Fix (HELD)", "(held) fix", "fix (Held) it"])
def test_held_says_what_is_left_undone_and_what_goes_on(pull, why, running, title):
    answer = why(pull(2, title=title, idle_retry_count=2))
    assert answer.state is Fate.HELD
    assert answer.sentence.startswith("octo/tools#7 is held: its title says (HELD), so it is neither")
    assert answer.sentence.endswith("the next one falls due in 1 d (2026-03-05 09:00:00 UTC).")
    assert hours(running.now, answer.next.at) == 24


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


@pytest.mark.parametrize("merged, word", [(True, "was merged"), (False, "was closed without being merged")])
def test_closed_or_merged_says_that_nothing_more_happens(pull, why, running, merged, word):
    done = running.now - timedelta(hours=3)
    answer = why(pull(40, state="CLOSED", merged=merged, closed_handled_date=done))
    assert answer.state is (Fate.MERGED if merged else Fate.CLOSED)
    assert (
        f"octo/tools#7 {word} 3 h ago (2026-03-04 06:00:00 UTC). Nothing more happens to it"
        in answer.sentence
    )
    assert answer.next is None
    assert answer.since == done
    assert codes(answer)["not_open"] is False


def test_closed_and_still_pending_says_both(pull, why):
    answer = why(pull(state="CLOSED", processing_state="UPDATED"))
    assert "is closed, and pending (UPDATED)" in answer.sentence
    assert answer.next is not None


GONE = {"status": "0"}
OUT_OF_REACH = [
    ({"archived": True}, {}, "repository archived"),
    ({"last_action": "deleted"}, {}, "repository removed"),
    ({"installation_action": "removed"}, {}, "repository removed"),
    ({}, GONE, "installation gone"),
    ({}, GONE | {"suspended_date": "2026-03-01T00:00:00Z"}, "installation suspended"),
]


@pytest.mark.parametrize("repository, installation, reason", OUT_OF_REACH)
def test_out_of_reach_says_why_and_is_not_promised_a_retry(pull, why, repository, installation, reason):
    factories.RepositoryFactory(**repository)
    factories.InstallationFactory(**installation)
    answer = why(pull(5))
    assert answer.state is Fate.OUT_OF_REACH
    assert f"is out of reach ({reason}" in answer.sentence
    assert "so the idle pass skips it" in answer.sentence
    assert answer.next is None
    assert codes(answer)["out_of_reach"] is False


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


def test_the_healing_is_still_told_when_it_is_processed(pull, why):
    row = pull()
    history.append(row.pk, HistoryKind.SYNC, ("", "NEW"), reason="found on GitHub")
    history.append(row.pk, HistoryKind.FINALIZE, ("PROCESSING", "PROCESSED"), reason="done")
    assert "missed_event_healed" in codes(why(row))


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


def test_a_look_that_comes_sooner_is_what_happens_next(pull, why, running):
    row = pull(2, idle_retry_count=2)
    PullRequestLook.objects.create(pull_request_sequence=row.pk, due_at=running.now + timedelta(seconds=30))
    answer = why(row)
    assert answer.state is Fate.WAITING
    assert answer.next.what == "A check has finished, so it is looked at again"
    assert "Before that: A check has finished" in answer.sentence
