"""What is to be put right about a pull request, and whether it is merged: one look at GitHub's facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from githubapi.evidence import CLEAN_STATES, weigh, why_green, why_not_green
from githubapi.pull_values import OwnPullRequest
from githubapi.values import HeadChecks
from submissions.values import Wanted
from webhooks.holds import is_held


class Way(StrEnum):
    """Where an item goes from here."""

    COMPLETE = "complete"
    CANCEL = "cancel"
    MERGE = "merge"
    WAIT = "wait"
    ASK_AGAIN = "ask again"


@dataclass(frozen=True, slots=True)
class Verdict:
    way: Way
    reason: str


@dataclass(frozen=True, slots=True)
class Corrections:
    """What differs from what was submitted: members of the pull request, labels that it lacks."""

    members: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


def decide_end(seen: OwnPullRequest, *, emptied: bool) -> Verdict | None:
    """Return how a pull request that is no longer open has ended, None for an open one.

    `emptied`: we were about to close it because nothing was left to be changed.
    """
    facts = seen.detail.facts
    if facts.state == "open":
        return None
    if facts.merged or emptied:
        return Verdict(
            Way.COMPLETE, f"#{facts.number} is {'merged' if facts.merged else 'closed, being empty'}"
        )
    return Verdict(Way.CANCEL, f"#{facts.number} was closed without merging")


def corrections(wanted: Wanted, seen: OwnPullRequest) -> Corrections:
    """Compare with what was submitted. A person's hold in the title stays; labels of others stay."""
    facts = seen.detail.facts
    members = {
        "title": (wanted.title, wanted.title if is_held(facts.title) else facts.title),
        # GitHub keeps line ends as browsers send them.
        "body": (wanted.body, seen.body.replace("\r\n", "\n")),
        "base": (wanted.base_branch, facts.base_ref),
    }
    has = {label.casefold() for label in seen.detail.labels}
    return Corrections(
        members={name: want for name, (want, is_) in members.items() if want != is_},
        labels=tuple(label for label in wanted.labels if label.casefold() not in has),
    )


def why_not_merge(wanted: Wanted, seen: OwnPullRequest, head_sha: str) -> Verdict | None:
    """Return why it is not merged now, as far as the pull request itself says; None = its checks decide.

    `head_sha`: the head that was submitted, or that the base was merged into since.
    """
    facts, detail = seen.detail.facts, seen.detail
    waits = (
        (not wanted.options.merge_when_ready, "merging was not asked for"),
        (facts.draft, "it is a draft"),
        (is_held(facts.title), "it is held"),
        (facts.head_sha != head_sha, "its head is not the commit that was submitted"),
        (detail.mergeable is False, "it conflicts with its base"),
    )
    for applies, reason in waits:
        if applies:
            return Verdict(Way.WAIT, reason)
    if detail.mergeable is None:
        return Verdict(Way.ASK_AGAIN, "GitHub does not say yet whether it can be merged")
    if detail.mergeable_state not in CLEAN_STATES:
        return Verdict(Way.WAIT, f"GitHub calls it {detail.mergeable_state}")
    return None


def judge_checks(checks: HeadChecks) -> Verdict:
    """Judge both of GitHub's check systems (field cases F01, F02): nothing reported is no good news."""
    found = weigh(checks)
    if why := why_not_green(found):
        return Verdict(Way.WAIT, why)
    return Verdict(Way.MERGE, why_green(found))
