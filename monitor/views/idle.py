"""The idle list."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from idle.selectors import counts, next_due
from monitor.columns import IDLE
from monitor.forms import IdleFilter
from monitor.selectors import idle_list
from monitor.views.lists import Listing, show_list


@require_safe
@login_required
def idle(request: HttpRequest) -> HttpResponseBase:
    context = {"counts": counts().items(), "next_up": next_due()}
    form = IdleFilter(request.GET)
    return show_list(
        request, Listing(template="idle", table=IDLE, form=form, pages=idle_list.page, context=context)
    )
