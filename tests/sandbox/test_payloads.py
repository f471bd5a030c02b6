from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sandbox import ci, payloads
from sandbox.world import (
    NO_COMMIT,
    Commit,
    Installation,
    Issue,
    Person,
    PullRequest,
    Repository,
    node_id,
    sha,
)

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
OWNER = Person(id=100, login="northwind", type="Organization")
MIRA = Person(id=7, login="mira")
APP = Installation(id=55, account=OWNER)
REPO = Repository(id=9, name="api", owner=OWNER, installation=APP)
PULL = PullRequest(
    id=77, number=3, repository=REPO, title="A title", author=MIRA, head_ref="topic", head_sha=sha("head"),
    updated_at=NOW, labels=("bug",),
)  # fmt: skip
ISSUE = Issue(id=5, number=4, repository=REPO, title="A question", author=MIRA, updated_at=NOW)
COMMIT = Commit(sha=sha("commit"), message="A change", author=MIRA, at=NOW)

# https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
PULL_REQUEST_ACTIONS = (
    "assigned",
    "auto_merge_disabled",
    "auto_merge_enabled",
    "closed",
    "converted_to_draft",
    "demilestoned",
    "dequeued",
    "edited",
    "enqueued",
    "labeled",
    "locked",
    "milestoned",
    "opened",
    "ready_for_review",
    "reopened",
    "review_request_removed",
    "review_requested",
    "synchronize",
    "unassigned",
    "unlabeled",
    "unlocked",
)
REPOSITORY_ACTIONS = ("archived", "created", "deleted", "privatized", "publicized", "renamed", "unarchived")

# What an action says about the pull request itself.
PULLS = {
    "closed": replace(PULL, state="closed", merged=True),
    "converted_to_draft": replace(PULL, draft=True),
    "auto_merge_enabled": replace(PULL, auto_merge=True),
    "auto_merge_disabled": replace(PULL, auto_merge=True),
    "milestoned": replace(PULL, milestone="Next"),
    "demilestoned": replace(PULL, milestone="Next"),
}


def every_payload() -> Iterator[tuple[str, dict[str, Any]]]:
    for action in PULL_REQUEST_ACTIONS:
        yield "pull_request", payloads.pull_request(action, PULLS.get(action, PULL), MIRA)
    for action in REPOSITORY_ACTIONS:
        repo = replace(REPO, archived=action == "archived", private=action == "privatized")
        old_name = "old" if action == "renamed" else None
        yield "repository", payloads.repository(action, repo, MIRA, old_name=old_name)
    yield "pull_request_review", payloads.pull_request_review("submitted", PULL, MIRA)
    yield "issues", payloads.issues("opened", ISSUE, MIRA)
    yield "issues", payloads.issues("closed", replace(ISSUE, state="closed"), MIRA)
    yield "issue_comment", payloads.issue_comment("created", ISSUE, MIRA, "Hi")
    yield "issue_comment", payloads.issue_comment("created", PULL, MIRA, "Hi")
    yield "push", payloads.push(REPO, "refs/heads/main", [COMMIT], MIRA, before=NO_COMMIT)
    yield "push", payloads.push(REPO, "refs/heads/main", [], MIRA, before=sha("x"))
    yield "create", payloads.create(REPO, "topic", MIRA)
    yield "delete", payloads.delete(REPO, "v1", MIRA, ref_type="tag")
    yield "installation", payloads.installation("created", APP, MIRA, [REPO])
    yield "installation", payloads.installation("suspend", replace(APP, suspended_at=NOW), MIRA)
    yield "installation_repositories", payloads.installation_repositories("added", APP, MIRA, [REPO])
    yield "installation_repositories", payloads.installation_repositories("removed", APP, MIRA, [REPO])
    yield "member", payloads.member("added", REPO, MIRA, MIRA)
    yield "release", payloads.release("published", REPO, "v1", MIRA)
    yield "branch_protection_rule", payloads.branch_protection_rule("created", REPO, "main", MIRA)
    yield "ping", payloads.ping(REPO, 5, MIRA, "http://127.0.0.1/")
    yield "check_suite", ci.check_suite("completed", PULL, APP, conclusion="success")
    yield "status", ci.status(PULL, "success", NOW)
    yield "workflow_run", ci.workflow_run("completed", PULL, conclusion="success")
    yield "workflow_run", ci.workflow_run("requested", PULL, conclusion=None)


