"""Writing one row of an event table from an Event: which columns it brings along, and whether it wakes anybody."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models import F

from core.functions import CurrentTimestamp
from core.statements import insert_row
from core.version import STAMP
from webhooks.events.incoming import Incoming, Outcome, applied, echo
from webhooks.models.base import InstallationColumn, ProcessingColumns, RepositoryColumns, SenderColumns
from webhooks.services.pending import new_or, pending_columns
from webhooks.values import ProcessingState


def origin_columns(model: type[models.Model], incoming: Incoming) -> dict[str, Any]:
    """Return the columns that say from which Delivery a row comes, as far as its table has them."""
    columns: dict[str, Any] = {
        "delivery_id": incoming.envelope.guid,
        "hook_id": incoming.envelope.hook_id,
        "target_id": incoming.envelope.target_id,
        "target_type": incoming.envelope.target_type,
        "webhooks_receiver_version": STAMP,
        "webhooks_handler_version": STAMP,
    }
    if issubclass(model, SenderColumns):
        columns |= sender_columns(incoming)
    if issubclass(model, InstallationColumn) and incoming.installation_id:
        columns["installation_id"] = incoming.installation_id
    if issubclass(model, RepositoryColumns):
        columns |= repository_columns(incoming)
    return columns


def backfilled_columns() -> dict[str, Any]:
    """Return the origin of a row that no Event brought: a random GUID, hook 0, and who wrote it."""
    return {
        "delivery_id": uuid.uuid4(),
        "hook_id": 0,
        "webhooks_receiver_version": STAMP,
        "webhooks_handler_version": STAMP,
    }


def sender_columns(incoming: Incoming) -> dict[str, Any]:
    """Return who caused the Event; NULLs where GitHub names nobody."""
    return {
        "sender_login": incoming.sender_login or None,
        "sender_id": incoming.payload.id("sender.id"),
        "sender_node_id": incoming.payload.name("sender.node_id") or None,
    }


def repository_columns(incoming: Incoming) -> dict[str, Any]:
    """Return the repository's present name and its id; raises Unusable."""
    repository = incoming.repository
    return {
        "repository_owner": repository.owner,
        "repository_name": repository.name,
        "repository_id": repository.id,
    }


def insert(model: type[models.Model], incoming: Incoming, **columns: Any) -> int:
    """Insert a row and return its Sequence: NEW, or already PROCESSED when our own App caused the Event."""
    return insert_row(model, {**origin_columns(model, incoming), **born(model, incoming), **columns})


def born(model: type[models.Model], incoming: Incoming) -> dict[str, Any]:
    """Return the state a row is born with."""
    if issubclass(model, ProcessingColumns) and incoming.is_echo:
        return processed_columns()
    return {}


def processed_columns() -> dict[str, Any]:
    """Return the columns of a row that needs no work."""
    return {"processing_state": ProcessingState.PROCESSED, "processed_date": CurrentTimestamp()}


def update(model: type[models.Model], pk: int, incoming: Incoming, **columns: Any) -> None:
    """Update a known row to this Event's facts: UPDATED, or nothing pending when our own App caused it."""
    model._default_manager.filter(pk=pk).update(
        **touched(model, incoming), **origin_columns(model, incoming), **columns
    )


def touched(model: type[models.Model], incoming: Incoming) -> dict[str, Any]:
    """Return what an Event does to a known row beside its facts."""
    if incoming.is_echo:
        return {"updated_at": F("updated_at")}
    if not issubclass(model, ProcessingColumns):
        return {"date": CurrentTimestamp(), "updated_at": CurrentTimestamp()}
    waking = pending_columns(new_or(ProcessingState.UPDATED))
    return waking | {"date": CurrentTimestamp(), "updated_at": CurrentTimestamp()}


def upsert(model: type[models.Model], key: dict[str, Any], incoming: Incoming, **columns: Any) -> Outcome:
    """Update the row of that unique key, or insert it; returns the outcome in words.

    Of two first Events at once one insert fails on the key; the receiver runs the Delivery again and finds the row.
    """
    pk = model._default_manager.select_for_update().filter(**key).values_list("pk", flat=True).first()
    if pk is None:
        pk = insert(model, incoming, **key, **columns)
        return said(incoming, f"new row {pk} in {model._meta.db_table}")
    update(model, pk, incoming, **columns)
    return said(incoming, f"row {pk} in {model._meta.db_table} updated")


def said(incoming: Incoming, note: str) -> Outcome:
    """Return the outcome of a write: an echo when our own App caused it."""
    return echo(f"{note}; caused by our own App, nothing to do") if incoming.is_echo else applied(note)
