"""What a refused branch update means: pure."""

from __future__ import annotations

from githubapi.errors import Forbidden, Permanent
from githubapi.values import BranchUpdate, UpdateOutcome

# GitHub tells its refusals apart by words alone. The first part found decides.
_MEANINGS = {
    "no new commits": UpdateOutcome.NOTHING_TO_UPDATE,
    "expected head sha": UpdateOutcome.HEAD_MOVED,
    "expected_head_sha": UpdateOutcome.HEAD_MOVED,
}


def outcome_of(error: Forbidden | Permanent) -> BranchUpdate:
    """Return the outcome that an error stands for; raises it again when it is about us and not about the branch.

    The App without the permission (field case F10) and a repository taken down are no verdict on a branch.
    """
    message = error.sentence.partition(": ")[2]
    words = message.lower()
    if error.reason == "unprocessable":
        return BranchUpdate(_meaning(words), message)
    if error.reason == "forbidden" and "not accessible by integration" not in words:
        return BranchUpdate(UpdateOutcome.REFUSED, message)
    raise error


def _meaning(words: str) -> UpdateOutcome:
    return next((meaning for part, meaning in _MEANINGS.items() if part in words), UpdateOutcome.REFUSED)
