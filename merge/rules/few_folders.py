"""Telling files from links costs a call for each folder: there is an end to that."""

from __future__ import annotations

from merge.rules.rule import out_of_scope
from merge.values import Snapshot, Verdict

MOST_FOLDERS = 30


def judge(snapshot: Snapshot) -> Verdict | None:
    """Leave a change that is spread over many folders to a person."""
    folders = {file.path.rpartition("/")[0] for file in snapshot.files or ()}
    if len(folders) <= MOST_FOLDERS:
        return None
    sentence = (
        f"It touches {len(folders)} folders, more than the {MOST_FOLDERS} that are looked at one by one."
    )
    return out_of_scope("many_folders", sentence)
