"""Pull requests of today for the poller and for people: green documents, red documents, and code.

`python -m sandbox.mergeable --github ADDRESS` opens them there and prints the number of the one of code, which is never
merged by itself: somebody has to ask for it.
"""

from __future__ import annotations

import argparse
import http.client
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox import cast
from sandbox.driver import Driver, RefusedError
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


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if all were opened, else print one sentence and return 1."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.mergeable", description=__doc__)
    parser.add_argument("--github", required=True, help="address of `python -m sandbox.server`")
    address = parser.parse_args(argv).github
    try:
        with Driver(address) as github:
            for fresh in (GREEN_DOCUMENTS, RED_DOCUMENTS):
                open_at(github, fresh)
            print(open_at(github, GREEN_CODE))
    except (RefusedError, OSError, http.client.HTTPException) as error:
        print(f"No pull request can be opened at {address}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
