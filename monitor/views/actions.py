"""Who clicked what, on the dashboards and in the admin."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from monitor.columns import ACTIONS
from monitor.forms import ActionFilter
from monitor.selectors import actions as selectors
from monitor.views.lists import Listing, show_list


@require_safe
@login_required
def actions(request: HttpRequest) -> HttpResponseBase:
    form = ActionFilter(request.GET)
    return show_list(request, Listing(template="actions", table=ACTIONS, form=form, pages=selectors.page))
