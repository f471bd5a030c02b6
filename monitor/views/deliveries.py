"""Deliveries: the list, one of them, and its replay."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from core.actions import note
from monitor.columns import DELIVERIES
from monitor.forms import DeliveryFilter
from monitor.selectors import deliveries as selectors
from monitor.views.doors import acts, reads
from monitor.views.lists import Listing, show_list
from monitor.views.page import show
from webhooks.models import Delivery
from webhooks.services.receiving import REPLAYABLE, replay


@reads
def deliveries(request: HttpRequest) -> HttpResponseBase:
    form = DeliveryFilter(request.GET)
    return show_list(
        request, Listing(template="deliveries", table=DELIVERIES, form=form, pages=selectors.page)
    )


@reads
def delivery(request: HttpRequest, sequence: int) -> HttpResponse:
    found = get_object_or_404(Delivery, pk=sequence)
    replayable = found.status in REPLAYABLE and found.body is not None
    context = {"delivery": found, "payload": selectors.payload_of(found), "replayable": replayable}
    return show(request, "delivery", context)


@acts
def delivery_replay(request: HttpRequest, sequence: int) -> HttpResponse:
    get_object_or_404(Delivery.objects.only("pk"), pk=sequence)
    receipt = replay(sequence)
    note(request.user, f"delivery {sequence}", f"replayed it: {receipt.word}")
    tell = messages.success if receipt.http_status < HTTPStatus.BAD_REQUEST else messages.error
    tell(request, f"Replay: {receipt.word}. {receipt.sentence}")
    return redirect("delivery", sequence=sequence)
