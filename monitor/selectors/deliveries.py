"""Deliveries, what became of them, and what was turned away."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, QuerySet, Sum

from core.functions import ago
from githubapi.protocol import FORM_LIMIT, BadEnvelope, decode_payload
from monitor import paging
from monitor.tables import Order
from webhooks.models import Delivery, Rejection

DAY = 86_400
# Larger payloads are cut on the page: a browser, and the person before it, gain nothing from megabytes.
SHOWN_CHARACTERS = 200_000


def last_day() -> Counter[str]:
    """Count the Deliveries of the last 24 hours by status."""
    groups = Delivery.objects.filter(received_at__gte=ago(DAY)).order_by().values_list("status")
    return Counter(dict(groups.annotate(rows=Count("*"))))


def rejected_last_day() -> Counter[str]:
    """Count the requests turned away in the last 24 hours (by whole hours) by reason."""
    groups = Rejection.objects.filter(hour__gt=ago(DAY)).order_by().values_list("reason")
    return Counter(dict(groups.annotate(rows=Sum("hits"))))


def page(form: Mapping[str, Any], order: Order, cursor: str, size: int) -> paging.Page[Delivery]:
    """Return a page of those that fit the filled-in fields, the newest first unless a person wants another order."""
    return paging.by_order(matching(form), order, cursor=cursor, size=size)


def matching(form: Mapping[str, Any]) -> QuerySet[Delivery]:
    """Return those that fit the filled-in fields, without their bodies."""
    return Delivery.objects.defer("body").filter(**conditions(form))


def conditions(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the equalities for the filled-in fields status, event, repository ("owner/name") and guid."""
    found: dict[str, Any] = {name: form[name] for name in ("status", "event", "guid") if form.get(name)}
    if repository := form.get("repository"):
        found["repository_owner"], _, found["repository_name"] = repository.partition("/")
    return found


@dataclass(frozen=True)
class Payload:
    """A body made readable: its text, a sentence when it is not whole, and the number of the pull request it names."""

    text: str
    note: str = ""
    number: int | None = None


def payload_of(delivery: Delivery) -> Payload:
    """Return a Delivery's body, indented when it is JSON, as text that must be escaped before it is shown."""
    if delivery.body is None:
        return Payload("", "The body is not kept: it was cleaned up, or it was too large to keep.")
    raw = zlib.decompressobj().decompress(bytes(delivery.body), FORM_LIMIT)
    try:
        payload = decode_payload(raw, "")
    except BadEnvelope as error:
        return _cut(raw[: SHOWN_CHARACTERS + 1].decode(errors="replace"), f"Shown as it came: {error}")
    return replace(_cut(json.dumps(payload, indent=2, ensure_ascii=False)), number=_number(payload))


def _number(payload: Mapping[str, Any]) -> int | None:
    pull = payload.get("pull_request")
    number = pull.get("number") if isinstance(pull, dict) else None
    return number if isinstance(number, int) and 0 < number <= paging.LARGEST else None


def _cut(text: str, note: str = "") -> Payload:
    # A lone surrogate is legal in JSON and illegal in UTF-8.
    text = text.encode(errors="replace").decode()
    if len(text) <= SHOWN_CHARACTERS:
        return Payload(text, note)
    return Payload(
        text[:SHOWN_CHARACTERS], f"{note} Only the first {SHOWN_CHARACTERS:,} characters are shown.".strip()
    )
