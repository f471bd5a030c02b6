"""F23: no key and no signed token is in a log, a table or an answer, whatever is logged."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.apps import apps
from rest_framework.test import APIClient

from core.access import tokens


@pytest.fixture
def everything_logged(caplog):
    names = [*logging.root.manager.loggerDict, "django.db.backends", "urllib3.connectionpool"]
    before = {name: logging.getLogger(name).level for name in names}
    caplog.set_level(logging.DEBUG)
    for name in names:
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield caplog
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def everything_stored():
    return repr([list(model.objects.values()) for model in apps.get_models() if model._meta.managed])


def test_f23_neither_keys_nor_tokens_of_others_leave_a_trace(
    caller, user_with, everything_logged, settings, capsys
):
    settings.DEBUG = True
    key = tokens.make(user=user_with("viewer"), name="x", lifetime=timedelta(days=1)).key
    made = caller("administrator").post("/api/v1/tokens", {"name": "ci", "days": 1, "user": "viewer-user"})
    secrets = [
        key,
        made.json()["key"],
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl",
        "ghs_abcdefABCDEF",
    ]
    answers = []
    for word in ("token", "bearer", "token x", "basic"):
        for secret in secrets:
            header = {"Authorization": f"{word} {secret}"}
            answers += [APIClient().get(path, headers=header) for path in ("/api/v1/me", "/api/v1/none")]
    texts = {
        "logs": everything_logged.text + "".join(capsys.readouterr()),
        "answers": repr([(answer.content, answer.headers) for answer in answers]),
        "tables": everything_stored(),
    }
    assert {name: [s for s in secrets if s in text] for name, text in texts.items()} == {
        name: [] for name in texts
    }
    assert 200 in {answer.status_code for answer in answers}
    assert "core_apitoken" in texts["logs"] or "api_tokens" in texts["logs"], "statements were logged"
    assert tokens.digest(key) in texts["tables"]
