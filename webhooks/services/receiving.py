"""From raw bytes to rows: everything between GitHub's request and our answer.

Authentic first, then readable, then written: the rows of an Event and the record of its Delivery commit together or not
at all, so a repeated Delivery finds either the whole of it or nothing.
"""

from __future__ import annotations

import time
import traceback
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import structlog
from django.conf import settings
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError, connection, transaction
from structlog.contextvars import bound_contextvars

from core import bell
from core.statements import insert_row
from githubapi import protocol
from webhooks.events import IGNORED, WRITERS
from webhooks.events.incoming import Incoming, Outcome, ignored
from webhooks.models import Delivery
from webhooks.payload import Payload, Unusable, clean, cut_bytes
from webhooks.services import rejections
from webhooks.services.pending import BOT_BELL
from webhooks.values import KEPT_BODY_BYTES, DeliveryStatus
from workqueue.services.intake import keep_event
from workqueue.values import Event

log = structlog.get_logger(__name__)

TRIES = 4
# GitHub hangs up after 10 s; a Delivery that cannot be written by then gets its 503 while somebody still listens.
PATIENCE = 6.0
ERROR_BYTES = 8_000
# What a person may replay: everything else has done its work already.
REPLAYABLE = (DeliveryStatus.FAILED, DeliveryStatus.IGNORED)


@dataclass(frozen=True)
class Receipt:
    """The answer to a Delivery: an HTTP status, one word for machines, one sentence for people."""

    http_status: int
    word: str
    sentence: str


@dataclass(frozen=True)
class Parcel:
    """A Delivery on its way into the tables; `known` = (Sequence, Status) of a record to be done again."""

    incoming: Incoming
    body: bytes
    started: float
    known: tuple[int, str] | None = None

    @cached_property
    def packed(self) -> bytes | None:
        """The body as it is kept (see pack)."""
        return pack(self.body)


class NotOurTurn(Exception):
    """Another process does this Delivery, or has done it."""


def receive(headers: Mapping[str, str], body: bytes | None, *, started: float) -> Receipt:
    """Take in one request; `body` None = larger than any Delivery of GitHub's. `started` is time.perf_counter()."""
    if body is None:
        return _turn_away(
            headers, 413, "too_large", "The body is larger than the 25 MB that GitHub sends at most."
        )
    if not settings.GITHUB_WEBHOOK_SECRETS:
        return _turn_away(
            headers, 503, "no_secret", "No webhook secret is configured here (GITHUB_WEBHOOK_SECRETS)."
        )
    try:
        protocol.verify_signature(body, headers, settings.GITHUB_WEBHOOK_SECRETS)
        envelope = protocol.parse_envelope(headers)
        payload = protocol.decode_payload(body, headers.get("Content-Type", ""))
    except protocol.BadSignature as error:
        return _turn_away(headers, 401, f"signature_{error.reason}", str(error))
    except protocol.BadEnvelope as error:
        return _turn_away(headers, 400, error.reason, str(error))
    incoming = Incoming(envelope, Payload(payload), settings.GITHUB_APP_SLUG)
    return deliver(Parcel(incoming, body, started))


def replay(delivery_sequence: int) -> Receipt:
    """Process a recorded Delivery again, from its kept body; refuses one that has done its work."""
    row = Delivery.objects.get(pk=delivery_sequence)
    if row.status not in REPLAYABLE:
        return Receipt(
            409, "refused", f"This Delivery is {row.status}: replaying it would write its rows twice."
        )
    if row.body is None:
        return Receipt(409, "refused", "The body of this Delivery is no longer kept.")
    body = zlib.decompress(row.body)
    envelope = protocol.Envelope(
        guid=uuid.UUID(row.guid),
        event=row.event,
        hook_id=row.hook_id,
        target_id=row.target_id,
        target_type=row.target_type,
    )
    try:
        payload = Payload(protocol.decode_payload(body, ""))
    except protocol.BadEnvelope as error:
        return Receipt(409, "refused", str(error))
    incoming = Incoming(envelope, payload, settings.GITHUB_APP_SLUG)
    return deliver(Parcel(incoming, body, time.perf_counter(), known=(row.pk, row.status)))


def _turn_away(headers: Mapping[str, str], status: int, reason: str, sentence: str) -> Receipt:
    rejections.count(reason, headers.get("X-GitHub-Hook-ID", ""))
    return Receipt(status, reason, sentence)


def deliver(parcel: Parcel) -> Receipt:
    """Write the Delivery; whatever goes wrong is recorded or, when the database itself is away, answered by 503.

    Every line that is logged meanwhile names the Delivery.
    """
    with bound_contextvars(delivery=parcel.incoming.guid):
        return _deliver(parcel)


