"""F23: syncs with failing calls, all loggers at DEBUG: no secret in logs, records, Deliveries or what a page shows."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from core.models import PassRun
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from tests.api.surface import calls
from tests.github_app import private_key
from tests.sync.github import INSTALLATIONS, REDELIVER, REPOSITORIES, SECRET, dump
from tests.sync.stories import work_pending
from webhooks import models

PASSES = (REPOSITORIES, INSTALLATIONS, REDELIVER)

pytestmark = pytest.mark.django_db


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    known = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    known += [logging.getLogger(name) for name in ("github", "github.Requester", "urllib3.connectionpool")]
    before = [(logger, logger.level) for logger in known]
    caplog.set_level(logging.DEBUG)
    for logger in known:
        logger.setLevel(logging.DEBUG)
    yield caplog
    for logger, level in before:
        logger.setLevel(level)


def secrets_in(text: str) -> list[str]:
    of_the_key = private_key().splitlines()[3]
    wanted = ("ghs_", "eyJ", "x-access-token", "BEGIN RSA", of_the_key, SECRET)
    return [secret for secret in wanted if secret in text]


def pages() -> str:
    client = Client()
    client.force_login(User.objects.create_superuser("olga", password="x"))
    return "".join(
        client.get(page).content.decode() for page in ("/passes/", "/admin/core/passrun/", "/deliveries/")
    )


def api_answers() -> str:
    client = Client()
    client.force_login(User.objects.create_superuser("otto", password="x"))
    paths = [call.path for call in calls() if call.method == "get" and "<" not in call.route]
    answers = [client.get(path) for path in [*paths, *(f"/api/v1/passes/{name}/runs" for name in PASSES)]]
    assert {answer.status_code for answer in answers} == {200}
    return "".join(answer.content.decode() for answer in answers)


def test_f23_no_secret_is_anywhere(pair, settings, everything_logged, capsys):
    pair.connect(settings)
    call_command("checkup", pause=0)
    work_pending(pair)
    leak = {
        "message": "token ghs_abcdefABCDEF is bad, https://x-access-token:ghs_1@github.com",
        "times": None,
    }
    for path in (f"/repositories/{FIRST_REPOSITORY}/pulls", "/app/hook/deliveries", "/app/installations"):
        pair.github.inject(path, "status", status=500, **leak)
    pair.github.inject(
        f"/app/installations/{FIRST_INSTALLATION}/access_tokens", "status", after=1, status=401, **leak
    )
    pair.github.changes.open_pull_request(FIRST_REPOSITORY, "An Event")
    pair.github.hook.receiver.answers = 500
    pair.github.changes.open_pull_request(FIRST_REPOSITORY, "A failed one")
    pair.clock.shift(minutes=5)
    for name in (REPOSITORIES, INSTALLATIONS, REDELIVER, REPOSITORIES):
        pair.run(name, expected=None)
    texts = {
        "logs": everything_logged.text,
        "output": "".join(capsys.readouterr()),
        "runs": json.dumps(list(PassRun.objects.values("error", "counters"))),
        "tables": repr(dump()),
        "bodies": repr(list(models.Delivery.objects.values())),
        "pages": pages(),
        "api": api_answers(),
    }
    assert {name: secrets_in(text) for name, text in texts.items()} == {name: [] for name in texts}
    assert PassRun.objects.filter(outcome="failed").count() >= 3
    assert len(texts["logs"].splitlines()) > 50
    assert "hidden" in texts["runs"], "the leak was there, and was taken out"
    assert "hidden" in texts["api"]


def test_f23_the_search_finds_what_it_looks_for():
    assert secrets_in(private_key()) == ["BEGIN RSA", private_key().splitlines()[3]]
    assert secrets_in(f"token ghs_1 eyJ {SECRET}") == ["ghs_", "eyJ", SECRET]
