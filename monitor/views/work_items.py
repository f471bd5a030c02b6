"""Work items: the list, one of them, its retry and its end by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from core.actions import note
from monitor.forms import WorkItemFilter
from monitor.links import Address, read_address
from monitor.selectors import work_items as selectors
from monitor.views.doors import acts, reads
from monitor.views.lists import Listing, show_list
from monitor.views.page import show
from monitor.work_columns import WORK_ITEMS
from workqueue import decisions
from workqueue.models import WorkItem
from workqueue.services import control, showing
from workqueue.values import Phase, Refused

LONGEST_REASON = 500


@reads
def work_items(request: HttpRequest) -> HttpResponseBase:
    listing = Listing(
        template="work_items",
        table=WORK_ITEMS,
        form=WorkItemFilter(request.GET),
        pages=selectors.page,
        context={"counts": selectors.counts()},
    )
    return show_list(request, listing)


@reads
def work_item(request: HttpRequest, sequence: int) -> HttpResponse:
    item = get_object_or_404(WorkItem, pk=sequence)
    (shown,) = showing.show([item])
    phase = Phase(item.phase)
    context = {
        "shown": shown,
        "pull_request": _pull_request_of(shown.details),
        "audit": showing.recent_audit(item),
        "unread": showing.unread(item),
        "may_retry": not decisions.why_not_retry(phase),
        "may_cancel": not decisions.why_not_cancel(phase),
    }
    return show(request, "work_item", context)


def _pull_request_of(details: Mapping[str, Any]) -> Address | None:
    """Return what the item is about, as far as its type names a repository and a pull request in it."""
    return read_address(f"{details.get('Repository', '')}{details.get('Pull request', '')}")


@acts
def work_item_retry(request: HttpRequest, sequence: int) -> HttpResponse:
    actor = request.user.get_username()
    return _act(request, sequence, "retried it", lambda: control.retry(sequence, actor=actor))


@acts
def work_item_cancel(request: HttpRequest, sequence: int) -> HttpResponse:
    actor, reason = request.user.get_username(), request.POST.get("reason", "")[:LONGEST_REASON]
    return _act(
        request, sequence, "cancelled it", lambda: control.cancel(sequence, actor=actor, reason=reason)
    )


def _act(request: HttpRequest, sequence: int, done: str, act: Callable[[], None]) -> HttpResponse:
    try:
        act()
    except WorkItem.DoesNotExist:
        raise Http404 from None
    except Refused as refusal:
        messages.error(request, refusal.sentence)
    else:
        note(request.user, f"work item {sequence}", done)
        messages.success(request, f"You {done}.")
    return redirect("work-item", sequence=sequence)
