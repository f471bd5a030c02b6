"""The first page, and the trends that it loads beside its counts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from core import clock
from monitor.selectors import trends as trend_selectors
from monitor.selectors.overview import overview as gather
from monitor.views.doors import reads
from monitor.views.page import show


@reads
def overview(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    return show(request, "overview", {"overview": gather(now=now)}, now=now)


@reads
def trends(request: HttpRequest) -> HttpResponse:
    """Throughput and charts: a page of its own, because counting days takes longer than counting the present."""
    now = clock.now()
    context = {
        "throughput": trend_selectors.throughput(now=now),
        "charts": trend_selectors.charts(now=now),
    }
    return show(request, "trends", context, now=now)
