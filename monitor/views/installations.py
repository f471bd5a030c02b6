"""Installations, and the monthly pass that lists them."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core import clock, registry
from monitor.columns import INSTALLATIONS
from monitor.selectors import installations as selectors
from monitor.selectors.passes import one_pass
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list
from sync.passes import SYNC_INSTALLATIONS
from sync.setting_specs import LAST_RUN


@reads
def installations(request: HttpRequest) -> HttpResponseBase:
    now, values = clock.now(), registry.effective()
    context = {
        "job": one_pass(SYNC_INSTALLATIONS.name, values, now=now),
        "last_complete": values[LAST_RUN],
    }
    pages = partial(selectors.page, now=now)
    return show_list(
        request,
        Listing(template="installations", table=INSTALLATIONS, pages=pages, context=context, now=now),
    )