class Schema:
    """A small reading of JSON Schema: types, required keys, enums, $ref, oneOf, allOf and items.

    Enough to find a missing or misspelt key and a wrong type; formats and patterns are not looked at.
    """

    TYPES: ClassVar[dict[str, type | tuple[type, ...]]] = {
        "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
        "boolean": bool, "null": type(None),
    }  # fmt: skip

    def __init__(self, definitions: dict[str, Any]) -> None:
        self.definitions = definitions

    def faults(self, value: Any, schema: dict[str, Any], path: str = "") -> Iterator[str]:
        if "$ref" in schema:
            yield from self.faults(
                value, self.definitions[schema["$ref"].removeprefix("#/definitions/")], path
            )
        if "type" in schema and not self._has_type(value, schema["type"]):
            yield f"{path}: {value!r} is not {schema['type']}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{path}: {value!r} is not one of {schema['enum']}"
        if "oneOf" in schema and all(any(self.faults(value, part)) for part in schema["oneOf"]):
            yield f"{path}: no alternative fits {value!r}"
        for part in schema.get("allOf", ()):
            yield from self.faults(value, part, path)
        yield from self._faults_inside(value, schema, path)

    def _faults_inside(self, value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
        if isinstance(value, dict):
            yield from (f"{path}.{key}: missing" for key in schema.get("required", ()) if key not in value)
            for key, part in schema.get("properties", {}).items():
                if key in value:
                    yield from self.faults(value[key], part, f"{path}.{key}")
        if isinstance(value, list) and isinstance(schema.get("items"), dict):
            for item in value:
                yield from self.faults(item, schema["items"], f"{path}[]")

    def _has_type(self, value: Any, names: str | list[str]) -> bool:
        if isinstance(value, bool):
            return "boolean" in names
        wanted = [names] if isinstance(names, str) else names
        return any(isinstance(value, self.TYPES[name]) for name in wanted)


def npm_fault(folder: Path, package: str) -> str:
    """Install one package into a folder; return "" or why that was not possible."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    command = ["npm", "install", "--silent", "--no-save", "--no-package-lock", package]
    done = subprocess.run(command, cwd=folder, check=False, timeout=120)
    return f"npm could not fetch {package}" if done.returncode else ""


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    """The published webhook schemas, fetched from the npm registry at one version."""
    folder = tmp_path_factory.mktemp("schemas")
    if fault := npm_fault(folder, "@octokit/webhooks-schemas@7.6.1"):
        refuse = pytest.fail if os.environ.get("CI") else pytest.skip
        refuse(f"{fault}: the payloads are not compared with the published schemas")
    text = (folder / "node_modules/@octokit/webhooks-schemas/schema.json").read_text(encoding="utf-8")
    return Schema(json.loads(text)["definitions"])


@pytest.mark.npm
def test_every_payload_has_the_keys_and_types_of_the_published_schemas(schema):
    faults = []
    for event, payload in every_payload():
        name = f"{event}${payload.get('action', 'event')}"
        faults += [f"{name}{fault}" for fault in schema.faults(payload, schema.definitions[name])]
    assert faults == []


@pytest.mark.npm
def test_the_comparison_finds_a_missing_key_and_a_wrong_type(schema):
    payload = payloads.pull_request("opened", PULL, MIRA)
    del payload["pull_request"]["head"]["repo"]["node_id"]
    payload["repository"]["id"] = "9"
    faults = list(schema.faults(payload, schema.definitions["pull_request$opened"]))
    assert len(faults) == 2


def test_every_payload_is_json():
    for _, payload in every_payload():
        assert json.loads(json.dumps(payload)) == payload


def test_a_node_id_is_packed_as_githubs_are():
    assert REPO.node_id.startswith("R_kgDO")
    assert PULL.node_id.startswith("PR_kwDO")
    assert MIRA.node_id.startswith("U_kgDO")
    assert node_id("PR", 1, 2**40) != node_id("PR", 1, 2**40 + 1)


def test_a_comment_on_a_pull_request_is_told_by_one_member():
    assert "pull_request" in payloads.issue_comment("created", PULL, MIRA, "Hi")["issue"]
    assert "pull_request" not in payloads.issue_comment("created", ISSUE, MIRA, "Hi")["issue"]


def test_f13_a_deleted_fork_and_a_deleted_author_are_null():
    gone = payloads.pull_request("closed", replace(PULL, fork_deleted=True, author=None), MIRA)[
        "pull_request"
    ]
    assert (gone["head"]["repo"], gone["head"]["user"], gone["user"]) == (None, None, None)
    assert gone["base"]["repo"]["id"] == REPO.id


def test_f13_a_push_without_commits_deletes_the_ref():
    body = payloads.push(REPO, "refs/heads/topic", [], MIRA, before=sha("x"))
    assert (body["deleted"], body["after"], body["head_commit"]) == (True, NO_COMMIT, None)


def test_a_review_carries_the_short_form_of_its_pull_request():
    assert "merged" not in payloads.pull_request_review("submitted", PULL, MIRA)["pull_request"]
