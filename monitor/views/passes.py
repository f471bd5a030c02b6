"""Passes: how they stand, their records, and "run now"."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from core import clock, pausing, registry
from core.actions import note
from core.passes import Pass, find_pass
from core.run_now import ask_for_run
from monitor.columns import RUNS
from monitor.selectors import passes as selectors
from monitor.views.doors import acts, reads
from monitor.views.lists import Listing, show_list

LONGEST_REASON = 500


@reads
def passes(request: HttpRequest) -> HttpResponseBase:
    """All passes and their runs (?name= for those of one)."""
    name, now = request.GET.get("name", ""), clock.now()
    if name and name not in settings.PASSES:
        raise Http404
    jobs = selectors.all_passes(registry.effective(), now=now)
    context = {
        "name": name,
        "job": next((job for job in jobs if job.name == name), None),
        "passes": jobs,
        "missed": selectors.missed(jobs, now=now),
        "worker": selectors.worker(now=now),
    }
    runs = partial(selectors.runs, name=name)
    return show_list(request, Listing(template="passes", table=RUNS, pages=runs, context=context, now=now))


@acts
def pass_run(request: HttpRequest, name: str) -> HttpResponse:
    if name not in settings.PASSES:
        raise Http404
    answer = ask_for_run(name, actor=request.user.get_username())
    if answer.accepted:
        note(request.user, f"pass {name}", "asked for a run")
    (messages.success if answer.accepted else messages.error)(request, answer.sentence)
    return redirect("passes")


@acts
def pass_pause(request: HttpRequest, name: str) -> HttpResponse:
    """Pause a pass for the reason that is posted."""
    job, reason = _pass_of(name), request.POST.get("reason", "")[:LONGEST_REASON]
    try:
        pausing.pause(job, reason)
    except ValueError as error:
        messages.error(request, str(error))
    else:
        note(request.user, f"pass {name}", f"paused it: {reason.strip()}")
        messages.success(request, f"The pass {name} is paused.")
    return _back_to(name)


@acts
def pass_resume(request: HttpRequest, name: str) -> HttpResponse:
    pausing.resume(_pass_of(name))
    note(request.user, f"pass {name}", "switched it on again")
    messages.success(request, f"The pass {name} is on again; it runs at the next tick if it is due.")
    return _back_to(name)


def _pass_of(name: str) -> Pass:
    if name not in settings.PASSES:
        raise Http404
    return find_pass(name)


def _back_to(name: str) -> HttpResponse:
    return redirect(f"{reverse('passes')}?name={name}")
