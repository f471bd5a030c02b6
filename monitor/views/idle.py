"""The idle list."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from idle.selectors import counts, next_due
from monitor.forms import IdleFilter
from monitor.selectors import idle_list
from monitor.views.page import show


@require_safe
@login_required
def idle(request: HttpRequest) -> HttpResponse:
    form = IdleFilter(request.GET)
    conditions = form.conditions
    number = (conditions or {}).get("page", 1)
    page = idle_list.page(conditions, number=number) if conditions is not None else None
    return show(
        request,
        "idle",
        {"form": form, "page": page, "counts": counts().items(), "next_up": next_due()},
    )
