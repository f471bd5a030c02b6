"""One row of each kind that the API shows, with every member filled in."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from core.access import tokens
from tests.api.conftest import group
from tests.contract.rows import make_row
from webhooks import models

AT = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
VERSIONS = {
    "webhooks_receiver_version": "receiver 1",
    "webhooks_handler_version": "handler 2",
    "gstraccini_bot_version": "bot 3",
}
REPOSITORY = {"repository_owner": "octo", "repository_name": "tools"}


def receive(headers: Mapping[str, str], body: bytes) -> int:
    """The product's receiver, asked in the thread of the test."""
    kind = headers["Content-Type"]
    named = {name: value for name, value in headers.items() if name not in {"Content-Type", "Accept"}}
    return Client().post("/webhooks/github", body, content_type=kind, headers=named).status_code


def filled(model: type[Any], **columns: Any) -> Any:
    """Make a claimed row of a table with all its members."""
    known = {field.name for field in model._meta.concrete_fields}
    common = VERSIONS | REPOSITORY | {"sender_login": "alice", "processing_state": "PROCESSING"}
    wanted = common | {"processing_date": AT} | columns
    return make_row(model, **{name: value for name, value in wanted.items() if name in known})


def workflow_run(**columns: Any) -> models.WorkflowRun:
    values = {
        "delivery_id": uuid.uuid4(),
        "workflow_run_id": 77,
        "name": "CI",
        "display_title": "Add a lamp",
        "run_number": 5,
        "run_attempt": 2,
        "event": "push",
        "status": "completed",
        "conclusion": "failure",
        "actor_login": "alice",
        "updated_at": AT,
    }
    row: models.WorkflowRun = models.WorkflowRun.objects.create(**REPOSITORY | values | columns)
    return row


def release(**columns: Any) -> models.Release:
    values = {
        "delivery_id": uuid.uuid4(),
        "release_id": 88,
        "release_name": "One",
        "tag_name": "v1",
        "html_url": "https://github.com/octo/tools/releases/tag/v1",
        "release_created_at": AT,
    }
    row: models.Release = models.Release.objects.create(**REPOSITORY | values | columns)
    return row


def key_of_role(role: str) -> str:
    """Return the key of a new token whose owner has a role; for tests that commit, after which no role is left."""
    cache.clear()
    user = User.objects.create_user(f"{role}-user")
    user.groups.add(group(role))
    return tokens.make(user=user, name="test", lifetime=timedelta(days=1)).key