def _deliver(parcel: Parcel) -> Receipt:
    try:
        return _deliver_patiently(parcel)
    except NotOurTurn:
        return Receipt(200, "duplicate", "This Delivery has been received before.")
    except Unusable as error:
        return _record_failure(parcel, 422, "unusable", str(error))
    except (OperationalError, InterfaceError):
        log.warning("database away", guid=parcel.incoming.guid, exc_info=True)
        return Receipt(503, "database_away", "The database cannot be written right now; nothing was stored.")
    except Exception:
        log.exception("delivery failed", guid=parcel.incoming.guid, event_name=parcel.incoming.envelope.event)
        return _record_failure(parcel, 500, "failed", traceback.format_exc())


def _deliver_patiently(parcel: Parcel) -> Receipt:
    """Try again after a lost race for a row's first insert, a deadlock, or a dropped connection."""
    for attempt in range(1, TRIES + 1):
        try:
            return _deliver_once(parcel)
        except IntegrityError:
            parcel = _known_by_now(parcel)
            if attempt == TRIES:
                raise
        except (OperationalError, InterfaceError):
            connection.close_if_unusable_or_obsolete()
            if attempt == TRIES or time.perf_counter() - parcel.started > PATIENCE:
                raise
    raise AssertionError("The last attempt returns or raises.")


def _known_by_now(parcel: Parcel) -> Parcel:
    """Return the parcel with the record that this Delivery has by now; raises NotOurTurn unless that one failed."""
    envelope = parcel.incoming.envelope
    found = Delivery.objects.filter(hook_id=envelope.hook_id, guid=parcel.incoming.guid)
    known = found.values_list("pk", "status").first()
    if known is None:
        return parcel
    if known[1] != DeliveryStatus.FAILED:
        raise NotOurTurn
    return Parcel(parcel.incoming, parcel.body, parcel.started, known)


def _deliver_once(parcel: Parcel) -> Receipt:
    with transaction.atomic():
        outcome = _write_rows(parcel.incoming)
        _record(parcel, outcome.status, note=outcome.note)
        _keep_for_work_items(parcel)
        if outcome.wakes:
            bell.ring(BOT_BELL)
    word = outcome.status.value
    status = 200 if outcome.status is DeliveryStatus.IGNORED else 202
    return Receipt(status, word, outcome.note)


def _write_rows(incoming: Incoming) -> Outcome:
    event = incoming.envelope.event
    if writer := WRITERS.get(event):
        return writer(incoming)
    return ignored(IGNORED.get(event, "no rule for this event"))


def _keep_for_work_items(parcel: Parcel) -> None:
    incoming = parcel.incoming
    event = Event(incoming.envelope.event, incoming.action, incoming.payload.data, incoming.guid)
    keep_event(event, parcel.packed)


def _record(parcel: Parcel, status: DeliveryStatus, *, note: str = "", error: str = "") -> None:
    """Insert the Delivery's record, or set the one to be done again; raises IntegrityError, NotOurTurn when beaten."""
    columns = {
        "status": status,
        "note": note,
        "error": cut_bytes(clean(error), ERROR_BYTES),
        "duration_ms": round((time.perf_counter() - parcel.started) * 1000),
    }
    if parcel.known is None:
        if parcel.packed is None:
            columns["note"] = f"{note}; its body is too large to keep, so it cannot be replayed"
        insert_row(Delivery, {**columns, **_described(parcel.incoming), "body": parcel.packed})
        return
    sequence, before = parcel.known
    if not Delivery.objects.filter(pk=sequence, status=before).update(**columns):
        raise NotOurTurn


def _described(incoming: Incoming) -> dict[str, object]:
    return {
        "hook_id": incoming.envelope.hook_id,
        "guid": incoming.guid,
        "event": incoming.envelope.event,
        "action": incoming.action,
        "target_type": incoming.envelope.target_type,
        "target_id": incoming.envelope.target_id,
        "repository_owner": incoming.repository_owner,
        "repository_name": incoming.repository_name,
        "sender_login": incoming.sender_login,
    }


def pack(body: bytes) -> bytes | None:
    """Return the body as it is kept, None when even compressed it is larger than a database takes in one statement."""
    # Level 1: a payload shrinks to a fifth either way, and the sender waits.
    packed = zlib.compress(body, 1)
    return packed if len(packed) <= KEPT_BODY_BYTES else None


def _record_failure(parcel: Parcel, status: int, word: str, error: str) -> Receipt:
    """Record a Delivery whose rows were rolled back, so that nothing is lost and a person can replay it."""
    sentence = (
        error
        if word == "unusable"
        else "The Delivery was recorded but could not be processed; it can be replayed."
    )
    try:
        _record(_known_by_now(parcel), DeliveryStatus.FAILED, error=error)
    except (IntegrityError, NotOurTurn):
        return Receipt(200, "duplicate", "This Delivery has been received before.")
    except DatabaseError:
        log.exception("failure not recorded", guid=parcel.incoming.guid)
        return Receipt(503, "database_away", "The database cannot be written right now; nothing was stored.")
    return Receipt(status, word, sentence)
