"""The idle list."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from idle.selectors import counts, next_due
from monitor.columns import IDLE
from monitor.forms import IdleFilter
from monitor.selectors import idle_list
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list


@reads
def idle(request: HttpRequest) -> HttpResponseBase:
    context = {"counts": counts().items(), "next_up": next_due()}
    form = IdleFilter(request.GET)
    return show_list(
        request, Listing(template="idle", table=IDLE, form=form, pages=idle_list.page, context=context)
    )
