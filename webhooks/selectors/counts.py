"""How many rows of each claimed table are in each state."""

from __future__ import annotations

from django.db.models import Count, Model

from webhooks.models import CLAIMED
from webhooks.values import STATES, ProcessingState


def count_by_state(model: type[Model]) -> dict[ProcessingState, int]:
    """Count one table by one grouped query that reads nothing but an index; states without rows count 0."""
    groups = model._default_manager.order_by().values_list("processing_state").annotate(rows=Count("*"))
    found = dict(groups)
    return {state: found.get(state, 0) for state in STATES}


def matrix() -> dict[ProcessingState, dict[str, int]]:
    """Return, for each state, the rows of each claimed table under its name; a table without IDLE has 0 of it."""
    counts = {model._meta.db_table: count_by_state(model) for model in CLAIMED}
    return {state: {table: found[state] for table, found in counts.items()} for state in STATES}
