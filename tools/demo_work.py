"""What people and programs ask of the demo, over its own doors: a merge, and a pull request handed in."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from sandbox import cast
from sandbox.driver import Driver, RefusedError
from sandbox.mergeable import GREEN_CODE, GREEN_DOCUMENTS, RED_DOCUMENTS, open_at
from tools.processes import StepFailedError

SECONDS = 30
SUBMISSION: dict[str, Any] = {
    "repository": cast.DOTFILES.full_name,
    "head_branch": "agents/editor-settings",
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
        headers = {"X-CSRFToken": self.session.cookies.get("csrftoken", ""), "Referer": self.url}
        answer = self.session.request(verb, self.url + path, headers=headers, timeout=SECONDS, **sent)
        if not answer.ok:
            raise StepFailedError(
                f"The demo answered {verb} {path} with {answer.status_code}: {answer.text[:300]}"
            )


def ask_for_all(github_url: str, person: Callable[[], Person]) -> None:
    """Have pull requests opened at GitHub, then a merge asked for and a pull request handed in."""
    try:
        number = _open_for_merging(github_url)
        _ask(person(), number)
    except (RefusedError, OSError, http.client.HTTPException) as error:
        raise StepFailedError(f"The demo's work could not be asked for: {error}") from error


def _open_for_merging(github_url: str) -> int:
    """Return the number of the one that a person will ask for."""
    with Driver(github_url) as github:
        for fresh in (GREEN_DOCUMENTS, RED_DOCUMENTS):
            open_at(github, fresh)
        return open_at(github, GREEN_CODE)


def _ask(person: Person, number: int) -> None:
    # Code is never merged by itself: it waits for an approval on the page Merges.
    person.call("merges", {"repository": GREEN_CODE.repository.full_name, "number": number})
    person.call("work-items/pull_request", SUBMISSION)


def is_done(folder: Path) -> bool:
    """Tell whether an earlier run of the demo on the same data has asked for all of this."""
    return _mark(folder).exists()


def note_done(folder: Path) -> None:
    _mark(folder).touch(mode=0o600)


def _mark(folder: Path) -> Path:
    return folder / "work_was_asked_for"
