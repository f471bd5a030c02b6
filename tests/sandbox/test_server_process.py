"""The pretended GitHub as a process, and the file that it remembers in."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import pytest

from sandbox.server import SandboxGithub, __main__, store, worlds
from tests.github_app import INSTALLATION, REPOSITORY
from tests.sandbox.conftest import ROOT, SECRET


def test_a_state_comes_back_from_its_file_as_it_was(tmp_path):
    state = worlds.regular(installations=2, repositories=2, pull_requests=12, issues=2, branches=2)
    github = SandboxGithub(state)
    github.changes.suspend(INSTALLATION + 1)
    github.changes.rename_repository(REPOSITORY, "new")
    github.changes.switch_issues(REPOSITORY, on=False)
    github.changes.delete_issue(REPOSITORY, 13)
    github.changes.remove_repository(REPOSITORY + 1)
    github.changes.close_pull_request(REPOSITORY, 1, merged=True)
    github.changes.move_base(REPOSITORY)
    github.changes.judge(REPOSITORY, 2, None, "unknown")
    github.changes.permit(REPOSITORY, "mira", "write")
    github.changes.finish_check(REPOSITORY, 2, "success")
    github.changes.set_status(REPOSITORY, 2, "pending")
    github.changes.comment(REPOSITORY, 2, "Well?")
    store.save(state, tmp_path / "state.json")
    again = store.load(tmp_path / "state.json")
    assert store.plain(again) == store.plain(state)
    assert list(tmp_path.iterdir()) == [tmp_path / "state.json"]


def test_the_demos_world_holds_the_demos_cast(tmp_path):
    state = worlds.of_the_demo(datetime.now(UTC))
    store.save(state, tmp_path / "state.json")
    assert store.plain(store.load(tmp_path / "state.json")) == store.plain(state)
    assert len(state.repositories) == 12


def test_a_receiver_needs_a_secret(capsys):
    with pytest.raises(SystemExit):
        __main__.arguments(["--receiver", "http://127.0.0.1:1/"])
    assert "--secret-file" in capsys.readouterr().err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_process_serves_delivers_saves_and_begins_again_where_it_ended(tmp_path, receiver, how):
    (tmp_path / "secret").write_text(SECRET)
    command = [sys.executable, "-m", "sandbox.server", "--state", str(tmp_path / "state.json")]
    command += ["--receiver", receiver.url, "--secret-file", str(tmp_path / "secret")]
    with Running(command) as first:
        change = {"change": "rename_repository", "repository_id": 610001, "name": "atlas"}
        assert first.ask("changes", change)["name"] == "atlas"
        assert receiver.got[0]["payload"]["action"] == "renamed"
        kept = store.load(tmp_path / "state.json")
        assert kept.repositories[610001].name == "atlas"
        assert first.stop(how) == 0
    with Running(command) as second:
        assert second.ask("state")["repositories"]["610001"]["name"] == "atlas"
        second.stop(how)


class Running:
    """A server process and a way to drive it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]

    def ask(self, name: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{self.url}/_sandbox/{name}", data, timeout=10) as answer:
            return json.loads(answer.read())

    def stop(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        return self.process.wait(timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_it_runs_in_an_empty_folder_of_no_state(tmp_path: Path):
    service = __main__.service(__main__.arguments(["--empty", "--state", str(tmp_path / "none.json")]))
    assert service.state.repositories == {}
