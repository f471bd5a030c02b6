"""What GitHub's answer to a merge means: pure.

https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request
"""

from __future__ import annotations

from githubapi.errors import Forbidden, GithubError, Permanent
from githubapi.merging_values import MergeAnswer, MergeOutcome

NOT_ALLOWED = "http_405"

# A 405 is told apart by words alone. The first part found decides.
_MEANINGS = {
    "base branch was modified": MergeOutcome.BASE_MOVED,
    "head branch was modified": MergeOutcome.HEAD_MOVED,
    "merge queue": MergeOutcome.QUEUE_DEMANDED,
}


def outcome_of(error: Forbidden | Permanent) -> MergeAnswer:
    """Return the outcome that an error stands for; raises it again when it is about us and not about the pull request.

    The App without the permission (field case F10) and a repository taken down are no verdict on a merge.
    """
    message = error.sentence.partition(": ")[2]
    words = message.lower()
    if error.reason == "conflict":
        return MergeAnswer(MergeOutcome.HEAD_MOVED, message)
    if error.reason in {NOT_ALLOWED, "unprocessable"} or _is_verdict(error, words):
        return MergeAnswer(_meaning(words), message)
    raise error


def _is_verdict(error: GithubError, words: str) -> bool:
    return error.reason == "forbidden" and "not accessible by integration" not in words


def _meaning(words: str) -> MergeOutcome:
    return next((meaning for part, meaning in _MEANINGS.items() if part in words), MergeOutcome.REFUSED)
