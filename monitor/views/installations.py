"""Installations, and the monthly pass that lists them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from core import clock, registry
from monitor.selectors import installations as selectors
from monitor.selectors.passes import one_pass
from monitor.views.page import show
from sync.passes import SYNC_INSTALLATIONS
from sync.setting_specs import LAST_RUN


@require_safe
@login_required
def installations(request: HttpRequest) -> HttpResponse:
    now, values = clock.now(), registry.effective()
    context = {
        "job": one_pass(SYNC_INSTALLATIONS.name, values, now=now),
        "last_complete": values[LAST_RUN],
        "page": selectors.page(cursor=request.GET.get("cursor", ""), now=now),
    }
    return show(request, "installations", context, now=now)
