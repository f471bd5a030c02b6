"""Repositories, in the order in which the hourly sync comes to them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from core import clock, registry
from monitor.forms import RepositoryFilter
from monitor.selectors import repositories as selectors
from monitor.selectors.passes import one_pass
from monitor.values import RepositoryStatus
from monitor.views.page import show
from sync.passes import SYNC_REPOSITORIES


@require_safe
@login_required
def repositories(request: HttpRequest) -> HttpResponse:
    now, form = clock.now(), RepositoryFilter(request.GET)
    job = one_pass(SYNC_REPOSITORIES.name, registry.effective(), now=now)
    counts = selectors.counts()
    in_line = counts[RepositoryStatus.IN_LINE]
    conditions, page = form.conditions, None
    if conditions is not None:
        page = selectors.page(
            conditions,
            cursor=request.GET.get("cursor", ""),
            in_line=in_line,
            next_run=selectors.next_sync(job, now=now),
            now=now,
        )
    context = {"form": form, "page": page, "counts": counts.items(), "in_line": in_line, "job": job}
    return show(request, "repositories", context, now=now)
