"""A snapshot for which everything speaks, to be spoiled one field at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from githubapi.merging_values import ChangedFile, RequiredCheck
from githubapi.values import CheckRun, CommitStatus, HeadChecks
from merge.values import Demands, FileMode, Snapshot

HEAD, NEXT_HEAD = "a" * 40, "b" * 40


def run(
    name: str = "build", conclusion: str | None = "success", *, number: int = 1, app: int | None = 1
) -> CheckRun:
    status = "in_progress" if conclusion is None else "completed"
    return CheckRun(id=number, name=name, status=status, conclusion=conclusion, app_id=app)


def checks(*runs: CheckRun, **statuses: str) -> HeadChecks:
    return HeadChecks(
        runs=runs, statuses=tuple(CommitStatus(context=n, state=s) for n, s in statuses.items())
    )


def changed(path: str, previous: str | None = None, status: str = "modified") -> ChangedFile:
    return ChangedFile(path=path, status=status, previous_path=previous)


def required(*contexts: str, app: int | None = None) -> Demands:
    return Demands(tuple(RequiredCheck(context, app) for context in contexts))


ALL_GREEN = Snapshot(
    repository="northwind-labs/atlas-api",
    number=7,
    title="Explain the retries",
    state="open",
    merged=False,
    draft=False,
    head_sha=HEAD,
    base_ref="main",
    base_sha="c" * 40,
    mergeable=True,
    mergeable_state="clean",
    changed_files=1,
    head_age=timedelta(minutes=5),
    files=(changed("docs/retries.md"),),
    modes=(FileMode("docs/retries.md", "100644"),),
    demands=required("build"),
    reviews=(),
    checks=checks(run()),
)


def green_but(**members: Any) -> Snapshot:
    """Return the all-green snapshot with some members spoiled."""
    return replace(ALL_GREEN, **members)


def touching(*files: ChangedFile | str) -> Snapshot:
    """Return the all-green snapshot with another diff, every path of it a regular file."""
    found = tuple(changed(file) if isinstance(file, str) else file for file in files)
    modes = tuple(FileMode(file.path, "100644") for file in found)
    return green_but(files=found, changed_files=len(found), modes=modes)
