"""The words of the work queue, and the small frozen things that its parts hand to each other. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Phase(StrEnum):
    """Whether an item is done, and how.

                     executor, event            retry (a person)
        (created) --> ACTIVE --> COMPLETED     FAILED, CANCELLED --> ACTIVE
                        |
                        +--> FAILED      an executor's permanent failure; parked after too many attempts
                        +--> CANCELLED   an event (closed without merging); a person

    Only ACTIVE takes events and has a next action. COMPLETED is never left.
    """

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AuditKind(StrEnum):
    """What an entry of the audit tells of."""

    CREATED = "created"
    CHANGED = "changed"
    DECISION = "decision"
    OUTCOME = "outcome"
    EVENT = "event"
    DIMENSION = "dimension_change"
    TRANSITION = "transition"
    RETRY = "retry"
    CANCEL = "cancel"
    AUTH = "auth"


@dataclass(frozen=True)
class DimensionUpdate:
    """Set a dimension's variant: needed or not, and from when on (None = at once). `needed` with a future
    `pending_until` counts as handled until that instant, then as needed.
    """

    dimension: str
    needed: bool
    variant: str = ""
    pending_until: datetime | None = None


@dataclass(frozen=True)
class Dimension:
    """One row of an item's dimensions as the decider sees it."""

    name: str
    variant: str
    needed: bool
    pending_until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """An item at one instant, frozen: all that a decider may look at.

    `facts` is what the item's type made of the columns of its own (a frozen dataclass). `now` is the database's clock.
    """

    item: int
    item_type: str
    phase: Phase
    attempts: int
    now: datetime
    dimensions: tuple[Dimension, ...] = ()
    facts: Any = None

    def needs(self, dimension: str, variant: str | None = None) -> bool:
        """Tell whether action is needed: by any variant, or by the one named. A missing row means that it is."""
        rows = self._rows(dimension, variant)
        return not rows or any(self._is_due(row) for row in rows)

    def needed_variants(self, dimension: str) -> tuple[str, ...]:
        """Return the variants that have a row and need action, in the order of their names."""
        return tuple(sorted(row.variant for row in self._rows(dimension, None) if self._is_due(row)))

    def waits_until(self) -> datetime | None:
        """Return the earliest instant at which a postponed dimension needs action again."""
        pending = [row.pending_until for row in self.dimensions if row.needed and row.pending_until]
        return min((instant for instant in pending if instant > self.now), default=None)

    def _rows(self, dimension: str, variant: str | None) -> list[Dimension]:
        return [row for row in self.dimensions if row.name == dimension and variant in (None, row.variant)]

    def _is_due(self, row: Dimension) -> bool:
        return row.needed and (row.pending_until is None or row.pending_until <= self.now)


@dataclass(frozen=True)
class Action:
    """The one next action: the name of its executor, why, and the dimension (and variant) that asked for it."""

    name: str
    reason: str
    dimension: str = ""
    variant: str = ""


Decider = Callable[[Snapshot], Action | None]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is to be written to an item: columns of its detail table by field name, dimensions, a new phase."""

    columns: Mapping[str, Any] = field(default_factory=dict)
    dimensions: Sequence[DimensionUpdate] = ()
    phase: Phase | None = None


@dataclass(frozen=True)
class Done:
    """The action succeeded: attempts count from 0 again, the changes are written, and the decider is asked again."""

    reason: str
    changes: Changes = field(default_factory=Changes)


@dataclass(frozen=True)
class RetryLater:
    """Not now, and nobody's fault: no attempt is spent. The action's dimension is needed again at `until`."""

    reason: str
    until: datetime
    changes: Changes = field(default_factory=Changes)


@dataclass(frozen=True)
class Transient:
    """It failed and may succeed later: the attempt counts, each wait is longer, and at the cap the item is parked."""

    reason: str
    changes: Changes = field(default_factory=Changes)


@dataclass(frozen=True)
class Permanent:
    """It failed and would fail again: the item is `failed` with this reason."""

    reason: str
    changes: Changes = field(default_factory=Changes)


Outcome = Done | RetryLater | Transient | Permanent


@dataclass(frozen=True)
class Event:
    """One Delivery as items see it: the event's name, its action, the decoded body, the delivery's GUID."""

    name: str
    action: str
    payload: Mapping[str, Any]
    guid: str = ""


@dataclass(frozen=True, kw_only=True)
class EventResult:
    """What an event means for an item.

    A `phase` needs `at`, the event's own instant (GitHub's clock): a phase that is not newer than the last one applied
    is stale and not applied. The dimensions are applied in any case. `trigger` is a short text for the audit.
    """

    trigger: str = ""
    phase: Phase | None = None
    at: datetime | None = None
    dimensions: Sequence[DimensionUpdate] = ()


@dataclass(frozen=True)
class Submitted:
    """The answer to a submission: the item, a word (created, unchanged, updated, retried), a sentence."""

    item: int
    word: str
    sentence: str


class Refused(Exception):
    """The item's phase, or a rule of its type, forbids this; the message says why. Nothing was changed."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.code = code
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class LeaseLost(Exception):
    """Somebody else holds the item's lease by now: nothing was written, and whoever lost it must stop."""
