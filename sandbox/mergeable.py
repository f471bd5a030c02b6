"""Pull requests of today for the poller and for people: green documents, red documents, and code."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox import cast
from sandbox.driver import Driver
from sandbox.world import Person, Repository


@dataclass(frozen=True, kw_only=True)
class Fresh:
    """A pull request to be opened: the one file that it changes, and how its check ends."""

    repository: Repository
    title: str
    path: str
    check: str
    by: Person


GREEN_DOCUMENTS = Fresh(
    repository=cast.HANDBOOK,
    title="Say whom to call at night, and whom not",
    path="docs/on-call.md",
    check="success",
    by=cast.AIKO,
)
RED_DOCUMENTS = Fresh(
    repository=cast.RECIPES,
    title="Correct the table of oven temperatures",
    path="docs/ovens.md",
    check="failure",
    by=cast.YUSUF,
)
GREEN_CODE = Fresh(
    repository=cast.ATLAS_API,
    title="Close the connection when a client goes away",
    path="src/server.py",
    check="success",
    by=cast.PRIYA,
)


def open_at(github: Driver, fresh: Fresh) -> int:
    """Have somebody open it, change its file and finish its check there; return its number."""
    repository_id = fresh.repository.id
    opened = github.change(
        "open_pull_request", repository_id=repository_id, title=fresh.title, by=fresh.by.login
    )
    number = int(opened["number"])
    github.change(
        "change_files", repository_id=repository_id, number=number, files=[{"filename": fresh.path}]
    )
    github.change("finish_check", repository_id=repository_id, number=number, conclusion=fresh.check)
    return number
