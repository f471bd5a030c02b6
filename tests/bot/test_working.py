"""The worker: what it claims, how long, what one bad row does to the others, and who wakes it."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction

from bot import tasks
from bot.handlers import HANDLERS
from bot.passes import BOT
from bot.services import working
from bot.services.reach import Bench
from bot.values import Done, Ending
from core import bell, stopping
from core.functions import ago
from core.models import Bell, Heartbeat, Setting
from core.passes import Verdict, run_pass
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.factories import IssueFactory, PullRequestFactory
from webhooks.models import CLAIMED, Issue, PullRequest, PullRequestLook
from webhooks.services.claims import Claim


def pending(number: int, **columns: Any) -> list[PullRequest]:
    """Store pending pull requests of as many repositories."""
    return [
        PullRequestFactory(processing_state="UPDATED", repository_name=f"r{n}", repository_id=n, **columns)
        for n in range(number)
    ]


def states() -> list[str]:
    return list(PullRequest.objects.order_by("pk").values_list("processing_state", flat=True))


def work_with(handle: Any) -> str:
    return working.work({PullRequest: handle})


def test_every_claimed_table_has_a_handler():
    assert set(HANDLERS) == set(CLAIMED)


def test_it_works_until_nothing_is_left(world: World):
    pending(25)
    said = work_with(lambda claim, bench: Done("seen"))
    assert states() == ["PROCESSED"] * 25
    assert said == "The bot: done 25."
    assert Heartbeat.objects.filter(name="worker").exists()


def test_each_table_gets_its_turn_before_any_gets_a_second_one(world: World):
    pending(25)
    IssueFactory()
    seen: list[str] = []

    def note(claim: Claim, bench: Bench) -> Ending:
        seen.append(claim.model.__name__)
        return Done("seen")

    working.work({PullRequest: note, Issue: note})
    assert seen.index("Issue") == 10


def test_f32_slow_rows_of_one_table_cost_no_other_its_turn(world: World, monkeypatch):
    """GitHub takes 40 s for each: a batch of pull requests alone would use up the whole run, and every other one."""
    rows, issues = pending(10), [IssueFactory() for _ in range(2)]
    passed, seen = [0.0], []

    def slowly(claim: Claim, bench: Bench) -> Ending:
        passed[0] += 40
        seen.append(claim.row)
        return Done("seen")

    monkeypatch.setattr(working, "time", SimpleNamespace(monotonic=lambda: passed[0]))
    working.work({PullRequest: slowly, Issue: slowly})
    assert seen == [*rows[:2], *issues, rows[2]]
    assert states() == ["PROCESSED"] * 3 + ["UPDATED"] * 7
    assert set(PullRequest.objects.values_list("processing_attempts", flat=True)) == {0}


def test_b1_37_one_bad_row_stops_nobody_and_is_tried_again_after_a_pause(world: World, clock: DrivenClock):
    bad = pending(3)[1]

    def handle(claim: Claim, bench: Bench) -> Ending:
        if claim.row.pk == bad.pk:
            raise ZeroDivisionError("of all things")
        return Done("seen")

    work_with(handle)
    assert states() == ["PROCESSED", "UPDATED", "PROCESSED"]
    for minutes in (1, 5, 25, 25):
        bad.refresh_from_db()
        assert bad.not_before == clock.now + timedelta(minutes=minutes)
        work_with(handle)
        clock.shift(minutes=minutes)
        work_with(handle)
    bad.refresh_from_db()
    assert (bad.processing_state, bad.not_before) == ("PROCESSED", None)
    assert "ZeroDivisionError: of all things" in str(bad.processing_error)
    assert told(bad, "fail")[-1][1].startswith("given up on after 5 attempts")


def test_the_setting_says_after_how_many_attempts_it_is_given_up_on(world: World):
    Setting.objects.create(name="bot.max-attempts", value="1")
    (bad,) = pending(1)

    def handle(claim: Claim, bench: Bench) -> Ending:
        raise ZeroDivisionError

    work_with(handle)
    bad.refresh_from_db()
    assert bad.processing_state == "PROCESSED"


def test_what_its_time_does_not_last_for_goes_back_untouched(world: World, monkeypatch: pytest.MonkeyPatch):
    pending(3)
    done: list[int] = []
    monkeypatch.setattr(working.Shift, "is_over", lambda _: bool(done))

    def handle(claim: Claim, bench: Bench) -> Ending:
        done.append(claim.row.pk)
        return Done("seen")

    work_with(handle)
    assert sorted(states()) == ["PROCESSED", "UPDATED", "UPDATED"]
    assert set(PullRequest.objects.values_list("processing_attempts", flat=True)) == {0}


def test_told_to_stop_it_ends_the_row_at_work_and_gives_the_rest_back(world: World, stop_byte: bytearray):
    pending(3)

    def handle(claim: Claim, bench: Bench) -> Ending:
        stopping.ask()
        return Done("seen")

    work_with(handle)
    assert sorted(states()) == ["PROCESSED", "UPDATED", "UPDATED"]


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_when_the_cluster_ends_it_only_the_row_at_work_is_left_behind(world: World, end: type[BaseException]):
    pending(3)

    def handle(claim: Claim, bench: Bench) -> Ending:
        raise end

    with pytest.raises(end):
        work_with(handle)
    assert sorted(states()) == ["PROCESSING", "UPDATED", "UPDATED"]


def test_switched_off_it_claims_nothing(world: World):
    Setting.objects.create(name="bot.enabled", value="off")
    Setting.objects.create(name="bot.pause-reason", value="ours claims")
    pending(2)
    said = work_with(lambda claim, bench: Done("seen"))
    assert said == "The bot: switched off (bot.enabled): ours claims."
    assert states() == ["UPDATED"] * 2


@pytest.mark.parametrize("name", ["GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY"])
def test_without_an_app_it_claims_nothing_and_says_why(world: World, settings: Any, name: str):
    setattr(settings, name, "")
    pending(2)
    assert tasks.work() == f"The bot claims nothing: {name} must be set to talk to GitHub."
    result = run_pass(BOT, force=True)
    assert (result.verdict, result.sentence) == (
        Verdict.PAUSED,
        f"The pass bot cannot run: {name} must be set to talk to GitHub.",
    )
    assert states() == ["UPDATED"] * 2


def test_with_a_key_that_is_none_it_claims_nothing_and_says_why(world: World, settings: Any):
    settings.GITHUB_APP_PRIVATE_KEY = "no key"
    pending(1)
    assert "no private RSA key" in tasks.work()
    assert states() == ["UPDATED"]


# --- who wakes it ----------------------------------------------------------------------------------------


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(bell, "async_task", asked.append)
    return asked


def sweep() -> dict[str, int]:
    result = run_pass(BOT, force=True)
    assert result.run is not None
    return dict(result.run.counters)


def test_the_sweep_rings_for_what_no_bell_announced(
    world: World, rung: list[str], django_capture_on_commit_callbacks: Any
):
    with django_capture_on_commit_callbacks(execute=True):
        assert sweep() == {"tables_waiting": 0, "looks_due": 0}
    assert rung == []
    pending(2)
    with django_capture_on_commit_callbacks(execute=True):
        assert sweep() == {"tables_waiting": 1, "looks_due": 0}
    assert rung == ["bot.tasks.work"]


def test_the_sweep_rings_for_a_stale_claim_and_a_due_look(
    world: World, clock: DrivenClock, rung: list[str], django_capture_on_commit_callbacks: Any
):
    PullRequestFactory(processing_state="PROCESSING", processing_date=clock.now - timedelta(hours=1))
    PullRequestLook.objects.create(pull_request_sequence=1, due_at=clock.now)
    with django_capture_on_commit_callbacks(execute=True):
        assert sweep() == {"tables_waiting": 1, "looks_due": 1}
    assert len(rung) == 1


@pytest.mark.django_db(transaction=True)
def test_f33_the_bell_rings_after_the_commit_and_a_lost_message_is_swept_up(rung: list[str], settings: Any):
    settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = "1", "unused by a sweep"
    with transaction.atomic():
        pending(1)
        bell.ring("bot")
        assert rung == []
    assert rung == ["bot.tasks.work"]
    with pytest.raises(ZeroDivisionError), transaction.atomic():  # noqa: PT012
        pending(1, node_id="PR_rolled_back")
        Bell.objects.update(rung_at=None)
        bell.ring("bot")
        raise ZeroDivisionError
    assert len(rung) == 1
    # The message is lost with its cluster: the bell is answered by nobody, and rung again after a minute.
    Bell.objects.update(rung_at=ago(61))
    sweep()
    assert len(rung) == 2


def test_the_task_answers_its_bell_before_it_works(world: World, monkeypatch: pytest.MonkeyPatch):
    Bell.objects.create(name="bot", rung_at=world.github.clock.now())
    seen: list[Any] = []

    def work_on(_: Any) -> str:
        seen.append(Bell.objects.get().rung_at)
        return ""

    monkeypatch.setattr(tasks, "work_on", work_on)
    tasks.work()
    assert seen == [None]
