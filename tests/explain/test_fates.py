"""Issue 5: of a pull request that nobody works on, the sentence is right and says when something happens next."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.models import PassState
from idle.values import IDLE_AFTER
from monitor.explain.values import Fate
from tests import factories
from tests.explain.conftest import codes, hours
from webhooks.models import PullRequestLook
from webhooks.services import history
from webhooks.values import HistoryKind


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


@pytest.mark.parametrize("title", ["Fix (HELD)", "(held) fix", "fix (Held) it"])
def test_held_says_what_is_left_undone_and_what_goes_on(pull, why, running, title):
    answer = why(pull(2, title=title, idle_retry_count=2))
    assert answer.state is Fate.HELD
    assert answer.sentence.startswith("octo/tools#7 is held: its title says (HELD), so it is neither")
    assert answer.sentence.endswith("the next one falls due in 1 d (2026-03-05 09:00:00 UTC).")
    assert hours(running.now, answer.next.at) == 24


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


def test_the_healing_is_still_told_when_it_is_processed(pull, why):
    row = pull()
    history.append(row.pk, HistoryKind.SYNC, ("", "NEW"), reason="found on GitHub")
    history.append(row.pk, HistoryKind.FINALIZE, ("PROCESSING", "PROCESSED"), reason="done")
    assert "missed_event_healed" in codes(why(row))


def test_a_look_that_comes_sooner_is_what_happens_next(pull, why, running):
    row = pull(2, idle_retry_count=2)
    PullRequestLook.objects.create(pull_request_sequence=row.pk, due_at=running.now + timedelta(seconds=30))
    answer = why(row)
    assert answer.state is Fate.WAITING
    assert answer.next.what == "A check has finished, so it is looked at again"
    assert "Before that: A check has finished" in answer.sentence
