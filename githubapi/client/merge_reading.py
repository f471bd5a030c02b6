"""From GitHub's JSON about merging to our values; `reading.item` words what cannot be read."""

from __future__ import annotations

from githubapi.client.members import flag, text
from githubapi.client.reading import Json
from githubapi.merging_values import MergeAnswer, MergeOutcome


def merge(data: Json) -> MergeAnswer:
    merged = flag(data["merged"])
    outcome = MergeOutcome.MERGED if merged else MergeOutcome.REFUSED
    return MergeAnswer(outcome, text(data["message"]), text(data["sha"]) if merged else "")
