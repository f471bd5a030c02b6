"""The history of pull requests: every writer of ours appends here, in its own transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from core.statements import insert_row, insert_rows
from webhooks.models import PullRequestHistory
from webhooks.values import NO_CAUSE, Cause, HistoryKind, ProcessingState

BATCH = 500


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line about one pull request (its Sequence); `states` = ProcessingState before and after."""

    pull_request: int
    kind: HistoryKind
    states: tuple[str, str]
    reason: str


def append(
    pull_request: int, kind: HistoryKind, states: tuple[str, str], *, reason: str, cause: Cause = NO_CAUSE
) -> None:
    """Append one line about one pull request (its Sequence); `states` = ProcessingState before and after."""
    insert_row(PullRequestHistory, _line(pull_request, kind, states, reason, cause))


def append_lines(lines: Iterable[Line], cause: Cause) -> None:
    """Append lines that differ in more than their pull request, all of one cause."""
    insert_rows(
        PullRequestHistory,
        [_line(line.pull_request, line.kind, line.states, line.reason, cause) for line in lines],
    )


def append_batch(
    before: Iterable[tuple[int, str]],
    kind: HistoryKind,
    to_state: ProcessingState | None,
    *,
    reason: str,
    cause: Cause,
) -> None:
    """Append the same line about many pull requests, given as (Sequence, ProcessingState before).

    `to_state` None: the writing left the state alone. A NEW row stays NEW (see pending.new_or).
    """
    lines = [
        PullRequestHistory(**_line(sequence, kind, (state, _after(state, to_state)), reason, cause))
        for sequence, state in before
    ]
    PullRequestHistory.objects.bulk_create(lines, batch_size=BATCH)


def _line(
    pull_request: int, kind: HistoryKind, states: tuple[str, str], reason: str, cause: Cause
) -> dict[str, Any]:
    return {
        "pull_request_sequence": pull_request,
        "kind": kind,
        "reason": reason,
        "from_state": states[0],
        "to_state": states[1],
        **asdict(cause),
    }


def _after(before: str, wanted: ProcessingState | None) -> str:
    if wanted is None or before == ProcessingState.NEW:
        return before
    return wanted.value
