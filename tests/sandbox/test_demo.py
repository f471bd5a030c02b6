from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sandbox import cast, demo, scenario
from sandbox.demo_database import connect, mark_database
from tests.sandbox.conftest import ROOT, SECRET, product_environment

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
SLUG = "pullkeeper-demo"


def every_step() -> list[scenario.Step]:
    return [*scenario.past(NOW, "http://127.0.0.1/"), *scenario.today(NOW, app_slug=SLUG)]


def test_only_the_repeated_delivery_shares_a_guid():
    shared = [guid for guid, count in Counter(step.guid for step in every_step()).items() if count > 1]
    assert [step.note for step in every_step() if step.guid in shared] == ["", "the same delivery again"]


def test_the_story_is_the_same_each_time():
    assert every_step() == every_step()


def test_the_story_names_only_its_own_repositories():
    names = {step.payload["repository"]["full_name"] for step in every_step() if "repository" in step.payload}
    assert names <= cast.known_names()
    assert len(cast.REPOSITORIES) == 12


def test_the_titles_hold_what_pages_get_wrong():
    titles = [pull.title for pull in scenario.pull_requests(NOW)]
    assert len(titles) == len(set(titles)) >= 55
    assert any("<img src=x onerror=" in title for title in titles)
    assert any(len(title) >= 250 for title in titles)
    assert any("\N{ARABIC LETTER ALEF}" in title for title in titles)
    assert any("\N{ROCKET}" in title for title in titles)


def test_no_pull_request_is_touched_today_after_it_was_closed():
    closed = {
        step.payload["pull_request"]["node_id"]
        for step in scenario.past(NOW, "http://127.0.0.1/")
        if step.event == "pull_request" and step.payload["action"] == "closed"
    }
    touched = {
        step.payload["pull_request"]["node_id"]
        for step in scenario.today(NOW, app_slug=SLUG)
        if step.event.startswith("pull_request")
    }
    assert closed
    assert not closed & touched


def test_without_a_slug_there_is_no_echo():
    assert len(scenario.today(NOW, app_slug="")) == len(scenario.today(NOW, app_slug=SLUG)) - 1


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text(SECRET)
    return file


def played(url: str, database: Path, secret_file: Path) -> int:
    return demo.main(
        ["--url", url, "--secret-file", str(secret_file), "--database", str(database), "--app-slug", SLUG]
    )


def test_the_story_is_told_once_and_shown_as_a_table(receiver, database, secret_file, capsys):
    assert demo.main(["--mark", "--database", str(database)]) == 0
    assert played(receiver.url, database, secret_file) == 0
    shown = capsys.readouterr().out
    assert f"{len(every_step())} deliveries" in shown
    assert "401  pull_request: badly signed" in shown
    sent = len(receiver.got)
    assert sent == len(every_step()) - 1
    assert played(receiver.url, database, secret_file) == 0
    assert "nothing was sent" in capsys.readouterr().out
    assert len(receiver.got) == sent


def test_an_unexpected_answer_ends_the_story_with_a_sentence(receiver, database, secret_file, capsys):
    mark_database(database)
    receiver.answer = 500
    assert played(receiver.url, database, secret_file) == 1
    assert capsys.readouterr().err.startswith("The delivery ping was answered 500, not 200: ")


def test_nothing_is_sent_for_a_database_without_the_mark(receiver, database, secret_file, capsys):
    assert played(receiver.url, database, secret_file) == 1
    assert "mark" in capsys.readouterr().err
    assert receiver.got == []


def test_nothing_is_sent_upon_half_a_story(receiver, database, secret_file, capsys):
    mark_database(database)
    with closing(connect(database)) as connection:
        connection.execute("INSERT INTO webhook_deliveries (Guid, Event) VALUES ('g', 'ping')")
    assert played(receiver.url, database, secret_file) == 1
    assert "not finished" in capsys.readouterr().err
    assert receiver.got == []


def test_nobody_answering_is_said_plainly(database, secret_file, capsys):
    mark_database(database)
    assert played("http://127.0.0.1:9/", database, secret_file) == 1
    assert capsys.readouterr().err.startswith("No answer from http://127.0.0.1:9/")


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_open(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the web server did not come up")


@pytest.fixture
def product(database: Path) -> Iterator[str]:
    """The real receiver on an SQLite file, in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"]
    log = database.with_suffix(".log")
    with log.open("w") as output:
        server = subprocess.Popen(
            command, cwd=ROOT, env=product_environment(database, DEBUG="0"), stdout=output, stderr=output
        )
        try:
            wait_until_open(port)
            yield f"http://127.0.0.1:{port}/webhooks/github"
        finally:
            server.terminate()
            server.wait(20)


def test_the_real_receiver_takes_the_whole_story(product, database, secret_file, capsys):
    mark_database(database)
    started = time.monotonic()
    code = played(product, database, secret_file)
    assert (code, capsys.readouterr().err) == (0, "")
    assert time.monotonic() - started < 60
    with closing(connect(database)) as connection:
        check_the_database(connection)


def check_the_database(connection: sqlite3.Connection) -> None:
    def rows(query: str) -> list[Any]:
        return connection.execute(query).fetchall()

    idle = dict(rows("SELECT IdleStatus, COUNT(*) FROM github_pull_requests_idle_view GROUP BY 1"))
    assert idle.keys() == {"DUE", "WAITING", "GAVE_UP"}
    assert idle["DUE"] > 15
    blocked = {row[0] for row in rows("SELECT DISTINCT Blocked FROM github_pull_requests_idle_view")}
    assert blocked == {None, "repository removed", "repository archived", "installation suspended"}
    states = dict(rows("SELECT ProcessingState, COUNT(*) FROM github_pull_requests GROUP BY 1"))
    assert states["PROCESSING"] == 1
    assert states.keys() >= {"NEW", "UPDATED", "RE_REQUESTED", "PROCESSED"}
    assert rows("SELECT COUNT(*) FROM github_pull_requests WHERE RepositoryName = 'old-site'") == [(0,)]
    statuses = dict(rows("SELECT Status, COUNT(*) FROM webhook_deliveries GROUP BY 1"))
    assert statuses["echo"] == statuses["stale"] == 1
    assert "failed" not in statuses
    assert rows(
        "SELECT COUNT(*) FROM webhook_deliveries WHERE ReceivedAt > datetime(CURRENT_TIMESTAMP, '-1 hours')"
    ) == [(len(scenario.today(NOW, app_slug=SLUG)) - 2,)]
    (oldest,) = rows("SELECT MIN(UpdatedAt) FROM github_pull_requests WHERE State = 'OPEN'")[0]
    age = datetime.now(UTC) - datetime.fromisoformat(f"{oldest}+00:00")
    assert timedelta(days=30) < age <= timedelta(days=61)
    assert rows("SELECT SUM(Hits) FROM webhook_rejections") == [(1,)]
