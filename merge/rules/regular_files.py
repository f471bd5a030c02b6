"""A document is a file: no link to something else, no other repository in its place."""

from __future__ import annotations

from merge.rules.rule import out_of_scope, refused
from merge.values import Snapshot, Verdict

REGULAR = frozenset({"100644", "100755"})
_KINDS = {"120000": "a symbolic link", "160000": "a submodule", "040000": "a folder"}


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse links and submodules, whatever they are called (field case F16)."""
    for file in snapshot.modes or ():
        if not file.mode:
            return refused("file_not_found", f"GitHub lists {file.path} as changed, but does not show it.")
        if file.mode not in REGULAR:
            kind = _KINDS.get(file.mode, "no regular file")
            return out_of_scope("not_regular_files", f"{file.path} is {kind}.")
    return None
