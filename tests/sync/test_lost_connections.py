"""F18: the server closes our connection while we wait for GitHub; nothing fails, nothing is done twice."""

from __future__ import annotations

import pytest
from django.db import connection, connections

from core.models import PassRun, PassState
from core.passes import Verdict
from githubapi.client import InstallationClient
from githubapi.client.transport import Transport
from tests.sync.github import INSTALLATIONS, REPOSITORIES, differences, rows
from webhooks import models

pytestmark = pytest.mark.django_db


def gone(how: str) -> None:
    """Let the server close our connection, as it does with one that waits too long, or as an operator does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID()")
        ours = cursor.fetchone()[0]
    if how == "wait_timeout":
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION wait_timeout=1")
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            if how == "KILL":
                cursor.execute(f"KILL {ours}")
            for _ in range(100):
                cursor.execute(
                    "SELECT COUNT(*), SLEEP(0.05) FROM information_schema.processlist WHERE id = %s", [ours]
                )
                if cursor.fetchone()[0] == 0:
                    return
    finally:
        other.close()
    raise AssertionError("The server did not close the connection.")


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
