"""One pull request: why it is where it is, what comes next, its life; and what an operator may do about it."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from core.actions import note
from idle.services import reset
from monitor.explain.asking import ask
from monitor.explain.badges import FATE_BADGES
from monitor.forms import RowChoice
from monitor.links import Address, has_page, read_address
from monitor.views.doors import acts, reads
from monitor.views.page import show
from webhooks.models import PullRequest
from webhooks.services import pending


@reads
def search(request: HttpRequest) -> HttpResponse:
    """Go to the pull request that was typed (?q=), or say what can be typed."""
    text = request.GET.get("q", "").strip()
    address = read_address(text)
    if address and has_page(address.owner, address.name):
        return redirect("pull-request", address.owner, address.name, address.number)
    return show(request, "pull_requests", {"text": text, "unknown": False})


@reads
def pull_request(request: HttpRequest, owner: str, name: str, number: int) -> HttpResponse:
    """The page of one pull request (?row= for another row of the same address)."""
    chosen = (RowChoice(request.GET).conditions or {}).get("row")
    answer = ask(owner, name, number, sequence=chosen, cursor=request.GET.get("cursor", ""))
    if answer is None:
        context = {"text": str(Address(owner, name, number)), "unknown": True}
        response = show(request, "pull_requests", context)
        response.status_code = HTTPStatus.NOT_FOUND
        return response
    context = {"answer": answer, "row": answer.row, "fate": FATE_BADGES[answer.explanation.state]}
    return show(request, "pull_request", context, now=answer.now)


@acts
def re_request(request: HttpRequest, sequence: int) -> HttpResponse:
    row = get_object_or_404(PullRequest, pk=sequence)
    pending.re_request(PullRequest, [row.pk], actor=request.user.get_username())
    note(request.user, str(row), "re-requested")
    messages.success(request, f"{row} was put back to the bot.")
    return _back_to(row)


@acts
def reset_retries(request: HttpRequest, sequence: int) -> HttpResponse:
    row = get_object_or_404(PullRequest, pk=sequence)
    before = reset(row.pk, actor=request.user.get_username())
    note(request.user, str(row), f"had its Idle Retries counted from 0 again, after {before}")
    messages.success(request, f"{row}: Idle Retries are counted from 0 again, after {before}.")
    return _back_to(row)


def _back_to(row: PullRequest) -> HttpResponse:
    if not has_page(row.repository_owner, row.repository_name):
        return redirect("pull-requests")
    response = redirect("pull-request", row.repository_owner, row.repository_name, row.number)
    response["Location"] += f"?row={row.pk}"
    return response
