"""Gaps in a history: where the row's state changed and no line says who did it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.explain.values import GAP, Entry
from webhooks.values import HistoryKind

# Written beside a state that is read without a lock: a state of theirs that does not fit proves nothing.
NOT_ABOUT_STATE = frozenset(
    {
        HistoryKind.BRANCH_UPDATE,
        HistoryKind.LOOK,
        HistoryKind.NOTIFICATION,
        HistoryKind.RENAME,
        HistoryKind.MERGE_VERDICT,
    }
)
OTHERS = "Another program wrote it: the history has no line about this."
UNTOLD = "What happened before is not in the history: another program wrote it, or it is not kept any more."


@dataclass(frozen=True, kw_only=True)
class RowState:
    """The row as it is now: its ProcessingState, who wrote it last in which version, when, and when it was made."""

    state: str
    writer: str
    updated_at: datetime
    created_at: datetime


def with_gaps(
    entries: Sequence[Entry], row: RowState, *, first_page: bool, older: Entry | None
) -> Iterator[Entry]:
    """Yield entries, the newest first, and the gaps between them.

    `older` = the next entry beyond this page that tells a state; None = this page is the last one.
    """
    if first_page:
        yield from _since_the_newest(next(_telling(entries), None), row)
    for place, entry in enumerate(entries):
        yield entry
        if entry.kind not in NOT_ABOUT_STATE:
            yield from _before(entry, next(_telling(entries[place + 1 :]), older))
    if older is None:
        yield from _beginning(next(_telling(reversed(entries)), None), row)


def _telling(entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.kind not in NOT_ABOUT_STATE)


def _since_the_newest(newest: Entry | None, row: RowState) -> Iterator[Entry]:
    if newest and newest.to_state != row.state:
        at = max(newest.at, row.updated_at)
        yield Entry(
            at=at,
            after=newest.at,
            kind=GAP,
            text=OTHERS,
            actor=row.writer,
            from_state=newest.to_state,
            to_state=row.state,
        )


def _before(entry: Entry, older: Entry | None) -> Iterator[Entry]:
    if older and older.to_state != entry.from_state:
        yield Entry(
            at=entry.at,
            after=older.at,
            kind=GAP,
            text=OTHERS,
            from_state=older.to_state,
            to_state=entry.from_state,
        )


def _beginning(oldest: Entry | None, row: RowState) -> Iterator[Entry]:
    """A row's first line of ours begins with no state at all."""
    if oldest is None or oldest.from_state:
        state = oldest.from_state if oldest else row.state
        yield Entry(at=row.created_at, kind=GAP, text=UNTOLD, to_state=state)
