"""The idle list: the whole view in its order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from idle.models import IdlePullRequest
from idle.selectors import in_order

ROWS = 50


@dataclass(frozen=True)
class IdlePage:
    """The rows of one page, its number from 1, and whether there is another."""

    rows: list[IdlePullRequest]
    number: int
    has_next: bool


def page(form: Mapping[str, str], *, number: int) -> IdlePage:
    """Return a page of those that fit the filled-in fields status and repository ("owner/name").

    Pages are counted, not keyed: ranks are made anew at each reading, so no cursor could point between two.
    """
    rows = in_order()
    if status := form.get("status"):
        rows = rows.filter(idle_status=status)
    if repository := form.get("repository"):
        owner, _, name = repository.partition("/")
        rows = rows.filter(repository_owner=owner, repository_name=name)
    start = (number - 1) * ROWS
    found = list(rows[start : start + ROWS + 1])
    return IdlePage(found[:ROWS], number, has_next=len(found) > ROWS)
