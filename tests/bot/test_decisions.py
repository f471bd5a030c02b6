"""The decisions of the bot, as tables."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.decisions import commands, pulls
from bot.decisions.endings import ending_of
from bot.values import Command, Failed, GithubDown, Moved, NewTitle, Next, Readiness, Throttled
from githubapi import errors
from githubapi.values import (
    BranchUpdate,
    CheckRun,
    CommitStatus,
    HeadChecks,
    PullRequestDetail,
    PullRequestFacts,
    UpdateOutcome,
)

ROOT = Path(__file__).resolve().parents[2]
AT = datetime(2026, 3, 1, tzinfo=UTC)
FACTS = {
    "id": 1,
    "node_id": "PR_1",
    "number": 5,
    "repository_id": 7,
    "title": "A lamp",
    "state": "open",
    "merged": False,
    "draft": False,
    "auto_merge_enabled": False,
    "author_login": "alice",
    "head_ref": "lamp",
    "head_sha": "a" * 40,
    "head_repository_id": 7,
    "base_ref": "main",
    "base_sha": "b" * 40,
    "created_at": AT,
    "updated_at": AT,
    "closed_at": None,
}


def detail(
    *, mergeable: bool | None = True, mergeable_state: str = "clean", **facts: object
) -> PullRequestDetail:
    return PullRequestDetail(
        facts=PullRequestFacts(**FACTS | facts),
        labels=(),
        mergeable=mergeable,
        mergeable_state=mergeable_state,
    )


def checks(*runs: str | None, statuses: tuple[str, ...] = ()) -> HeadChecks:
    """Return checks by conclusion (None = still running) and by state."""
    return HeadChecks(
        runs=tuple(
            CheckRun(id=n, name=f"run {n}", status="completed" if one else "in_progress", conclusion=one)
            for n, one in enumerate(runs)
        ),
        statuses=tuple(CommitStatus(context=f"status {n}", state=one) for n, one in enumerate(statuses)),
    )


def test_b1_3_no_handler_names_the_state_a_row_was_claimed_in():
    handlers = list((ROOT / "bot" / "handlers").glob("*.py")) + list(
        (ROOT / "bot" / "decisions").glob("*.py")
    )
    assert len(handlers) > 5
    for file in handlers:
        text = file.read_text(encoding="utf-8")
        assert not {"processing_state", "ProcessingState", "claimed_from"} & set(re.findall(r"\w+", text)), (
            file
        )


# --- the branch ------------------------------------------------------------------------------------------


def test_a_branch_is_updated_when_it_lacks_a_commit_of_its_base():
    assert pulls.decide_update("main", 1) is None
    assert pulls.decide_update("main", 0).next is Next.GO_ON


@pytest.mark.parametrize(
    "outcome,following",
    [
        (UpdateOutcome.ACCEPTED, Next.WAIT_FOR_NEW_HEAD),
        (UpdateOutcome.NOTHING_TO_UPDATE, Next.GO_ON),
        (UpdateOutcome.HEAD_MOVED, Next.JUDGE_AGAIN),
        (UpdateOutcome.REFUSED, Next.GO_ON),
    ],
)
def test_f24_what_follows_each_answer_to_a_branch_update(outcome, following):
    assert pulls.after_update(BranchUpdate(outcome, "words"), "main", 2).next is following


@pytest.mark.parametrize(
    "of,updatable",
    [
        (detail(), True),
        (detail(mergeable=None), True),
        (detail(mergeable=False), False),
        (detail(head_repository_id=None), False),
        (detail(draft=True), True),
    ],
)
def test_what_github_would_refuse_for_certain_is_not_tried(of, updatable):
    assert (pulls.why_not_updatable(of) == "") is updatable


# --- ready -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "of,readiness",
    [
        (detail(draft=True, mergeable=None), Readiness.NOT_READY),
        (detail(title="A lamp (HELD)"), Readiness.NOT_READY),
        (detail(title="(held) A lamp"), Readiness.NOT_READY),
        (detail(mergeable=None, mergeable_state="unknown"), Readiness.UNKNOWN),
        (detail(mergeable=False, mergeable_state="dirty"), Readiness.NOT_READY),
        (detail(mergeable_state="blocked"), Readiness.NOT_READY),
        (detail(mergeable_state="behind"), Readiness.NOT_READY),
        (detail(mergeable_state="unstable"), Readiness.NOT_READY),
    ],
)
def test_what_is_not_ready_whatever_its_checks_say(of, readiness):
    assert pulls.why_not_ready(of).readiness is readiness


@pytest.mark.parametrize("state", ["clean", "has_hooks"])
def test_otherwise_its_checks_decide(state):
    assert pulls.why_not_ready(detail(mergeable_state=state)) is None


@pytest.mark.parametrize(
    "of,ready",
    [
        (checks(), False),
        (checks("success"), True),
        (checks("success", "neutral", "skipped"), True),
        (checks("neutral", "skipped"), False),
        (checks(statuses=("success",)), True),
        (checks(None, statuses=("success",)), False),
        (checks("success", statuses=("pending",)), False),
        (checks("success", statuses=("error",)), False),
        (checks(*["success"] * 33, "failure", "success"), False),
        (checks("success", "cancelled"), False),
        (checks("success", "a conclusion of next year"), False),
    ],
)
def test_f01_f02_both_check_systems_count_and_silence_is_no_good_news(of, ready):
    assert (pulls.judge_checks(of).readiness is Readiness.READY) is ready


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error,kind,permanent",
    [
        (errors.Throttled("primary_rate_limit", "slow down", AT, timedelta(minutes=55)), Throttled, None),
        (errors.Transient("server_error", "502"), GithubDown, None),
        (errors.Moved("moved", "elsewhere", "/repositories/9", 9), Moved, None),
        (errors.Gone("not_found", "404"), Failed, True),
        (errors.Gone("no_installation", "404"), Failed, True),
        (errors.Forbidden("forbidden", "403"), Failed, True),
        (errors.Suspended("suspended", "403"), Failed, True),
        (errors.Disabled("disabled", "410"), Failed, True),
        (errors.Permanent("bad_credentials", "401"), GithubDown, None),
        (errors.Permanent("unprocessable", "422"), Failed, False),
    ],
)
def test_f10_what_each_error_of_github_means_for_the_row(error, kind, permanent):
    ending = ending_of(error)
    assert type(ending) is kind
    assert getattr(ending, "permanent", None) is permanent


def test_f10_a_throttle_lasts_as_long_as_github_says():
    wait = timedelta(seconds=59, milliseconds=200)
    assert ending_of(errors.Throttled("secondary_rate_limit", "slow down", AT, wait)).seconds == 60


# --- commands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text,found",
    [
        ("@keeper help", Command.HELP),
        ("  @Keeper  RETRY!", Command.RETRY),
        ("@keeper[bot] hold", Command.HOLD),
        ("@keeper, unhold.", Command.UNHOLD),
        ("Thanks.\r\n@keeper update   branch\r\nBye", Command.UPDATE_BRANCH),
        ("@keeper hold\n@keeper unhold", Command.HOLD),
        ("@keeper merge", "merge"),
        ("@keeper", ""),
        ("please @keeper hold", None),
        ("> @keeper hold", None),
        ("`@keeper hold`", None),
        ("@keepers hold", None),
        ("@keeper-two hold", None),
        ("hold", None),
        ("", None),
    ],
)
def test_a_command_stands_at_the_start_of_a_line_and_is_the_whole_line(text, found):
    assert commands.find_command(text, "keeper") == found


def test_without_a_slug_nobody_can_be_addressed():
    assert commands.find_command("@ help", "") is None


@pytest.mark.parametrize(
    "login,ours", [("keeper[bot]", True), ("Keeper[BOT]", True), ("dependabot[bot]", False)]
)
def test_f21_only_our_own_bot_is_ours(login, ours):
    assert commands.is_our_bot(login, "keeper") is ours
    assert not commands.is_our_bot("[bot]", "")


@pytest.mark.parametrize(
    "before,after",
    [
        ("A lamp", "A lamp (HELD)"),
        ("A lamp (held)", None),
        ("x" * 249, f"{'x' * 249} (HELD)"),
        ("x" * 250, None),
    ],
)
def test_a_hold_is_written_into_the_title_once_and_only_if_it_fits(before, after):
    assert commands.held_title(before).title == after
    assert commands.held_title(before).fits is (len(before) < 250)


@pytest.mark.parametrize(
    "before,after",
    [
        ("A lamp (HELD)", "A lamp"),
        ("A (Held) lamp", "A lamp"),
        ("A lamp(HELD) (held)", "A lamp"),
        ("A lamp", None),
    ],
)
def test_the_end_of_a_hold_takes_every_mark_away(before, after):
    new = commands.released_title(before)
    assert isinstance(new, NewTitle)
    assert new.title == after


def test_a_title_that_is_nothing_but_the_mark_is_not_emptied():
    assert commands.released_title("(HELD)").title == "(HELD)"


def test_the_help_names_every_command():
    assert all(f"@keeper {command}`" in commands.help_text("keeper") for command in Command)
