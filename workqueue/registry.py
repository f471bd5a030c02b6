"""Item types: what each brings, registered by name in its app's AppConfig.ready().

The engine knows no type: it looks up here what to decide with, whom to let act, and who understands an event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.db.models import Q

from core.registry import Effective
from workqueue.models import WorkItem
from workqueue.values import Action, Changes, Decider, Event, EventResult, Outcome, Snapshot, Submitted


@dataclass(frozen=True, kw_only=True)
class Job:
    """What an executor gets.

    `item` is the detail model's row as the decider saw it (read it, never save it). `tools` is what the type's `tools`
    gave, one for a whole shift. `write` stores changes before the action ends (what an interrupted run must find
    again); like the outcome it is fenced by the lease and raises LeaseLost, which the executor lets through.
    """

    item: Any
    snapshot: Snapshot
    action: Action
    settings: Effective
    tools: Any
    write: Callable[[Changes], None]


Executor = Callable[[Job], Outcome]
# (event, the detail model's row) -> what it means; reads only.
Handler = Callable[[Event, Any], EventResult]


@dataclass(frozen=True, kw_only=True)
class Door:
    """How submissions of a type come in over `POST work-items/<type>`.

    `serializer` is the dotted path of a DRF serializer (imported on use); `submit` gets its validated data and the
    caller's identity, returns Submitted, raises Refused (409).
    """

    serializer: str
    submit: Callable[[Mapping[str, Any], str], Submitted]


def _no_refusal(_: Any) -> str:
    return ""


def _no_changes(_: Any) -> Changes:
    return Changes()


def _no_facts(_: Any) -> Any:
    return None


def _no_details(_: Any) -> dict[str, Any]:
    return {}


def _identity(row: Any) -> str:
    return str(row.identity)


def _no_match(_: Event) -> Q | None:
    return None


def _unknown_error(_: Exception) -> Outcome | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ItemType:
    """One item type.

    `model`: its detail model (a subclass of WorkItem). `dimensions`: their names in the decider's order of priority.
    `facts`: the frozen facts that the decider gets, out of the detail row. `resolve`: which items an event concerns, as
    a condition on the detail model (the engine adds "active"); None = none, without asking the database. `handlers`
    by event name. `outcome_of`: what an exception of an executor means; None = a fault of ours, transient. The two
    `why_not_…` get the detail row and return a refusal's sentence, "" = allowed. `on_retry`: what a retry writes more.
    `subject` and `details`: what people see of a detail row, in a line and by label. `failed_is_ended`: a failed item
    makes room for the next generation. `obstacle`: why no item of this type can be worked on in this installation,
    "" = it can. `tools`: what executors share, opened once a shift of the worker.
    """

    name: str
    model: type[Any]
    decide: Decider
    executors: Mapping[str, Executor]
    dimensions: tuple[str, ...]
    facts: Callable[[Any], Any] = _no_facts
    resolve: Callable[[Event], Q | None] = _no_match
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    outcome_of: Callable[[Exception], Outcome | None] = _unknown_error
    why_not_retry: Callable[[Any], str] = _no_refusal
    why_not_cancel: Callable[[Any], str] = _no_refusal
    on_retry: Callable[[Any], Changes] = _no_changes
    subject: Callable[[Any], str] = _identity
    details: Callable[[Any], Mapping[str, Any]] = _no_details
    failed_is_ended: bool = False
    tools: Callable[[], AbstractContextManager[Any]] = nullcontext
    obstacle: Callable[[], str] = str
    door: Door | None = None


TYPES: dict[str, ItemType] = {}


def register(item_type: ItemType) -> ItemType:
    """Add a type; raises ValueError for a name that is taken, or a column that repeats one of work_items."""
    if item_type.name in TYPES:
        raise ValueError(f"The item type {item_type.name} is registered twice.")
    # A turn reads both tables by one statement.
    if twice := sorted(_columns(item_type.model) & _columns(WorkItem)):
        raise ValueError(f"The detail table of {item_type.name} repeats {', '.join(twice)} of work_items.")
    TYPES[item_type.name] = item_type
    return item_type


def _columns(model: type[models.Model]) -> set[str]:
    return {str(field.column) for field in model._meta.local_concrete_fields}
