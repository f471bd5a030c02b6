"""The sandbox's answers against GitHub's own description: what drifts, on either side, shows here."""

from __future__ import annotations

import json
import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.server import SandboxGithub, worlds
from sandbox.server.routing import Route
from sandbox.server.service import TABLES
from sandbox.server.state import Job, Remark, WorkflowRun
from tests.github_app import INSTALLATION, REPOSITORY, jwt
from tests.sandbox.openapi import Description, fetch
from tests.sandbox.schema_requests import (
    BODIES,
    BY_NAME,
    COMMENT,
    FIRST,
    HEAD,
    JOB,
    REQUESTS,
    RUN,
    RUNNING,
    SECOND,
)

# Where the description itself falls short, and why. An entry that is no longer needed fails below.
KNOWN = {
    r"GET /app/installations 200 \$\[\d+\]\.account: '\w+' is a required property": (
        "the listing demands an enterprise's members of every account; a single installation does not"
    ),
    r".*\.head\.(label|repo|user): None .*": "a deleted fork is null, as the webhook schemas say",
    r".*\.labels\[\d+\]\.description: None .*": "a label may lack a description, as issues say",
    r".*\.repo\.custom_properties: not described": "a repository described by itself has them",
    r".*\.(state_reason|conclusion): None is not one of .*": (
        "it is called nullable, and its list of words leaves null out"
    ),
    r"GET /search/issues 200 \$\.items\[\d+\]\.body: None .*": "a text that nobody wrote is null, as issues say",
    r"GET .*/rules/branches/\{branch\} 200 \$\[\]\.parameters\.\w+: not described": (
        "the kinds of rules are alternatives, of which the comparison reads the first"
    ),
    r"PUT .*/merge 405 \$\.status: not described": "every refusal names its status",
}


@pytest.fixture(scope="module")
def description(request: pytest.FixtureRequest) -> Description:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed: the answers are not compared with GitHub's description")
    return Description(fetch(Path(request.config.cache.mkdir("openapi"))))


@pytest.fixture(scope="module")
def github() -> Iterator[SandboxGithub]:
    state = worlds.regular(installations=2, repositories=3, pull_requests=11, issues=3, branches=2)
    with SandboxGithub(state, secret="s", receiver=lambda headers, body: 202) as running:
        pull = running.state.things[REPOSITORY][1]
        state.add_thing(replace(pull, labels=("bug",), milestone="Next", body="Text"))
        running.changes.close_pull_request(REPOSITORY, 2, merged=True)
        running.changes.suspend(INSTALLATION + 1)
        running.changes.delete_issue(REPOSITORY, 14)
        running.changes.switch_issues(REPOSITORY + 2, on=False)
        running.changes.rename_repository(REPOSITORY + 1, "renamed")
        prepare_for_a_bot(running)
        yield running


def prepare_for_a_bot(running: SandboxGithub) -> None:
    """Let there be something to answer about heads, comments and collaborators."""
    state, reactions = running.state, {"eyes": ["pullkeeper-demo[bot]"]}
    running.changes.permit(REPOSITORY, "mira", "write")
    state.check_runs[HEAD] = {"build": "success", "lint": ""}
    state.statuses[HEAD] = {"ci/build": "success"}
    files = [
        {"filename": "docs/a.md"},
        {"filename": "b.md", "previous_filename": "c.md", "status": "renamed"},
        {"filename": "lib", "mode": "160000"},
    ]
    running.changes.change_files(REPOSITORY, 4, files)
    running.changes.review(REPOSITORY, 4, "APPROVED")
    running.changes.demand(REPOSITORY, required=[["build", None], ["lint", 9]], protected=[["build", None]])
    running.changes.demand(REPOSITORY + 2, merge_queue=True)
    running.changes.finish_check(REPOSITORY, 4, "success")
    running.changes.set_status(REPOSITORY, 4, "success", context="lint")
    state.comments[COMMENT] = Remark(
        repository_id=REPOSITORY, number=3, login="mira", text="Well", reactions=reactions
    )


