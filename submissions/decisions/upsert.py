"""What a submission means for the work item of its branch."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from submissions.values import Wanted
from workqueue.values import Phase


class Upsert(StrEnum):
    """The answer to a submission."""

    CREATED = "created"
    UNCHANGED = "unchanged"
    UPDATED = "updated"
    RETRIED = "retried"
    NEXT_GENERATION = "next_generation"


@dataclass(frozen=True, slots=True)
class Known:
    """The newest item of the branch."""

    phase: Phase
    content_hash: str


def decide_upsert(known: Known | None, content_hash: str) -> Upsert:
    """Decide by the item's phase first: an ended one is not woken, a failed one is tried again whatever is sent."""
    if known is None:
        return Upsert.CREATED
    match known.phase:
        case Phase.COMPLETED | Phase.CANCELLED:
            return Upsert.NEXT_GENERATION
        case Phase.FAILED:
            return Upsert.RETRIED
        case Phase.ACTIVE:
            return Upsert.UNCHANGED if known.content_hash == content_hash else Upsert.UPDATED


def content_hash(wanted: Wanted) -> str:
    """Return the same 64 hex digits for the same desired state, whoever sends it."""
    return _hash(asdict(wanted))


def files_hash(wanted: Wanted) -> str:
    """Return the same for what the branch is to hold: another title alone is no reason for another commit."""
    plain = asdict(wanted)
    return _hash({name: plain[name] for name in ("base_branch", "commit_message", "file_actions")})


def _hash(plain: dict[str, Any]) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
