from __future__ import annotations

import re
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

from sandbox import cast, demo, outage, scenario
from sandbox.ageing import NEWEST_DELIVERY_DAYS, OLDEST_DELIVERY_DAYS
from sandbox.demo_database import connect, mark_database, note_played
from sandbox.server import SandboxGithub, worlds
from sandbox.server.state import State
from tests.github_app import APP_ID, private_key
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


def test_the_states_instants_are_those_that_the_rows_are_moved_to():
    state = worlds.of_the_demo(NOW)
    (suspended,) = [at for step, at in scenario.dated(NOW) if step.name == "suspended"]
    assert state.installations[cast.AT_OLD_HARBOR.id].suspended_at == suspended
    first, *_, last = [at for _, at in scenario.dated(NOW)]
    assert NOW - first == timedelta(days=OLDEST_DELIVERY_DAYS)
    assert NOW - last == timedelta(days=NEWEST_DELIVERY_DAYS) > outage.BEFORE_NOW


def test_the_state_is_what_the_story_leaves():
    state = worlds.of_the_demo(NOW)
    assert {repo.name for repo in state.repositories.values() if repo.archived} == {cast.IMPORTER.name}
    assert {repo.name for repo in state.repositories.values() if not repo.installation} == {"chess-clock"}
    assert state.named("northwind-labs/website")
    assert state.old_names == {"northwind-labs/old-site": cast.OLD_SITE.id}
    edited, stale = state.things[cast.INFRA.id][2], state.things[cast.NOTES.id][3]
    assert edited.title == "Move the staging cluster to two smaller nodes"
    assert stale.title != "An older title"
    assert state.things[cast.NOTES.id][2].state == "open"
    closed = state.things[cast.ATLAS_API.id][6]
    assert (closed.state, closed.created_at < closed.updated_at) == ("closed", True)
    assert closed.head_ref not in state.branches[cast.ATLAS_API.id]


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(State(), secret=SECRET) as running:
        yield running


def played(url: str, database: Path, github: SandboxGithub) -> int:
    return demo.main(["--url", url, "--github", github.url, "--database", str(database), "--app-slug", SLUG])


def test_the_story_is_told_once_and_shown_as_a_table(receiver, database, github, capsys):
    assert demo.main(["--mark", "--database", str(database)]) == 0
    assert played(receiver.url, database, github) == 0
    shown = capsys.readouterr().out
    assert f"{len(every_step())} deliveries" in shown
    assert "401  pull_request: badly signed" in shown
    sent = len(receiver.got)
    assert sent == len(every_step()) - 1
    assert played(receiver.url, database, github) == 0
    assert "nothing was sent" in capsys.readouterr().out
    assert len(receiver.got) == sent


def test_github_lists_what_it_delivered_and_the_one_that_failed(receiver, database, github):
    mark_database(database)
    assert played(receiver.url, database, github) == 0
    attempts = list(github.hook.attempts.values())
    told = [step.guid for step in every_step() if not step.forged]
    (failed,) = [one for one in attempts if one.status_code not in {200, 202}]
    assert [one.guid for one in attempts if one is not failed] == told
    assert (failed.event, failed.action, failed.status_code) == ("pull_request", "opened", 502)
    assert [one.delivered_at for one in attempts] == sorted(one.delivered_at for one in attempts)
    assert [one.event for one in attempts if one.redelivery] == ["pull_request"]
    (form,) = [one for one in receiver.got if one["headers"]["Content-Type"].endswith("urlencoded")]
    assert form["payload"]["action"] == "edited"


def test_an_unexpected_answer_ends_the_story_with_a_sentence(receiver, database, github, capsys):
    mark_database(database)
    receiver.answer = 500
    assert played(receiver.url, database, github) == 1
    assert capsys.readouterr().err.startswith("The delivery ping was answered 500, not 200: ")


def test_nothing_is_sent_for_a_database_without_the_mark(receiver, database, github, capsys):
    assert played(receiver.url, database, github) == 1
    assert "mark" in capsys.readouterr().err
    assert receiver.got == []


def test_nothing_is_sent_upon_half_a_story(receiver, database, github, capsys):
    mark_database(database)
    with closing(connect(database)) as connection:
        connection.execute("INSERT INTO webhook_deliveries (Guid, Event) VALUES ('g', 'ping')")
    assert played(receiver.url, database, github) == 1
    assert "not finished" in capsys.readouterr().err
    assert receiver.got == []


def test_a_told_story_of_which_github_knows_nothing_is_refused(receiver, database, github, capsys):
    mark_database(database)
    with closing(connect(database)) as connection:
        note_played(connection)
    assert played(receiver.url, database, github) == 1
    assert "GitHub knows nothing of it" in capsys.readouterr().err


def test_a_receiver_that_is_away_is_said_plainly(database, github, capsys):
    mark_database(database)
    assert played("http://127.0.0.1:9/", database, github) == 1
    assert capsys.readouterr().err == (
        "The delivery ping was answered 502, not 200: failed to connect to host\n"
    )


def test_a_github_that_is_away_is_said_plainly(receiver, database, capsys):
    mark_database(database)
    with SandboxGithub(State()) as gone:
        pass
    assert played(receiver.url, database, gone) == 1
    assert capsys.readouterr().err.startswith(f"No answer from {gone.url}")


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


def test_the_real_receiver_takes_the_whole_story_and_the_syncs_agree_but_for_the_outage(
    product, database, github, capsys
):
    mark_database(database)
    started = time.monotonic()
    code = played(product, database, github)
    assert (code, capsys.readouterr().err) == (0, "")
    assert time.monotonic() - started < 60
    with closing(connect(database)) as connection:
        check_the_database(connection)
    check_the_syncs(database, github)


def check_the_syncs(database: Path, github: SandboxGithub) -> None:
    """Two differences, each found by the pass that is made for it; nothing else, and nothing again."""
    assert "missed 1, requested 1, failed 0" in asked_github(
        database, github, "run_pass", "redeliver", "--force"
    )
    first, again = (asked_github(database, github, "checkup", "--pause", "0") for _ in range(2))
    assert len(re.findall("requests 5, repositories 1", first)) == 10
    assert differences(first) == [("northwind-labs/atlas-api", "re_requested", "1")]
    assert differences(again) == []
    with closing(connect(database)) as connection:
        found = connection.execute(
            "SELECT ProcessingState, State, COUNT(*) FROM github_pull_requests "
            "WHERE Title = ? OR RepositoryId = ? AND Number = ? GROUP BY 1, 2",
            [cast.LATE_TITLE, cast.MERGED_UNHEARD[0].id, cast.MERGED_UNHEARD[1]],
        ).fetchall()
    assert set(found) == {("NEW", "OPEN", 1), ("RE_REQUESTED", "OPEN", 1)}


def differences(told: str) -> list[tuple[str, str, str]]:
    """Return (repository, counter, number) for what a checkup counted beyond what it listed and asked."""
    counters = r"(added|updated|removed|re_requested|failed|contradicted|moved_meanwhile) ([1-9]\d*)"
    return [
        (line.split(":")[0].split(", ")[-1], *found)
        for line in told.splitlines()
        for found in re.findall(counters, line)
    ]


def asked_github(database: Path, github: SandboxGithub, *command: str) -> str:
    app = {"GITHUB_API_URL": github.url, "GITHUB_APP_ID": APP_ID, "GITHUB_APP_PRIVATE_KEY": private_key()}
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=product_environment(database, LOG_LEVEL="WARNING", **app),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


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
