"""`make test` runs what can be run, says what it left out, and lets nothing be left out in CI."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from tools import check, parts
from tools.parts import Part

MARIADB = Part("mariadb", "no server", "apt-get install mariadb-server")
BROWSER = Part("browser", "no chromium on PATH", "apt-get install chromium")

HOSTILE = """
import logging
def test_logs():
    logging.getLogger("x").warning("half \\ud83d")
def test_logs_and_fails():
    logging.getLogger("x").warning("half \\ud83d")
    assert False
def test_fails_with_it():
    raise ValueError("half \\ud83d")
"""


@pytest.fixture
def commands(monkeypatch):
    """The commands that would run, with their environments; all succeed unless named in `failing`."""
    ran: list[tuple[list[str], dict[str, str]]] = []
    failing: set[str] = set()

    def run(command, env):
        ran.append((list(command), dict(env)))
        return int(any(word in " ".join(command) for word in failing))

    monkeypatch.setattr(check, "run", run)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(check, "find_parts", list)
    return SimpleNamespace(ran=ran, failing=failing)


def invoke(monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["check", *arguments])
    return check.main()


def databases(commands) -> list[str]:
    return [env["DATABASE_URL"].split(":")[0] for command, env in commands.ran if "pytest" in command]


def test_the_suite_runs_on_both_databases_after_lint(commands, monkeypatch):
    assert invoke(monkeypatch, "test") == 0
    assert databases(commands) == ["sqlite", "mysql"]
    assert "pytest" in commands.ran[-1][0]
    assert len(commands.ran) == len(check.LINTERS) + 2


def test_a_lint_finding_stops_before_the_suite_but_after_every_linter(commands, monkeypatch):
    commands.failing.add("ruff check")
    assert invoke(monkeypatch, "test") == 1
    assert databases(commands) == []
    assert len(commands.ran) == len(check.LINTERS)


def test_a_failure_on_the_first_database_is_the_last_word(commands, monkeypatch):
    commands.failing.add("pytest")
    assert invoke(monkeypatch, "test") == 1
    assert databases(commands) == ["sqlite"]


def test_without_mariadb_the_suite_runs_on_sqlite_and_says_so(commands, monkeypatch):
    monkeypatch.setattr(check, "find_parts", lambda: [MARIADB])
    assert invoke(monkeypatch, "test") == 0
    assert databases(commands) == ["sqlite"]
    command, env = commands.ran[-1]
    assert "not prove and not mariadb" in command
    assert env[check.NOTES] == "mariadb: no server. To have it: apt-get install mariadb-server"


def test_ci_accepts_no_missing_part(commands, monkeypatch, capsys):
    monkeypatch.setattr(check, "find_parts", lambda: [BROWSER])
    monkeypatch.setenv("CI", "true")
    assert invoke(monkeypatch, "test") == 1
    assert commands.ran == []
    assert "apt-get install chromium" in capsys.readouterr().err


def test_proofs_run_alone_and_one_at_a_time(commands, monkeypatch):
    assert invoke(monkeypatch, "prove", "-k", "cluster") == 0
    assert databases(commands) == ["sqlite", "mysql"]
    command = commands.ran[-1][0]
    assert command[command.index("-m", 2) + 1] == "prove"
    assert command[command.index("-n") + 1] == "0"
    assert command[-2:] == ["-k", "cluster"]


def test_a_developers_own_installation_does_not_reach_the_suite(monkeypatch):
    monkeypatch.setenv("DATABASE_URL_FILE", "/run/secrets/database_url")
    monkeypatch.setenv("Q_BROKER_URL", "redis://elsewhere")
    monkeypatch.setenv("GITHUB_APP_ID", "7")
    monkeypatch.setenv("PUBLIC_URL", "https://real.example")
    monkeypatch.setenv("ACCESS_RULES_FILE", "/etc/rules")
    env = check.suite_environment("sqlite:///x")
    assert env["DATABASE_URL"] == "sqlite:///x"
    assert not {
        "ACCESS_RULES_FILE",
        "DATABASE_URL_FILE",
        "Q_BROKER_URL",
        "GITHUB_APP_ID",
        "PUBLIC_URL",
    } & set(env)


@pytest.fixture
def answering():
    """A server that gives each caller the same answer; returns its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(answer: bytes) -> int:
            def once() -> None:
                caller, _ = server.accept()
                with caller:
                    caller.recv(64)
                    caller.sendall(answer)

            threading.Thread(target=once, daemon=True).start()
            return int(server.getsockname()[1])

        yield serve


@pytest.mark.parametrize(
    "answer, verdict",
    [(b"+PONG\r\n", ""), (b"-NOAUTH Authentication required.\r\n", ""), (b"HTTP/1.1 400\r\n", "no Redis")],
)
def test_redis_is_told_from_anything_else_that_listens(answering, monkeypatch, answer, verdict):
    monkeypatch.setenv("TEST_REDIS_URL", f"redis://127.0.0.1:{answering(answer)}/0")
    found = parts.why_no_redis()
    assert (found == "") if verdict == "" else (verdict in found)


def test_a_port_where_nobody_listens_is_a_missing_part(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("TEST_REDIS_URL", f"redis://127.0.0.1:{port}/0")
    monkeypatch.setenv("TEST_MARIADB_URL", f"mysql://root@127.0.0.1:{port}/x")
    assert f"127.0.0.1:{port}" in parts.why_no_redis()
    assert parts.why_no_mariadb()


def test_every_part_has_its_marker(pytestconfig):
    markers = {line.split(":")[0] for line in pytestconfig.getini("markers")}
    assert set(parts.PROBES) | {"prove"} <= markers


def test_hostile_text_in_a_log_or_a_failure_does_not_end_the_run(tmp_path):
    (tmp_path / "test_hostile.py").write_text(HOSTILE)
    (tmp_path / "conftest.py").write_text((check.ROOT / "conftest.py").read_text())
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "1",
        "-p",
        "no:django",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
    ]
    env = os.environ | {"PYTHONPATH": str(check.ROOT)}
    result = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert "2 failed, 1 passed" in result.stdout, result.stdout
    assert "half \\ud83d" in result.stdout
