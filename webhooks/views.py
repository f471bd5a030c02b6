"""The door for GitHub."""

from __future__ import annotations

import time

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from githubapi import protocol
from webhooks.services import receiving


@csrf_exempt
@require_POST
def github(request: HttpRequest) -> JsonResponse:
    """Receive one Delivery and say in JSON what became of it."""
    started = time.perf_counter()
    receipt = receiving.receive(request.headers, read_body(request), started=started)
    return JsonResponse({"status": receipt.word, "detail": receipt.sentence}, status=receipt.http_status)


def read_body(request: HttpRequest) -> bytes | None:
    """Return the raw bytes, None when there are more than any Delivery has.

    Read from the stream, because request.body refuses what Django takes for too large a form (2.5 MB).
    """
    form = request.content_type == "application/x-www-form-urlencoded"
    limit = protocol.FORM_LIMIT if form else protocol.JSON_LIMIT
    body = request.read(limit + 1)
    return body if len(body) <= limit else None
