"""What can go wrong at GitHub, as one small tree: each error says what to do next.

`reason` is a snake_case word for counters and stored verdicts, `str(error)` a sentence for a person. Neither
ever holds a token, a key or a secret. `permanent` says that asking the same again cannot help until somebody
changes something; all others may be asked again later.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar


class GithubError(Exception):
    """Any failure of a call to GitHub; catch this one around a unit of work."""

    permanent: ClassVar[bool] = False

    def __init__(self, reason: str, sentence: str, *more: object) -> None:
        # Everything is handed on as args, so that the error survives pickling between processes.
        super().__init__(reason, sentence, *more)
        self.reason = reason
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class Transient(GithubError):
    """GitHub or the way to it failed; nothing is known about the thing itself. Try again later.

    Reasons: "unreachable", "timeout", "deadline", "server_error", "malformed_answer", "incomplete_listing",
    "unstable_listing", "not_ready", "unexpected_answer".
    """


class Throttled(GithubError):
    """A rate limit. Nothing may be asked for this installation before `try_again_at`; the thing itself is
    fine.

    `wait` is the same as a length of time, for whoever counts by another clock than this process.
    Reasons: "primary_rate_limit", "secondary_rate_limit"; "known_rate_limit" of whoever remembers one.
    """

    def __init__(self, reason: str, sentence: str, try_again_at: datetime, wait: timedelta) -> None:
        super().__init__(reason, sentence, try_again_at, wait)
        self.try_again_at = try_again_at
        self.wait = wait


class Gone(GithubError):
    """404 or 410: the thing does not exist, or is hidden from us. Reasons: "not_found", "gone",
    "no_installation".
    """

    permanent = True


class Disabled(GithubError):
    """410 of a listing: the repository has this feature switched off. Reason: "disabled"."""

    permanent = True


class Moved(GithubError):
    """A redirect that must not be followed blindly: a write, or one that leads to another repository or
    server.

    `location` is where it points to; `repository_id` the repository named there, None if it names none by id.
    Reasons: "moved", "moved_elsewhere" (another server), "redirect_loop".
    """

    permanent = True

    def __init__(self, reason: str, sentence: str, location: str, repository_id: int | None) -> None:
        super().__init__(reason, sentence, location, repository_id)
        self.location = location
        self.repository_id = repository_id


class Forbidden(GithubError):
    """The App may not do this here. Reasons: "forbidden", "blocked" (taken down by GitHub)."""

    permanent = True


class Suspended(GithubError):
    """The account suspended the installation: nothing works until it is unsuspended. Reason: "suspended"."""

    permanent = True


class Permanent(GithubError):
    """A request that GitHub will never accept as it is.

    Reasons: "not_configured", "bad_private_key", "bad_credentials", "conflict", "unprocessable",
    "http_<status>".
    """

    permanent = True


# About us, not about what was asked for: a wrong key must not give up on a whole backlog.
OUR_OWN_FAULT = frozenset({"bad_credentials", "not_configured", "bad_private_key"})
