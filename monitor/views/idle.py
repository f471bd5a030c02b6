"""The idle list."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from idle.selectors import counts, next_due
from monitor.columns import IDLE
from monitor.forms import IdleFilter
from monitor.selectors import idle_list
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list
from monitor.views.page import HtmxHttpRequest, show


@reads
def idle(request: HtmxHttpRequest) -> HttpResponseBase:
    # A refresh swaps the rows alone; who is next is read from the whole line, which takes as long as they do.
    context = {"counts": counts().items(), "next_up": None if request.htmx else next_due()}
    form = IdleFilter(request.GET)
    return show_list(
        request, Listing(template="idle", table=IDLE, form=form, pages=idle_list.page, context=context)
    )


@reads
def idle_next(request: HttpRequest) -> HttpResponse:
    """Who gets the next Idle Retry: apart from the overview, because reading the line takes longer than counting."""
    return show(request, "idle_next", {"next_up": next_due()})
