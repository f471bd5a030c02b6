"""What people and programs ask of the demo, over its own doors: a merge, and a pull request handed in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from sandbox import cast
from tools.processes import ROOT, StepFailedError

SECONDS = 30
SUBMISSION: dict[str, Any] = {
    "repository": cast.DOTFILES.full_name,
    "head_branch": "tidy/editor-settings",
    "base_branch": cast.DOTFILES.default_branch,
    "title": "Share the editor's settings between machines",
    "body": "Handed in over the REST API; the work queue makes the branch, the commit and the pull request.",
    "commit_message": "Share the editor's settings between machines",
    "file_actions": [{"action": "create", "path": ".editorconfig", "content": "root = true\n"}],
}


class Person:
    """Somebody at a browser, logged in; raises StepFailedError for every answer that is no good one."""

    def __init__(self, url: str, login: str, password: str) -> None:
        self.url = url
        self.session = requests.Session()
        # The demo is on this machine: no proxy of the surroundings is asked.
        self.session.trust_env = False
        self._answer("GET", "/login/")
        self._answer("POST", "/login/", data={"username": login, "password": password})

    def call(self, path: str, body: dict[str, Any]) -> None:
        """Ask for something over the API."""
        self._answer("POST", f"/api/v1/{path}", json=body)

    def _answer(self, verb: str, path: str, **sent: Any) -> None:
        headers = {"X-CSRFToken": self.session.cookies.get("csrftoken") or "", "Referer": self.url}
        answer = self.session.request(verb, self.url + path, headers=headers, timeout=SECONDS, **sent)
        if not answer.ok:
            raise StepFailedError(
                f"The demo answered {verb} {path} with {answer.status_code}: {answer.text[:300]}"
            )


def ask_for_all(github_url: str, person: Callable[[], Person]) -> None:
    """Have pull requests opened at GitHub, then a merge asked for and a pull request handed in.

    Raises StepFailedError.
    """
    number = _open_for_merging(github_url)
    try:
        _ask(person(), number)
    except requests.RequestException as error:
        raise StepFailedError(f"The demo's work could not be asked for: {error}") from error


def _open_for_merging(github_url: str) -> int:
    """Return the number of the one that a person will ask for."""
    command = [sys.executable, "-m", "sandbox.mergeable", "--github", github_url]
    opened = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if opened.returncode != 0:
        raise StepFailedError(opened.stderr.strip())
    return int(opened.stdout)


def _ask(person: Person, number: int) -> None:
    # Code is never merged by itself: it waits for an approval on the page Merges.
    person.call("merges", {"repository": cast.ATLAS_API.full_name, "number": number})
    person.call("work-items/pull_request", SUBMISSION)


def is_done(folder: Path) -> bool:
    """Tell whether an earlier run of the demo on the same data has asked for all of this."""
    return _mark(folder).exists()


def note_done(folder: Path) -> None:
    _mark(folder).touch(mode=0o600)


def _mark(folder: Path) -> Path:
    return folder / "work_was_asked_for"
