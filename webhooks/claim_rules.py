"""The rules of claims: whose turn it is, how long a row waits after a failure, when it is given up on. Pure."""

from __future__ import annotations

import secrets
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

# A claim older than this belongs to a dead worker, ours or an outside bot's (seconds).
STALE_AFTER = 3600
BATCH = 10
# Of one repository in a batch while others wait.
REPOSITORY_SHARE = 3
# The default of the Setting that callers of claim() and fail() read.
MAX_ATTEMPTS = 5

MINUTE = 60
GITHUB_DOWN_PAUSE = MINUTE
# After the first, second, ... failed attempt; the last one serves all later ones.
FAILURE_PAUSES = (1 * MINUTE, 5 * MINUTE, 25 * MINUTE)
# GitHub works out whether a pull request can be merged when it is asked (field case F14).
MERGEABLE_PAUSES = (10, 60, 300)
GITHUB_DOES_NOT_SAY = "GitHub does not say whether it can be merged"

RANDOM_BITS = 96


class Candidate(NamedTuple):
    """A row that could be claimed; `repository` None = its table knows no fair share.

    `updated_at` as the database's driver gives it: good for comparing, nothing else.
    """

    updated_at: datetime | str
    sequence: int
    repository: int | str | None


@dataclass(frozen=True)
class Line:
    """Candidates in the order in which they are served: each repository's three oldest first, then what is beyond."""

    within_share: list[Candidate]
    beyond: list[Candidate]

    def __iter__(self) -> Iterator[Candidate]:
        yield from self.within_share
        yield from self.beyond


def line_up(candidates: Iterable[Candidate]) -> Line:
    """Return the candidates in turn, each part by age; a candidate without a repository is always within its share."""
    taken: Counter[int | str] = Counter()
    line = Line([], [])
    for candidate in sorted(candidates):
        part = line.within_share if _within_share(candidate, taken) else line.beyond
        part.append(candidate)
    return line


def _within_share(candidate: Candidate, taken: Counter[int | str]) -> bool:
    if candidate.repository is None:
        return True
    taken[candidate.repository] += 1
    return taken[candidate.repository] <= REPOSITORY_SHARE


def new_token(at: datetime) -> str:
    """Return a token for the claims made at this instant (aware, whole seconds); at most 36 characters.

    The instant is part of it: whoever shows nothing but the token later (the REST API) proves which claim it holds.
    """
    return str(uuid.UUID(int=int(at.timestamp()) << RANDOM_BITS | secrets.randbits(RANDOM_BITS)))


def claimed_at(token: str) -> datetime:
    """Return the instant that a token was made for; raises ValueError for text that is no token."""
    return datetime.fromtimestamp(uuid.UUID(token).int >> RANDOM_BITS, UTC)


def mergeable_pause(reads: int) -> int | None:
    """Return the seconds until GitHub is asked again, after so many vain re-reads; None = it has been asked enough."""
    return MERGEABLE_PAUSES[reads] if reads < len(MERGEABLE_PAUSES) else None


def seconds_to_next_day(now: datetime) -> int:
    """Return the seconds from now (aware) to the next 00:00 UTC: 1 to 86,400."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return round((midnight + timedelta(days=1) - now).total_seconds())


@dataclass(frozen=True)
class Failure:
    """What a failed attempt leads to: another one after `pause` seconds, or None = given up on."""

    pause: int | None
    reason: str


def decide_failure(attempt: int, *, max_attempts: int, permanent: bool) -> Failure:
    """Decide what follows the failure of the attempt of that number (1 = the first)."""
    if permanent:
        return Failure(None, "given up on: trying again cannot help")
    if attempt >= max_attempts:
        return Failure(None, f"given up on after {attempts(attempt)}")
    pause = FAILURE_PAUSES[min(attempt, len(FAILURE_PAUSES)) - 1]
    return Failure(pause, f"attempt {attempt} of {max_attempts} failed; the next in {pause // MINUTE} min")


def worn_out(tries: int, error: str | None) -> str:
    """Return the error of a row whose last allowed attempt ended with its worker's death; `error` = one before that."""
    if not error:
        return f"its worker died {tries} times" if tries > 1 else "its worker died"
    return f"its worker died in the last of {attempts(tries)}; before that: {error}"


def in_short(error: str) -> str:
    """Return the line of an error that says most: a traceback's last, any other text's first."""
    lines = error.strip().splitlines()
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def claim_reason(worker: str, attempt: int, *, stale: bool) -> str:
    """Return the sentence for a claim."""
    silent = ", after another claim went silent for an hour" if stale else ""
    return f"claimed by {worker}, attempt {attempt}{silent}"


def attempts(number: int) -> str:
    return "1 attempt" if number == 1 else f"{number} attempts"


def why_over(token: str, *, state: str, row_token: str | None) -> str:
    """Return the sentence for whoever ends a claim that is theirs no longer, from what the row says now."""
    if state == "PROCESSED":
        return "The claim is over: the row is PROCESSED already."
    if state != "PROCESSING":
        return f"The claim is over: the row was asked for again meanwhile ({state}) and will be claimed anew."
    if row_token == token:
        return "The claim is over: another program has claimed the row meanwhile."
    return "The claim is over: another worker holds the row by now."
