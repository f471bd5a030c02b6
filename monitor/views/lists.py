"""What all lists have in common: an order, pages, and the same rows as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers

from core import clock
from monitor import paging, sheet
from monitor.forms import Filter
from monitor.tables import SORTED_AMONG, Order, Table, headings, read_order
from monitor.views.page import show

FILE_PAGE = 500


# Reads one page of a list, given conditions, order, cursor and size: an object with `rows`, and with `next`, the
# cursor of the page after it ("" on the last).
Pages = Callable[[Mapping[str, Any], Order, str, int], Any]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A list page: its template, its columns, its filter (None: it has none), and how a page of it is read."""

    template: str
    table: Table
    pages: Pages
    form: Filter | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    now: datetime | None = None


def show_list(request: HttpRequest, listing: Listing) -> HttpResponseBase:
    """Answer with the page, or with the whole list as a file (?format=csv).

    Raises BadRequest for an order or a cursor that the list does not have.
    """
    order = _order(request, listing.table)
    conditions = listing.form.conditions if listing.form else {}
    if conditions is not None and request.GET.get("format") == "csv":
        return _file(listing, conditions, order)
    page = None
    if conditions is not None:
        page = listing.pages(conditions, order, request.GET.get("cursor", ""), paging.ROWS)
    context = {
        **listing.context,
        "form": listing.form,
        "page": page,
        "table": listing.table,
        "headings": headings(listing.table, order),
        "sorted_among": SORTED_AMONG if order.is_partial else None,
    }
    return show(request, listing.template, context, now=listing.now)


def _order(request: HttpRequest, table: Table) -> Order:
    try:
        return read_order(table, request.GET.get("sort", ""))
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _file(listing: Listing, conditions: Mapping[str, Any], order: Order) -> StreamingHttpResponse:
    rows = _all_rows(lambda cursor: listing.pages(conditions, order, cursor, FILE_PAGE))
    response = StreamingHttpResponse(sheet.lines(listing.table, rows), content_type="text/csv; charset=utf-8")
    stamp = f"{listing.now or clock.now():%Y%m%d-%H%M%S}"
    response["Content-Disposition"] = f'attachment; filename="{listing.table.name}-{stamp}.csv"'
    add_never_cache_headers(response)
    return response


def _all_rows(read: Callable[[str], Any]) -> Iterator[Any]:
    """Yield row after row, a page at a time, so that no transaction and no list of all of them is held."""
    cursor = ""
    while True:
        page = read(cursor)
        yield from page.rows
        cursor = page.next
        if not cursor:
            return
