"""Merges: the queue with its reasons, what the poller counted, and what a person decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from core import registry
from core.actions import note
from githubapi.errors import GithubError
from merge import setting_specs
from merge.models import Merge
from merge.services import approving
from merge.services.asking import WAITING, Answer, Unknown, ask
from monitor.forms import MergeFilter, VerdictFilter
from monitor.links import read_address
from monitor.selectors import merges as selectors
from monitor.views.doors import acts, reads
from monitor.views.lists import Listing, show_list
from monitor.work_columns import MERGES, VERDICTS
from workqueue.values import Refused


@reads
def merges(request: HttpRequest) -> HttpResponseBase:
    values = registry.effective()
    context = {
        "counts": selectors.counts(),
        "ticks": selectors.ticks(),
        "counters": selectors.COUNTERS.values(),
        "is_on": values[setting_specs.SWITCH.enabled],
        "hours": values[setting_specs.BACKOFF_HOURS],
        "scope": values[setting_specs.BACKOFF_SCOPE],
        "method": values[setting_specs.METHOD],
        "minutes": values[setting_specs.INTERVAL_MINUTES],
    }
    form = MergeFilter(request.GET)
    listing = Listing(template="merges", table=MERGES, form=form, pages=selectors.page, context=context)
    return show_list(request, listing)


@reads
def verdicts(request: HttpRequest) -> HttpResponseBase:
    context = {"counts": selectors.verdict_counts()}
    form = VerdictFilter(request.GET)
    listing = Listing(
        template="merge_verdicts", table=VERDICTS, form=form, pages=selectors.verdicts, context=context
    )
    return show_list(request, listing)


@acts
def merge_ask(request: HttpRequest) -> HttpResponse:
    """Ask for the merge of the pull request that was typed."""
    text = request.POST.get("pull_request", "")
    address = read_address(text)
    if address is None:
        messages.error(request, "Write the pull request as owner/name#12, or paste its address on GitHub.")
        return redirect("merges")
    caller = request.user.get_username()
    try:
        answer = ask(address.owner, address.name, address.number, caller=caller)
    except (Unknown, Refused, GithubError) as error:
        messages.error(request, f"{address} is not merged: {error}")
    else:
        _tell(request, str(address), answer)
    return redirect("merges")


def _tell(request: HttpRequest, target: str, answer: Answer) -> None:
    note(request.user, target, f"asked for its merge: {answer.word}")
    tell = messages.warning if answer.word == WAITING else messages.success
    tell(request, f"{target}: {answer.sentence}")


@acts
def merge_approve(request: HttpRequest, sequence: int) -> HttpResponse:
    actor = request.user.get_username()
    return _decided(request, sequence, "approved", lambda: approving.approve(sequence, actor=actor))


@acts
def merge_reject(request: HttpRequest, sequence: int) -> HttpResponse:
    actor, reason = request.user.get_username(), request.POST.get("reason", "")
    if not reason.strip():
        messages.error(request, "Say why it is rejected: whoever asked for it reads that.")
        return redirect("merges")
    return _decided(
        request, sequence, "rejected", lambda: approving.reject(sequence, actor=actor, reason=reason)
    )


@acts
def merge_retry(request: HttpRequest, sequence: int) -> HttpResponse:
    actor = request.user.get_username()
    return _decided(request, sequence, "tried again", lambda: approving.retry(sequence, actor=actor))


def _decided(request: HttpRequest, sequence: int, word: str, decide: Callable[[], None]) -> HttpResponse:
    merge: Any = get_object_or_404(Merge, pk=sequence)
    try:
        decide()
    except Refused as error:
        messages.error(request, f"{merge.place} was not {word}: {error}")
    else:
        note(request.user, merge.place, f"merge {word}")
        messages.success(request, f"The merge of {merge.place} is {word}.")
    return redirect("merges")
