"""Passes: how they stand, their records, and "run now"."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from core import clock, registry
from core.run_now import ask_for_run
from monitor.selectors import passes as selectors
from monitor.views.page import show


@require_safe
@login_required
def passes(request: HttpRequest) -> HttpResponse:
    """All passes and their runs (?name= for those of one)."""
    name, now = request.GET.get("name", ""), clock.now()
    if name and name not in settings.PASSES:
        raise Http404
    context = {
        "name": name,
        "passes": selectors.all_passes(registry.effective(), now=now),
        "worker": selectors.worker(),
        "page": selectors.runs(name, cursor=request.GET.get("cursor", "")),
    }
    return show(request, "passes", context, now=now)


@require_POST
@login_required
@permission_required("core.force_pass", raise_exception=True)
def pass_run(request: HttpRequest, name: str) -> HttpResponse:
    if name not in settings.PASSES:
        raise Http404
    answer = ask_for_run(name, actor=request.user.get_username())
    (messages.success if answer.accepted else messages.error)(request, answer.sentence)
    return redirect("passes")
