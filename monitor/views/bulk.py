"""Acts on many rows: what one would touch, starting it, its progress, stopping it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from core.actions import note
from core.run_now import ask_for_run
from monitor.models import BulkJob
from monitor.selectors import bulk as selectors
from monitor.services import bulk
from monitor.services.bulk_kinds import KINDS, BulkKind
from monitor.views.doors import acts, prepares, reads
from monitor.views.lists import Listing, show_list
from monitor.views.page import show
from monitor.wording import amount
from monitor.work_columns import BULK_JOBS


@reads
def jobs(request: HttpRequest) -> HttpResponseBase:
    listing = Listing(
        template="bulk", table=BULK_JOBS, pages=selectors.page, context={"kinds": KINDS.values()}
    )
    return show_list(request, listing)


@prepares
def prepare(request: HttpRequest, kind: str) -> HttpResponse:
    """GET lists what would be touched, POST starts it: both by the same filter."""
    if kind not in KINDS:
        raise Http404
    # Before anything was filled in, nothing is wrong with it yet.
    form = KINDS[kind].form(request.POST if request.method == "POST" else request.GET or None)
    if request.method == "POST" and form.conditions is not None:
        return _start(request, KINDS[kind], form.conditions)
    preview = None if form.conditions is None else selectors.preview(KINDS[kind].rows(form.conditions))
    context = {"kind": KINDS[kind], "form": form, "preview": preview}
    return show(request, "bulk_prepare", context)


def _start(request: HttpRequest, kind: BulkKind, criteria: dict[str, object]) -> HttpResponse:
    actor = request.user.get_username()
    job = bulk.start(kind, criteria, actor=actor)
    if job is None:
        messages.error(request, "Nothing fits any more, so nothing was started.")
        return redirect("bulk")
    what = f"{kind.label.lower()}, {amount(job.total, 'row')}"
    note(request.user, f"bulk job {job.pk}", f"started: {what}")
    messages.success(request, f"Started: {what}.")
    # The next tick would find it too: this only saves the wait.
    ask_for_run("bulk", actor=actor)
    return redirect("bulk")


@acts
def cancel(request: HttpRequest, sequence: int) -> HttpResponse:
    get_object_or_404(BulkJob, pk=sequence)
    if bulk.cancel(sequence):
        note(request.user, f"bulk job {sequence}", "cancelled it")
        messages.success(request, "Cancelled: what is done stays done, nothing more is touched.")
    else:
        messages.error(request, "It had ended already.")
    return redirect("bulk")
