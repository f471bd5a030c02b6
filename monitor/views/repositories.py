"""Repositories, in the order in which the hourly sync comes to them."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from core import clock, registry
from monitor.columns import IDLE, REPOSITORIES
from monitor.forms import RepositoryFilter
from monitor.selectors import pool
from monitor.selectors import repositories as selectors
from monitor.selectors.passes import one_pass
from monitor.values import RepositoryStatus
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list
from sync.models import InstallationQuota
from sync.passes import SYNC_REPOSITORIES
from webhooks.values import DeliveryStatus


@reads
def repositories(request: HttpRequest) -> HttpResponseBase:
    now = clock.now()
    job = one_pass(SYNC_REPOSITORIES.name, registry.effective(), now=now)
    counts = selectors.counts()
    in_line = counts[RepositoryStatus.IN_LINE]
    line = selectors.line_of(job, in_line=in_line, now=now)
    listing = Listing(
        template="repositories",
        table=REPOSITORIES,
        form=RepositoryFilter(request.GET),
        pages=partial(selectors.page, line=line),
        context={"counts": counts.items(), "in_line": in_line, "job": job},
        now=now,
    )
    return show_list(request, listing)


@reads
def repository(request: HttpRequest, github_id: int) -> HttpResponseBase:
    """One repository: where it stands, what of it waits, and its pool of Idle Pull Requests."""
    now = clock.now()
    job = one_pass(SYNC_REPOSITORIES.name, registry.effective(), now=now)
    in_line = selectors.counts()[RepositoryStatus.IN_LINE]
    row = selectors.one(github_id, selectors.line_of(job, in_line=in_line, now=now))
    if row is None:
        raise Http404
    received = pool.deliveries_last_day(row.repository)
    context = {
        "row": row,
        "repository": row.repository,
        "open_pulls": pool.open_pulls(row.repository),
        "received": received.total(),
        "failed": received[DeliveryStatus.FAILED],
        "quota": InstallationQuota.objects.filter(pk=row.repository.installation_id or 0).first(),
    }
    pages = partial(pool.page, repository=row.repository)
    return show_list(
        request, Listing(template="repository", table=IDLE, pages=pages, context=context, now=now)
    )
