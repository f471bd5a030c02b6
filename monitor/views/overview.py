"""The first page."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from core import clock
from monitor.selectors.overview import overview as gather
from monitor.views.page import show


@require_safe
@login_required
def overview(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    return show(request, "overview", {"overview": gather(now=now)}, now=now)
