"""What all pages have in common."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django_htmx.middleware import HtmxDetails

from core import clock


class HtmxHttpRequest(HttpRequest):
    """What django-htmx's middleware makes of every request."""

    htmx: HtmxDetails


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, now: datetime | None = None
) -> HttpResponse:
    """Render a page that no cache may keep; its times are seen from `now`, read here if it was not before."""
    context["now"] = now or clock.now()
    response = render(request, f"monitor/{template}.html", context)
    add_never_cache_headers(response)
    return response
