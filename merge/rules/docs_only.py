"""A machine approves documents only."""

from __future__ import annotations

from collections.abc import Iterator

from githubapi.merging_values import ChangedFile
from merge.rules.paths import is_document
from merge.rules.rule import out_of_scope, refused
from merge.values import Snapshot, Verdict

SHOWN = 3


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse whatever touches more than documents, or may do so: a cut list is no list (field case F16)."""
    files = snapshot.files or ()
    others = sorted({path for path in _paths(files) if not is_document(path)})
    if others:
        return out_of_scope("not_docs_only", f"It changes more than documents: {_named(others)}.")
    if len(files) != snapshot.changed_files:
        return refused(
            "files_incomplete",
            f"GitHub lists {len(files)} of its {_counted(snapshot.changed_files)} changed files: "
            "what the others are is not known.",
        )
    return None if files else refused("no_files", "It changes no file.")


def _paths(files: tuple[ChangedFile, ...]) -> Iterator[str]:
    for file in files:
        yield file.path
        if file.previous_path is not None:
            yield file.previous_path


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(paths[:SHOWN]) + more


def _counted(count: int | None) -> str:
    return "untold number of" if count is None else str(count)
