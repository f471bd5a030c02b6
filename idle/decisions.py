"""Who of those that are DUE comes before whom (docs/decisions/0008), for a part of the line. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class DueEntry:
    """A DUE pull request as the line sees it; `repository` is its repository's key."""

    sequence: int
    repository: int | str
    retries: int
    updated_at: datetime

    @property
    def seniority(self) -> tuple[int, datetime, int]:
        """Its order among the DUE ones of its own repository."""
        return self.retries, self.updated_at, self.sequence


def served_before(
    own: DueEntry, others: Iterable[DueEntry], last_updates: Mapping[int | str, datetime]
) -> list[DueEntry]:
    """Return those of `others` that are served before `own`.

    `others` may be cut off: none of a repository may be left out that is senior to one that is given. Who is returned
    comes first for certain then, and whoever was left out may come first, too. `last_updates` holds the newest
    UpdatedAt of the repositories, `own`'s among them; of those with fewer Idle Retries than `own` nobody asks for it.
    """
    places = dict(_places({own, *others}, last_updates))
    return [entry for entry, place in places.items() if place < places[own]]


def _places(
    entries: Iterable[DueEntry], last_updates: Mapping[int | str, datetime]
) -> Iterator[tuple[DueEntry, tuple[int, int, datetime, datetime, int]]]:
    ranks = Counter[int | str]()
    for entry in sorted(entries, key=lambda entry: entry.seniority):
        ranks[entry.repository] += 1
        last = last_updates.get(entry.repository, entry.updated_at)
        yield entry, (entry.retries, ranks[entry.repository], last, entry.updated_at, entry.sequence)
