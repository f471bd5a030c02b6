"""The matrix, the rows behind a cell, and the rows that were given up on."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from monitor.columns import FAILED, ROWS
from monitor.forms import FailureFilter, StateFilter
from monitor.selectors import failures
from monitor.selectors import processing as selectors
from monitor.values import STATE_GROUPS
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list
from monitor.views.page import show
from webhooks.values import ProcessingState


@reads
def processing(request: HttpRequest) -> HttpResponse:
    tables = selectors.matrix()
    context = {
        "tables": tables,
        "totals": selectors.totals(tables),
        "groups": STATE_GROUPS.items(),
        "failures": failures.failures(),
    }
    return show(request, "processing", context)


@reads
def processing_rows(request: HttpRequest, table: str) -> HttpResponseBase:
    """One table's rows in one state (?state=, NEW when it is left out)."""
    form = StateFilter(request.GET)
    if table not in selectors.TABLES or not (form.is_valid() or "state" not in form.errors):
        raise Http404
    state = ProcessingState(form.cleaned_data.get("state") or ProcessingState.NEW)
    listing = Listing(
        template="processing_rows",
        table=ROWS,
        form=form,
        pages=partial(selectors.page, cell=selectors.Cell(table, state)),
        context={"counts": selectors.count_table(table), "state": state},
    )
    return show_list(request, listing)


@reads
def failed(request: HttpRequest) -> HttpResponseBase:
    """One table's rows that were given up on (?table=, the first that has any when it is left out)."""
    counted, conditions = failures.failures(), FailureFilter(request.GET).conditions
    if conditions is None:
        raise Http404
    slug = conditions.get("table", counted.first)
    context = {"failures": counted, "slug": slug}
    pages = partial(failures.page, slug=slug)
    return show_list(request, Listing(template="failed", table=FAILED, pages=pages, context=context))
