"""What GitHub itself would refuse, it tells before."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict

_MEANINGS = {
    "blocked": (
        "blocked",
        "GitHub blocks the merge: the branch's rules are not met, a review may be missing.",
    ),
    "behind": ("behind", "The branch's rules want it up to date with its base first."),
    "dirty": ("conflict", "GitHub cannot create the merge commit."),
    "draft": ("draft", "GitHub takes it for a draft."),
}


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse what could only fail: a merge that GitHub will not do is not proposed."""
    meaning = _MEANINGS.get(snapshot.mergeable_state)
    return refused(*meaning) if meaning else None
