"""Who clicked what, on the dashboards and in the admin."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from monitor.forms import ActionFilter
from monitor.selectors import actions as selectors
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list
from monitor.work_columns import ACTIONS


@reads
def actions(request: HttpRequest) -> HttpResponseBase:
    form = ActionFilter(request.GET)
    return show_list(request, Listing(template="actions", table=ACTIONS, form=form, pages=selectors.page))