@pytest.fixture(autouse=True)
def something_to_write(github: SandboxGithub) -> None:
    """Let there be a branch to update and a label to remove, whatever was asked before."""
    github.state.standing(REPOSITORY, 3).behind = 2
    pull = github.state.things[REPOSITORY][4]
    github.state.add_thing(replace(pull, state="open", merged=False, closed_at=None))
    github.state.add_thing(replace(github.state.things[REPOSITORY][3], labels=("bug",)))
    run = WorkflowRun(repository_id=REPOSITORY, number=3, conclusion="failure")
    github.state.jobs = {
        RUN: [Job(number=JOB, name="job", conclusion="failure", says=[["failure", "Lost."]])]
    }
    prepare_git(github)
    github.state.workflow_runs = {RUN: run, RUNNING: WorkflowRun(repository_id=REPOSITORY, number=4)}


def prepare_git(github: SandboxGithub) -> None:
    """Let there be a branch with a commit of its own and no pull request yet, and none called "new"."""
    state = github.state
    state.things[REPOSITORY] = {
        number: one for number, one in state.things[REPOSITORY].items() if number < 14
    }
    objects = state.objects(REPOSITORY)
    first = objects.add_commit(objects.first_tree(), [state.branches[REPOSITORY]["main"]], "First", sha=FIRST)
    objects.add_commit(objects.first_tree(), [first], "Second", sha=SECOND)
    state.branches[REPOSITORY]["made"] = first
    state.branches[REPOSITORY].pop("new", None)


class Asker:
    """Asks the sandbox as the App or as the first installation."""

    def __init__(self, github: SandboxGithub) -> None:
        self.url = github.url
        self.app = f"Bearer {jwt()}"
        _, made = self.ask("POST", f"/app/installations/{INSTALLATION}/access_tokens")
        self.installation = f"token {made['token']}"

    def ask(self, verb: str, path: str) -> tuple[int, Any]:
        as_app = path.startswith("/app")
        sent = None if verb == "GET" else json.dumps(_body(path)).encode()
        request = urllib.request.Request(self.url + path, method=verb, data=sent)
        request.add_header("Authorization", self.app if as_app else self.installation)
        try:
            with _opener().open(request) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, json.loads(refusal.read())


def _body(path: str) -> dict[str, Any]:
    return next((body for end, body in BODIES.items() if path.endswith(end)), {})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **more: Any) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)


def unknown(faults: list[str]) -> list[str]:
    return [fault for fault in faults if not any(re.fullmatch(known, fault) for known in KNOWN)]


@pytest.mark.npm
@pytest.mark.parametrize("verb,path,status", REQUESTS)
def test_an_answer_is_as_github_describes_it(description, github, verb, path, status):
    answered, body = Asker(github).ask(verb, path)
    assert answered == status, body
    faults = description.faults(verb, path.partition("?")[0], status, body)
    assert unknown(faults) == []


@pytest.mark.npm
def test_every_known_gap_of_the_description_is_still_there(description, github):
    asker = Asker(github)
    faults = [
        fault
        for verb, path, status in REQUESTS
        for fault in description.faults(verb, path.partition("?")[0], status, asker.ask(verb, path)[1])
    ]
    assert [known for known in KNOWN if not any(re.fullmatch(known, fault) for fault in faults)] == []


@pytest.mark.npm
def test_every_route_is_described_and_compared(description):
    """A route that GitHub no longer has fails here, and so does one of ours that nothing above asks for."""
    asked = {
        (verb, description.template(path.partition("?")[0]))
        for verb, path, status in REQUESTS
        if status < 300
    }
    routes: list[Route] = [route for table in TABLES for route in table.table]
    matched = {
        route
        for route in routes
        for verb, path, status in REQUESTS
        if status < 300 and verb == route.verb and route.pattern.fullmatch(path.partition("?")[0])
    }
    assert set(routes) == matched
    assert all(verb.lower() in description.document["paths"][template] for verb, template in asked)


@pytest.mark.npm
def test_the_comparison_finds_what_is_missing_wrong_and_made_up(description, github):
    _, body = Asker(github).ask("GET", f"{BY_NAME}/pulls/1")
    del body["head"]["sha"]
    body["number"] = "1"
    body["colour"] = "blue"
    faults = unknown(description.faults("GET", f"{BY_NAME}/pulls/1", 200, body))
    assert len(faults) == 3
    assert description.faults("GET", f"{BY_NAME}/pulls/1", 299, body) != []
