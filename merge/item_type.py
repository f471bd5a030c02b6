"""The item type `merge` of the work queue."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from merge import decisions
from merge.models import Merge
from webhooks.payload import Payload
from workqueue.registry import ItemType, Job, register
from workqueue.values import Changes, DimensionUpdate, Event, EventResult, Outcome, Phase


def _carry_out(job: Job) -> Outcome:
    from merge.services.executing import carry_out

    return carry_out(job)


def _concerned(event: Event) -> Q | None:
    """Find the live merge of the pull request that an Event is about."""
    if event.name != "pull_request":
        return None
    payload = Payload(event.payload)
    repository_id, number = payload.id("repository.id"), payload.id("number")
    return Q(repository_id=repository_id, number=number) if repository_id and number else None


MERGE = register(ItemType(name="merge", model=Merge))
