"""GitHub's delivery protocol: signature, envelope headers and body, as pure functions over bytes and headers.

Nothing here knows Django or an HTTP client, so that the receiver, the sandbox and the tests share one reading
of the protocol. The order of use is the order of trust: `verify_signature` over the raw bytes first, then
`parse_envelope`, then `decode_payload`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

# GitHub caps a payload at 25 MB and does not send a larger one at all. A form body is the same payload with
# most of its punctuation written as three bytes, hence three times as much.
# https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap
JSON_LIMIT = 25 * 1024 * 1024
FORM_LIMIT = 3 * JSON_LIMIT

SIGNATURE_HEADER = "X-Hub-Signature-256"
LEGACY_SIGNATURE_HEADER = "X-Hub-Signature"

TEXT_LIMIT = 50
LARGEST_ID = 2**63 - 1

_SIGNATURE = re.compile(r"sha256=([0-9a-fA-F]{64})")
_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EVENT = re.compile(rf"[a-z0-9_]{{1,{TEXT_LIMIT}}}")
_NUMBER = re.compile(r"[0-9]{1,19}")
_PAYLOAD_FIELD = re.compile(rb"(?:^|&)payload=([^&]*)")

# Escapes are decoded in pieces of this many bytes: the standard decoder keeps one object per escape, which
# for a whole 75 MB form would be more than a gigabyte at once. An escape takes three bytes; a piece must
# not be smaller.
_FORM_PIECE = 1024 * 1024


class BadSignature(Exception):
    """The delivery does not prove that a holder of one of our secrets sent it.

    `reason` is one of "missing", "sha1_only", "malformed", "wrong". The message never holds a digest or
    secret.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class BadEnvelope(Exception):
    """The delivery's headers or body cannot be read at all.

    `reason` is one of "missing_guid", "bad_guid", "missing_event", "bad_event", "not_json", "not_an_object",
    "bad_form".
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The delivery headers: who was told what. An id is 0, a type "" where GitHub named none."""

    guid: uuid.UUID
    event: str
    hook_id: int
    target_id: int
    target_type: str


# https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
def sign(body: bytes, secret: str) -> str:
    """Return the value of `X-Hub-Signature-256` for the raw bytes of a body, "sha256=<64 hex digits>"."""
    return "sha256=" + _digest(body, secret).hex()


# https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
def verify_signature(body: bytes, headers: Mapping[str, str], secrets: Sequence[str]) -> None:
    """Accept the raw bytes if any of the secrets signed them, else raise BadSignature.

    An empty secret is skipped: anybody can sign with it. The SHA-1 header is never looked at for proof,
    only to say why a delivery was refused. Every secret is tried whatever the outcome, so that time tells
    nothing.
    """
    claimed = _claimed_digest(headers)
    matched = False
    for secret in secrets:
        if secret:
            matched |= hmac.compare_digest(_digest(body, secret), claimed)
    if not matched:
        raise BadSignature("wrong", "The signature does not belong to this body and any configured secret.")


# https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
def parse_envelope(headers: Mapping[str, str]) -> Envelope:
    """Read the delivery headers; raise BadEnvelope if the GUID or the event is absent or senseless.

    The hook's and the target's ids only describe the delivery: a senseless one is 0 and no reason to refuse
    it.
    """
    return Envelope(
        guid=_guid(_header(headers, "X-GitHub-Delivery")),
        event=_event(_header(headers, "X-GitHub-Event")),
        hook_id=_id_or_zero(_header(headers, "X-GitHub-Hook-ID")),
        target_id=_id_or_zero(_header(headers, "X-GitHub-Hook-Installation-Target-ID")),
        target_type=_header(headers, "X-GitHub-Hook-Installation-Target-Type")[:TEXT_LIMIT],
    )


# https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks (content type)
def is_form(body: bytes, content_type: str) -> bool:
    """Tell whether a body is a form (`payload=<JSON>`); an unknown content type is decided by the body."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/json":
        return False
    if media_type == "application/x-www-form-urlencoded":
        return True
    return body.startswith(b"payload=")


def decode_payload(body: bytes, content_type: str) -> dict[str, Any]:
    """Return the payload object of a JSON or form body, or raise BadEnvelope.

    Refused: text that is not UTF-8, not JSON (NaN and Infinity included), an integer too long to read,
    nesting too deep to read, anything but an object at the top. A lone surrogate escape is JSON and passes;
    whoever stores the text replaces it.
    """
    return _json_object(_form_payload(body) if is_form(body, content_type) else body)


def _digest(body: bytes, secret: str) -> bytes:
    return hmac.digest(secret.encode(), body, hashlib.sha256)


def _claimed_digest(headers: Mapping[str, str]) -> bytes:
    value = _header(headers, SIGNATURE_HEADER)
    if not value:
        if _header(headers, LEGACY_SIGNATURE_HEADER):
            raise BadSignature(
                "sha1_only", f"Only a SHA-1 signature was sent; {SIGNATURE_HEADER} is required."
            )
        raise BadSignature("missing", f"The delivery is not signed: {SIGNATURE_HEADER} is missing.")
    match = _SIGNATURE.fullmatch(value)
    if match is None:
        raise BadSignature("malformed", f"{SIGNATURE_HEADER} must be sha256= and 64 hexadecimal digits.")
    return bytes.fromhex(match[1])


def _header(headers: Mapping[str, str], name: str) -> str:
    """Return a header's value without surrounding blanks, "" if absent; names compare as HTTP's do."""
    value = headers.get(name)
    if value is None:
        lowered = name.lower()
        value = next((text for key, text in headers.items() if key.lower() == lowered), "")
    return value.strip()


def _guid(text: str) -> uuid.UUID:
    if not text:
        raise BadEnvelope("missing_guid", "The header X-GitHub-Delivery is missing.")
    if not _GUID.fullmatch(text):
        raise BadEnvelope("bad_guid", "The header X-GitHub-Delivery is not a GUID.")
    return uuid.UUID(text)


def _event(text: str) -> str:
    if not text:
        raise BadEnvelope("missing_event", "The header X-GitHub-Event is missing.")
    if not _EVENT.fullmatch(text):
        raise BadEnvelope("bad_event", "The header X-GitHub-Event is not the name of an event.")
    return text


def _id_or_zero(text: str) -> int:
    number = int(text) if _NUMBER.fullmatch(text) else 0
    return number if number <= LARGEST_ID else 0


def _form_payload(body: bytes) -> bytes:
    field = _PAYLOAD_FIELD.search(body)
    if field is None:
        raise BadEnvelope("bad_form", "The form holds no field named payload.")
    encoded = field[1].replace(b"+", b" ")
    decoded = bytearray()
    start = 0
    while start < len(encoded):
        end = _piece_end(encoded, start)
        decoded += unquote_to_bytes(encoded[start:end])
        start = end
    return bytes(decoded)


def _piece_end(encoded: bytes, start: int) -> int:
    """Return where the piece from `start` ends: never inside an escape, which takes three bytes."""
    end = min(start + _FORM_PIECE, len(encoded))
    if end < len(encoded):
        last = encoded.rfind(b"%", end - 2, end)
        return last if last > start else end
    return end


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _json_object(text: bytes) -> dict[str, Any]:
    try:
        payload = _DECODER.decode(text.decode())
    except (ValueError, RecursionError) as error:
        # The parser's own words may quote the body; the class says enough for a person.
        raise BadEnvelope("not_json", f"The body cannot be read as JSON ({type(error).__name__}).") from error
    if not isinstance(payload, dict):
        raise BadEnvelope("not_an_object", "The body is JSON, but not an object.")
    return payload
