"""Repositories, in the order in which the hourly sync comes to them."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core import clock, registry
from monitor.columns import REPOSITORIES
from monitor.forms import RepositoryFilter
from monitor.selectors import repositories as selectors
from monitor.selectors.passes import one_pass
from monitor.values import RepositoryStatus
from monitor.views.doors import reads
from monitor.views.lists import Listing, show_list
from sync.passes import SYNC_REPOSITORIES


@reads
def repositories(request: HttpRequest) -> HttpResponseBase:
    now = clock.now()
    job = one_pass(SYNC_REPOSITORIES.name, registry.effective(), now=now)
    counts = selectors.counts()
    in_line = counts[RepositoryStatus.IN_LINE]
    line = selectors.Line(in_line, selectors.next_sync(job, now=now), now)
    listing = Listing(
        template="repositories",
        table=REPOSITORIES,
        form=RepositoryFilter(request.GET),
        pages=partial(selectors.page, line=line),
        context={"counts": counts.items(), "in_line": in_line, "job": job},
        now=now,
    )
    return show_list(request, listing)
