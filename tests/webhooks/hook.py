"""A hook for tests: sends signed deliveries through Django's test client, and a small world to send about."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.test import Client

from githubapi.protocol import sign
from sandbox.world import Installation, Issue, Person, PullRequest, Repository

SECRET = "a secret for tests"
SLUG = "pullkeeper-demo"
HOOK_ID = 400100
BASE = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)

OCTO = Person(id=70, login="octo", type="Organization")
ALICE = Person(id=71, login="alice")
OUR_BOT = Person(id=72, login=f"{SLUG}[bot]", type="Bot")
OTHER_BOT = Person(id=73, login="dependabot[bot]", type="Bot")
INSTALLATION = Installation(id=7, account=OCTO)
TOOLS = Repository(id=4242, name="tools", owner=OCTO, installation=INSTALLATION)
PULL = PullRequest(
    id=1001,
    number=5,
    repository=TOOLS,
    title="Add a lamp",
    author=ALICE,
    head_ref="lamp",
    head_sha="a" * 40,
    updated_at=BASE,
)
ISSUE = Issue(id=2001, number=6, repository=TOOLS, title="It is dark", author=ALICE, updated_at=BASE)


def at(second: int) -> datetime:
    """Return the instant that many seconds after the world's beginning."""
    return datetime.fromtimestamp(BASE.timestamp() + second, tz=UTC)


class Hook:
    """Sends one delivery after another and keeps the last answer."""

    def __init__(self, secret: str = SECRET, hook_id: int = HOOK_ID) -> None:
        self.client = Client()
        self.secret = secret
        self.hook_id = hook_id

    def send(self, event: str, payload: dict[str, Any], *, guid: uuid.UUID | None = None) -> Any:
        return self.send_bytes(event, json.dumps(payload).encode(), guid=guid)

    def send_bytes(
        self,
        event: str,
        body: bytes,
        *,
        guid: uuid.UUID | str | None = None,
        content_type: str = "application/json",
        **headers: str,
    ) -> Any:
        sent = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(guid or uuid.uuid4()),
            "X-GitHub-Hook-ID": str(self.hook_id),
            "X-GitHub-Hook-Installation-Target-ID": "200100",
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": sign(body, self.secret),
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        present = {name: value for name, value in sent.items() if value}
        return self.client.post("/webhooks/github", body, content_type=content_type, headers=present)


def pull(**changes: Any) -> PullRequest:
    """Return the world's pull request with some facts changed."""
    return replace(PULL, **changes)
