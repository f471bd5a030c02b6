"""What is to be done with an open pull request."""

from __future__ import annotations

from bot.values import Next, Readiness, Step, Verdict
from githubapi.evidence import CLEAN_STATES, weigh, why_green, why_not_green
from githubapi.values import BranchUpdate, HeadChecks, PullRequestDetail, UpdateOutcome
from webhooks.holds import is_held

NEW_HEAD = Verdict(Readiness.NOT_READY, "its new head has not been checked yet")


def why_not_updatable(detail: PullRequestDetail) -> str:
    """Return why GitHub would refuse to update the branch, "" if nothing speaks against it."""
    if detail.facts.head_repository_id is None:
        return "its branch cannot be updated: the fork is gone"
    if detail.mergeable is False:
        return "its branch cannot be updated: it conflicts with its base"
    return ""


def decide_update(base_ref: str, behind_by: int) -> Step | None:
    """Return the step when the branch is up to date; None = update it."""
    return None if behind_by > 0 else Step(Next.GO_ON, f"up to date with {base_ref}")


def used_up(limit: int) -> Step:
    """Return the step when a repository's branch updates of this day are used up."""
    return Step(Next.TOMORROW, f"all {limit} branch updates of this repository used today")


def dry_run(base_ref: str, behind_by: int) -> Step:
    return Step(Next.GO_ON, f"dry run: would update its branch, {behind(base_ref, behind_by)}")


def after_update(answer: BranchUpdate, base_ref: str, behind_by: int) -> Step:
    """Return what follows GitHub's answer to a branch update (field case F24: four answers, none of them an error)."""
    match answer.outcome:
        case UpdateOutcome.ACCEPTED:
            return Step(Next.WAIT_FOR_NEW_HEAD, f"branch updated: it was {behind(base_ref, behind_by)}")
        case UpdateOutcome.NOTHING_TO_UPDATE:
            return Step(Next.GO_ON, f"GitHub has nothing to update: it contains {base_ref} already")
        case UpdateOutcome.HEAD_MOVED:
            return Step(Next.JUDGE_AGAIN, "branch not updated: its head moved meanwhile")
        case UpdateOutcome.REFUSED:
            return Step(
                Next.GO_ON, f"branch not updated: GitHub refuses ({answer.message or 'no reason given'})"
            )


def behind(base_ref: str, behind_by: int) -> str:
    """Return the words for a branch that lacks commits of its base."""
    return f"{behind_by} commit{'s' if behind_by > 1 else ''} behind {base_ref}"


def why_not_ready(detail: PullRequestDetail) -> Verdict | None:
    """Return the verdict as far as the pull request itself gives one; None = its checks decide."""
    if detail.facts.draft:
        return Verdict(Readiness.NOT_READY, "it is a draft")
    if is_held(detail.facts.title):
        return Verdict(Readiness.NOT_READY, "it is held")
    if detail.mergeable is None:
        return Verdict(Readiness.UNKNOWN, "GitHub does not say yet whether it can be merged")
    if not detail.mergeable:
        return Verdict(Readiness.NOT_READY, "it conflicts with its base")
    if detail.mergeable_state not in CLEAN_STATES:
        return Verdict(Readiness.NOT_READY, f"GitHub calls it {detail.mergeable_state}")
    return None


def judge_checks(checks: HeadChecks) -> Verdict:
    """Judge both of GitHub's check systems (field cases F01, F02): nothing reported is no good news."""
    found = weigh(checks)
    if why := why_not_green(found):
        return Verdict(Readiness.NOT_READY, why)
    return Verdict(Readiness.READY, f"ready to merge: {why_green(found)}")
