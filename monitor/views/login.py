"""The door when too many passwords were wrong."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from axes.helpers import get_cool_off
from axes.models import AccessAttempt
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from monitor.wording import age


def closed(request: HttpRequest, _response: Any, credentials: dict[str, Any]) -> HttpResponse:
    """Answer a login that came too soon: 429, and when the next one is looked at."""
    context = {"username": credentials.get("username", ""), "again": _again(request, credentials)}
    return render(request, "registration/closed.html", context, status=HTTPStatus.TOO_MANY_REQUESTS)


def _again(request: HttpRequest, credentials: dict[str, Any]) -> str:
    attempts = AccessAttempt.objects.filter(username=credentials.get("username")).order_by("-attempt_time")
    last = attempts.values_list("attempt_time", flat=True).first()
    wait = get_cool_off(request)
    return age(timezone.now(), last + wait) if last and wait else "later"
