"""Comments at work: who may command, what each command does, and that it is done once."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Setting
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.github_app import REPOSITORY
from tests.webhooks.hook import SLUG
from webhooks.models import Comment, PullRequest, PullRequestLook


@pytest.fixture
def row(world: World) -> PullRequest:
    world.changes.permit(REPOSITORY, "Mira", "write")
    world.changes.permit(REPOSITORY, "reader", "read")
    return world.row(processing_state="PROCESSED", idle_retry_count=4)


def say(world: World, text: str, *, by: str = "mira", number: int = 1) -> int:
    """Comment on GitHub, receive the Event, work, and return the comment's id."""
    comment_id: int = world.changes.comment(REPOSITORY, number, text, by=by)
    world.deliver()
    world.work()
    assert Comment.objects.get(comment_id=comment_id).processing_state == "PROCESSED"
    return comment_id


def reactions(world: World, comment_id: int) -> dict[str, int]:
    found = world.github.state.comments[comment_id].reactions
    return {reaction: len(logins) for reaction, logins in found.items()}


def answers(world: World) -> list[str]:
    """Return what our bot has written below pull requests."""
    return [one.text for one in world.github.state.comments.values() if one.login == f"{SLUG}[bot]"]


def test_retry_makes_the_pull_request_pending_and_starts_its_idle_retries_afresh(
    world: World, row: PullRequest
):
    comment_id = say(world, f"@{SLUG} retry")
    assert told(row, "re_request") == [("re_request", "re-requested by mira")]
    assert PullRequest.objects.get().idle_retry_count == 0
    assert reactions(world, comment_id) == {"+1": 1}
    assert [one.path.rpartition("/")[2] for one in world.writes()] == ["reactions"]


def test_hold_and_unhold_write_the_title_and_their_echo_wakes_nobody(world: World, row: PullRequest):
    title = world.pull().title
    say(world, f"@{SLUG} hold")
    assert world.pull().title == f"{title} (HELD)"
    world.deliver()
    stored = PullRequest.objects.get()
    assert (stored.title, stored.processing_state, stored.idle_retry_count) == (
        f"{title} (HELD)",
        "PROCESSED",
        4,
    )
    assert PullRequestLook.objects.get().pull_request_sequence == row.pk
    say(world, f"@{SLUG} hold")
    assert world.pull().title == f"{title} (HELD)"
    say(world, f"@{SLUG} unhold")
    assert world.pull().title == title
    assert [one.verb for one in world.writes()].count("PATCH") == 2


def test_a_hold_that_does_not_fit_is_refused_in_a_comment(world: World, row: PullRequest):
    world.changes.edit_pull_request(REPOSITORY, 1, title="x" * 255)
    comment_id = say(world, f"@{SLUG} hold")
    assert reactions(world, comment_id) == {"-1": 1}
    (answer,) = answers(world)
    assert "leaves no room" in answer
    assert world.pull().title == "x" * 255


def test_update_branch_updates_it(world: World, row: PullRequest):
    world.changes.move_base(REPOSITORY)
    comment_id = say(world, f"@{SLUG} update branch")
    assert world.github.state.standing(REPOSITORY, 1).behind == 0
    assert told(row, "branch_update") == [("branch_update", "branch updated: it was 1 commit behind main")]
    assert reactions(world, comment_id) == {"+1": 1}


def test_help_is_answered_once_however_often_the_row_is_worked_on(
    world: World, row: PullRequest, clock: DrivenClock
):
    comment_id = say(world, f"@{SLUG} help")
    Comment.objects.update(processing_state="RE_REQUESTED", updated_at=clock.now)
    world.work()
    assert len(answers(world)) == 1
    assert "update branch" in answers(world)[0]
    assert reactions(world, comment_id) == {"+1": 1}


def test_f21_our_own_answer_is_an_echo_and_no_command(world: World, row: PullRequest):
    say(world, f"@{SLUG} help")
    world.deliver()
    own = Comment.objects.get(comment_sender=f"{SLUG}[bot]")
    assert (own.processing_state, own.processing_attempts) == ("PROCESSED", 0)
    before = len(world.writes())
    world.work()
    assert len(world.writes()) == before


def test_f21_our_own_comment_is_no_command_even_when_its_event_is_taken_for_a_persons(
    world: World, row: PullRequest, clock: DrivenClock
):
    say(world, f"@{SLUG} help")
    world.deliver()
    Comment.objects.update(processing_state="UPDATED", comment_body=f"@{SLUG} retry", updated_at=clock.now)
    Comment.objects.exclude(comment_sender=f"{SLUG}[bot]").delete()
    world.work()
    assert told(row, "re_request") == []


@pytest.mark.parametrize("login", ["reader", "stranger", "dependabot[bot]"])
def test_who_may_not_write_may_not_command(world: World, row: PullRequest, login: str):
    say(world, f"@{SLUG} retry", by=login)
    assert told(row) == []
    assert world.writes() == []


@pytest.mark.parametrize("text", ["Looks good.", f"> @{SLUG} retry", f"I asked @{SLUG} retry"])
def test_other_comments_are_acknowledged_without_asking_anybody(world: World, row: PullRequest, text: str):
    say(world, text)
    assert world.github.log == []


def test_what_is_not_understood_is_said_so(world: World, row: PullRequest):
    comment_id = say(world, f"@{SLUG} merge this")
    assert reactions(world, comment_id) == {"confused": 1}
    assert answers(world) == []


@pytest.mark.parametrize("command", ["hold", "update branch"])
def test_a_closed_pull_request_is_not_changed_any_more(world: World, row: PullRequest, command: str):
    world.changes.close_pull_request(REPOSITORY, 1)
    world.github.hook.flush()
    world.work()
    comment_id = say(world, f"@{SLUG} {command}")
    assert reactions(world, comment_id) == {"-1": 1}
    assert len(answers(world)) == 1


def test_a_dry_run_sends_nothing(world: World, row: PullRequest):
    Setting.objects.create(name="bot.dry-run", value="on")
    world.changes.move_base(REPOSITORY)
    for command in ("help", "hold", "unhold", "update branch", "retry", "dance"):
        say(world, f"@{SLUG} {command}")
    assert world.writes() == []


def test_a_command_in_the_days_last_hour_waits_for_its_share(
    world: World, row: PullRequest, clock: DrivenClock
):
    Setting.objects.create(name="bot.branch-updates-per-day", value="1")
    world.row(2)
    world.changes.move_base(REPOSITORY)
    world.work()
    comment_id = world.changes.comment(REPOSITORY, 1, f"@{SLUG} update branch", by="mira")
    world.deliver()
    world.work()
    comment: Any = Comment.objects.get(comment_id=comment_id)
    assert comment.not_before.hour == 0
    clock.move_to(comment.not_before)
    world.work()
    assert world.github.state.standing(REPOSITORY, 1).behind == 0


def test_a_comment_deleted_meanwhile_is_obeyed_all_the_same(world: World, row: PullRequest):
    comment_id = world.changes.comment(REPOSITORY, 1, f"@{SLUG} retry", by="mira")
    del world.github.state.comments[comment_id]
    world.deliver()
    world.work()
    stored = Comment.objects.get(comment_id=comment_id)
    assert (stored.processing_state, stored.processing_error) == ("PROCESSED", None)
    assert len(told(row, "re_request")) == 1


def test_a_row_of_another_program_obeys_as_well(world: World, row: PullRequest):
    PullRequest.objects.update(repository_id=None, updated_at=row.updated_at)
    say(world, f"@{SLUG} retry")
    assert len(told(row, "re_request")) == 1
