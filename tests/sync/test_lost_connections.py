"""F18: the server closes our connection while we wait for GitHub; nothing fails, nothing is done twice."""

from __future__ import annotations

import pytest
from django.db import connection

from core.models import PassRun, PassState
from core.passes import Verdict
from githubapi.client import InstallationClient
from githubapi.client.transport import Transport
from tests.lost import gone
from tests.sync.github import INSTALLATIONS, REPOSITORIES, differences, rows
from webhooks import models

pytestmark = pytest.mark.django_db


@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["KILL", "wait_timeout"])
@pytest.mark.parametrize("call", ["repository", "open_pull_requests", "branches", "repositories"])
def test_f18_a_connection_lost_during_a_call_is_replaced(mariadb, pair, monkeypatch, call, how):
    ask = getattr(InstallationClient, call)

    def ask_for_long(self, *arguments, **named):
        found = ask(self, *arguments, **named)
        gone(how)
        return found

    monkeypatch.setattr(InstallationClient, call, ask_for_long)
    runs = pair.sync_everything()
    assert {run.outcome for run in runs} == {"succeeded"}
    assert differences(pair.state) == {}
    assert len(rows(models.PullRequest)) == 2
    assert not PassState.objects.exclude(lock_token=None).exists()


@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
def test_f18_a_connection_lost_between_two_writes_loses_the_run_and_not_its_record(
    mariadb, pair, monkeypatch
):
    pair.run(INSTALLATIONS)

    def lost(*_):
        gone("KILL")
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    monkeypatch.setattr("sync.services.repositories.STEPS", (lost,))
    run = pair.run(REPOSITORIES, expected=Verdict.FAILED)
    assert PassRun.objects.get(pk=run.pk).outcome == "failed"
    assert not PassState.objects.exclude(lock_token=None).exists()


@pytest.mark.django_db(transaction=True)
def test_f18_no_transaction_is_open_while_github_is_asked(pair, monkeypatch):
    open_ones, sent = [], Transport.send

    def send(self, *arguments, **named):
        open_ones.append(connection.in_atomic_block)
        return sent(self, *arguments, **named)

    monkeypatch.setattr(Transport, "send", send)
    pair.sync_everything()
    assert len(open_ones) >= 8
    assert not any(open_ones)
