"""What GitHub did not do, as a problem."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from core.api.problems import ApiProblem, not_found, unprocessable
from githubapi.errors import GithubError, Gone, Permanent, Throttled, Transient

FAILS = {
    404: "There is no such run here, or GitHub no longer has it.",
    422: "GitHub refused; the sentence says why.",
    502: "GitHub does not answer, throttles us, or this installation cannot ask it. Try again later.",
}
# Refusals that are about our App and not about what was asked for.
_OURS = frozenset({"not_configured", "bad_private_key", "bad_credentials"})


@contextmanager
def as_problems() -> Iterator[None]:
    """Turn the errors of calls to GitHub into the answers of FAILS."""
    try:
        yield
    except GithubError as error:
        raise problem_of(error) from error


def problem_of(error: GithubError) -> ApiProblem:
    """Return the answer that an error of GitHub's stands for."""
    if isinstance(error, Gone) and error.reason != "no_installation":
        return not_found("GitHub no longer has this workflow run.")
    if isinstance(error, Throttled | Transient) or (isinstance(error, Permanent) and error.reason in _OURS):
        return ApiProblem(HTTPStatus.BAD_GATEWAY, error.reason, error.sentence)
    return unprocessable(error.reason, error.sentence)
