"""Send signed deliveries as GitHub does, over one connection that is kept open."""

from __future__ import annotations

import http.client
import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode, urlsplit

from githubapi.protocol import sign

# GitHub gives a receiver ten seconds.
# https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
TIMEOUT_SECONDS = 10.0
HOOK_ID = 400100


class Answer(NamedTuple):
    """What the receiver answered: HTTP status and body text."""

    status: int
    body: str


def first_secret(path: Path) -> str:
    """Return the first secret of a file that may list several, comma-separated, for rotation.

    Raises ValueError if there is none.
    """
    secret = path.read_text(encoding="utf-8").split(",")[0].strip()
    if not secret:
        raise ValueError(f"The file {path} holds no secret.")
    return secret


def delivery_headers(
    event: str, body: bytes, secret: str, *, content_type: str = "application/json"
) -> dict[str, str]:
    """Return the headers of a signed delivery, but for those that say which one it is and of which hook."""
    return {
        "Accept": "*/*",
        "Content-Type": content_type,
        "User-Agent": "GitHub-Hookshot/0c1d2e3",
        "X-GitHub-Event": event,
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": sign(body, secret),
    }


class Sender:
    """One hook of a pretended GitHub. Nothing is retried: whoever sends sees each failure as it is.

    `target_id` is the App's id. Close it, or use it in a `with` statement.
    """

    def __init__(self, url: str, secret: str, *, target_id: int = 200100) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{url!r} is not the http(s) address of a receiver.")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=TIMEOUT_SECONDS)
        self._path = parts.path or "/"
        self._secret = secret
        self._target_id = target_id

    def send(
        self,
        event: str,
        payload: Mapping[str, Any],
        *,
        guid: uuid.UUID | None = None,
        hook_id: int = HOOK_ID,
        form: bool = False,
    ) -> Answer:
        """Sign and send one payload, as JSON or as a form; without a GUID it gets a new one.

        Raises OSError or http.client.HTTPException if no answer came.
        """
        text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
        body = urlencode({"payload": text}).encode() if form else text.encode()
        content_type = "application/x-www-form-urlencoded" if form else "application/json"
        return self.send_bytes(event, body, content_type, guid=guid, hook_id=hook_id)

    def send_bytes(
        self,
        event: str,
        body: bytes,
        content_type: str = "application/json",
        *,
        guid: uuid.UUID | None = None,
        hook_id: int = HOOK_ID,
    ) -> Answer:
        """Sign and send these very bytes."""
        headers = delivery_headers(event, body, self._secret, content_type=content_type)
        headers |= {
            "X-GitHub-Delivery": str(guid or uuid.uuid4()),
            "X-GitHub-Hook-ID": str(hook_id),
            "X-GitHub-Hook-Installation-Target-ID": str(self._target_id),
        }
        return self.post(headers, body)

    def post(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send a body under headers that are complete already."""
        self._connection.request("POST", self._path, body, dict(headers))
        response = self._connection.getresponse()
        return Answer(response.status, response.read().decode(errors="replace"))

    def close(self) -> None:
        """End the connection; the next delivery opens a new one."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
