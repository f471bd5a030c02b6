"""What refused writes of Git's data and of pull requests mean: pure.

https://docs.github.com/en/rest/git/refs and https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request
"""

from __future__ import annotations

from githubapi.errors import GithubError, Gone, Permanent
from githubapi.git_values import RefAnswer, RefOutcome
from githubapi.pull_values import OpenAnswer, OpenOutcome

# GitHub tells its refusals apart by words alone. The first part found decides.
_REFS = {
    "reference already exists": RefOutcome.EXISTS,
    "reference does not exist": RefOutcome.GONE,
    "not a fast forward": RefOutcome.NOT_FAST_FORWARD,
}
_OPENINGS = {
    "a pull request already exists": OpenOutcome.EXISTS,
    "no commits between": OpenOutcome.NO_COMMITS,
}


def ref_answer(error: GithubError) -> RefAnswer:
    """Return the answer that a refused branch write stands for; raises it again when it says nothing of the branch."""
    words = message_of(error)
    if isinstance(error, Permanent) and error.reason == "unprocessable":
        meaning = next(
            (meaning for part, meaning in _REFS.items() if part in words.lower()), RefOutcome.REFUSED
        )
        return RefAnswer(meaning, words)
    raise error


def open_answer(error: GithubError) -> OpenAnswer:
    """Return the answer that a refused opening stands for; raises it again when it says nothing of the opening."""
    words = message_of(error)
    if isinstance(error, Permanent) and error.reason == "unprocessable":
        found = (meaning for part, meaning in _OPENINGS.items() if part in words.lower())
        return OpenAnswer(next(found, OpenOutcome.REFUSED), message=words)
    raise error


def is_unknown_here(error: Gone) -> bool:
    """Tell whether a 404 is about the thing asked for and not about our installation."""
    return error.reason != "no_installation"


def message_of(error: GithubError) -> str:
    """Return GitHub's own words of an error, "" if it gave none."""
    return error.sentence.partition(": ")[2]
