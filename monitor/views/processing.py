"""The matrix, and the rows behind a cell."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from monitor.forms import StateFilter
from monitor.selectors import processing as selectors
from monitor.values import STATE_GROUPS
from monitor.views.doors import reads
from monitor.views.page import show
from webhooks.values import ProcessingState


@reads
def processing(request: HttpRequest) -> HttpResponse:
    tables = selectors.matrix()
    return show(
        request,
        "processing",
        {"tables": tables, "totals": selectors.totals(tables), "groups": STATE_GROUPS.items()},
    )


@reads
def processing_rows(request: HttpRequest, table: str) -> HttpResponse:
    """One table's rows in one state (?state=, NEW when it is left out)."""
    conditions = StateFilter(request.GET).conditions
    if table not in selectors.TABLES or conditions is None:
        raise Http404
    state = ProcessingState(conditions.get("state", ProcessingState.NEW))
    page = selectors.rows(table, state, cursor=request.GET.get("cursor", ""))
    return show(
        request,
        "processing_rows",
        {"counts": selectors.count_table(table), "state": state, "page": page},
    )
