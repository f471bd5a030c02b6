"""The history of pull requests: every writer of ours appends here, in its own transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from django.db import connection

from core.statements import insert_row
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
    insert_row(PullRequestHistory, _line(pull_request, kind, states, reason, asdict(cause)))


def append_lines(lines: Sequence[Line], cause: Cause) -> None:
    """Append lines that differ in more than their pull request, all of one cause, by one plain statement.

    Plain, because every claim waits for it: what the ORM does around an INSERT takes longer than the INSERT.
    """
    if not lines:
        return
    columns = asdict(cause)
    rows = [_line(line.pull_request, line.kind, line.states, line.reason, columns) for line in lines]
    with connection.cursor() as cursor:
        cursor.execute(
            _insert_sql(tuple(rows[0]), len(rows)), [value for row in rows for value in row.values()]
        )


@cache
def _insert_sql(fields: tuple[str, ...], number: int) -> str:
    meta = PullRequestHistory._meta
    names = {field.name: str(field.column) for field in meta.concrete_fields}
    columns = ", ".join(names[field] for field in fields)
    places = f"({', '.join(['%s'] * len(fields))})"
    return f"INSERT INTO {meta.db_table} ({columns}) VALUES {', '.join([places] * number)}"  # noqa: S608 -- names of ours


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
    columns = asdict(cause)
    lines = [
        PullRequestHistory(**_line(sequence, kind, (state, _after(state, to_state)), reason, columns))
        for sequence, state in before
    ]
    PullRequestHistory.objects.bulk_create(lines, batch_size=BATCH)


def _line(
    pull_request: int, kind: HistoryKind, states: tuple[str, str], reason: str, cause: dict[str, Any]
) -> dict[str, Any]:
    return {
        "pull_request_sequence": pull_request,
        "kind": kind,
        "reason": reason,
        "from_state": states[0],
        "to_state": states[1],
        **cause,
    }


def _after(before: str, wanted: ProcessingState | None) -> str:
    if wanted is None or before == ProcessingState.NEW:
        return before
    return wanted.value
