"""Who of those that are DUE comes before whom (docs/decisions/0008), for a part of the line. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from idle.values import IdleStatus

DUE = IdleStatus.DUE.order


class LineEntry(NamedTuple):
    """An Idle Pull Request as the line sees it.

    `repository` is its repository's key, `status` the number of its IdleStatus, `last_update` the newest UpdatedAt of
    its repository; of those with fewer Idle Retries than the one in question nobody asks for that.
    """

    sequence: int
    repository: int | str
    retries: int
    updated_at: datetime
    status: int
    last_update: datetime | None = None

    @property
    def seniority(self) -> tuple[int, datetime, int]:
        """Its order among the DUE ones of its own repository."""
        return self.retries, self.updated_at, self.sequence


def has_senior(own: LineEntry, others: Iterable[LineEntry]) -> bool:
    """Tell whether its repository has another one that must be served first."""
    return any(each.repository == own.repository and each.seniority < own.seniority for each in others)


def served_before(own: LineEntry, others: Iterable[LineEntry]) -> list[LineEntry]:
    """Return those DUE ones among `others` that are served before `own`, which may be among them.

    `others` may be cut off: none of a repository may be left out that is senior to one that is given. Who is returned
    comes first for certain then, and whoever was left out may come first, too.
    """
    due = {each.sequence: each for each in others if each.status == DUE} | {own.sequence: own}
    ranked = list(_ranked(due.values()))
    place = next(_place(each, rank) for each, rank in ranked if each is own)
    return [each for each, rank in ranked if _place(each, rank) < place]


def _ranked(entries: Iterable[LineEntry]) -> Iterator[tuple[LineEntry, int]]:
    ranks = Counter[int | str]()
    for entry in sorted(entries, key=lambda entry: entry.seniority):
        ranks[entry.repository] += 1
        yield entry, ranks[entry.repository]


def _place(entry: LineEntry, rank: int) -> tuple[int, int, datetime, datetime, int]:
    return entry.retries, rank, entry.last_update or entry.updated_at, entry.updated_at, entry.sequence
