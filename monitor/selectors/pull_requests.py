"""Finding a pull request by what people call it: owner, repository, number."""

from __future__ import annotations

from dataclasses import dataclass

from webhooks.models import PullRequest, Repository

# Several rows of one address are rare; more than a handful are not worth a query without a limit.
MOST = 20


@dataclass(frozen=True)
class Found:
    """The row that is meant, and other rows that have the same address."""

    row: PullRequest
    others: list[PullRequest]


def find(owner: str, name: str, number: int, *, sequence: int | None = None) -> Found | None:
    """Return the pull request of that address, names in any letter case; None when nothing is known of it.

    A repository may have been renamed away and another created under its name: then the row of the repository that
    has the name now is meant, after it one that says no repository, and of equals the newest. `sequence` chooses
    another one.
    """
    address = {"repository_owner": owner, "repository_name": name, "number": number}
    rows = list(PullRequest.objects.filter(**address).order_by("-pk")[:MOST])
    if not rows:
        return None
    present = _present_id(owner, name) if len(rows) > 1 else None
    rows.sort(key=lambda row: (row.pk != sequence, _distance(row, present)))
    return Found(rows[0], rows[1:])


def _present_id(owner: str, name: str) -> int | None:
    """Return the id of the repository that has the name now: that of its newest row."""
    newest = Repository.objects.filter(owner_login=owner, name=name).order_by("-pk")
    found: int | None = newest.values_list("github_id", flat=True).first()
    return found


def _distance(row: PullRequest, present: int | None) -> int:
    if row.repository_id is None:
        return 1
    return 0 if row.repository_id == present else 2
