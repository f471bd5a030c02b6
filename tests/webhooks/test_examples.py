"""Every payload example known to the field, signed and sent through a real server."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import SECRET
from sandbox.sender import Answer, Sender
from tests.npm import Example, examples
from tests.webhooks.served import serve
from tests.webhooks.siblings import made
from webhooks import models

pytestmark = pytest.mark.npm

# Events whose every action writes or at least is worth a 202; the ones below depend on the payload.
ALWAYS = frozenset(
    "pull_request branch_protection_rule branch_protection_configuration create delete workflow_run release issues "
    "repository installation installation_repositories member".split()
)
SERVERS = ["ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"]


def is_taken(event: str, payload: dict[str, Any]) -> bool | None:
    """Tell from the table of the receiver's page whether a payload is used (202) or ignored (200); None = either."""
    if event in {"check_suite", "status"}:
        return None
    if event == "push":
        return str(payload["ref"]).startswith("refs/heads/")
    if event == "pull_request_review":
        return payload["action"] in {"submitted", "dismissed"}
    if event == "issue_comment":
        return payload["action"] == "created" and "pull_request" in payload["issue"]
    if event == "repository_ruleset":
        return "repository" in payload
    return event in ALWAYS


def expected_rows(sent: list[Example]) -> dict[str, int]:
    """Count what the tables must hold, from the payloads alone."""

    def of(*events: str) -> list[dict[str, Any]]:
        return [payload for event, payload in sent if event in events]

    reviews = [body for body in of("pull_request_review") if is_taken("pull_request_review", body)]
    comments = [body for body in of("issue_comment") if is_taken("issue_comment", body)]
    refs = {(body["repository"]["id"], body["ref_type"], body["ref"]) for body in of("create", "delete")}
    releases = {body["release"]["id"]: body["action"] for body in of("release")}
    return {
        "PullRequest": len({body["pull_request"]["node_id"] for body in of("pull_request") + reviews}),
        "Issue": len({body["issue"]["node_id"] for body in of("issues")}),
        "Comment": len({body["comment"]["id"] for body in comments}),
        "Branch": len(refs),
        "Push": sum(is_taken("push", body) is True for body in of("push")),
        "WorkflowRun": len({body["workflow_run"]["id"] for body in of("workflow_run")}),
        "Release": sum(action != "deleted" for action in releases.values()),
        "User": len({body["member"]["id"] for body in of("member")}),
    }


def expected_ids(sent: list[Example]) -> dict[str, set[int]]:
    """Name the repositories and installations that must have a row, from the payloads alone."""
    listed = [
        repository["id"]
        for event, body in sent
        if event in {"installation", "installation_repositories"}
        and body["action"] in {"created", "added", "removed"}
        for member in ("repositories", "repositories_added", "repositories_removed")
        for repository in body.get(member) or []
        if "full_name" in repository
    ]
    own = [body["repository"]["id"] for event, body in sent if event == "repository"]
    return {
        "repositories": {*listed, *own},
        "installations": {body["installation"]["id"] for event, body in sent if event == "installation"},
    }


def send_all(folder: Path, sent: list[Example]) -> list[Answer]:
    with serve(folder) as web, Sender(web.url, SECRET) as github:
        return [github.send(event, payload) for event, payload in sent]


def test_every_published_payload_is_taken_in_as_the_table_says(
    transactional_db: None, tmp_path: Path
) -> None:
    published = examples()
    assert len(published) == 329
    sent = published + list(made(published))
    answers = send_all(tmp_path, sent)
    wrong = [
        (event, payload.get("action"), answer)
        for (event, payload), answer in zip(sent, answers, strict=True)
        if answer.status != {True: 202, False: 200}.get(is_taken(event, payload), answer.status)
        or answer.status not in {200, 202}
    ]
    assert not wrong, wrong
    assert models.Delivery.objects.count() == len(sent)
    assert not models.Delivery.objects.filter(status__in=["failed", "received"]).exists()
    assert Counter(models.Delivery.objects.values_list("event", flat=True)) == Counter(
        event for event, _ in sent
    )
    expected = expected_rows(sent)
    assert {name: getattr(models, name).objects.count() for name in expected} == expected
    ids = expected_ids(sent)
    assert set(models.Repository.objects.values_list("github_id", flat=True)) == ids["repositories"]
    assert set(models.Installation.objects.values_list("installation_id", flat=True)) == ids["installations"]
    check_pull_requests(sent)


def check_pull_requests(sent: list[Example]) -> None:
    """Every pull request is pending with fresh Idle Retries, and merged where any payload said so."""
    rows = models.PullRequest.objects
    assert not rows.exclude(idle_retry_count=0).exists()
    # One delivery only made it, so it is NEW; nothing here was processed in between.
    assert set(rows.values_list("processing_state", flat=True)) == {"NEW"}
    bodies = [body["pull_request"] for event, body in sent if event == "pull_request"]
    merged = {body["node_id"] for body in bodies if body.get("merged")}
    assert set(rows.filter(merged=True).values_list("node_id", flat=True)) == merged
    newest = {body["node_id"]: body for body in sorted(bodies, key=lambda body: str(body["updated_at"]))}
    for row in rows.filter(node_id__in=newest):
        body = newest[row.node_id]
        assert (row.number, row.ref) == (body["number"], body["head"]["ref"])


def test_payloads_of_enterprise_servers_are_taken_in_too(transactional_db: None, tmp_path: Path) -> None:
    sent = [example for server in SERVERS for example in examples(server)]
    answers = send_all(tmp_path, sent)
    wrong = [
        (*pair, answer) for pair, answer in zip(sent, answers, strict=True) if answer.status not in {200, 202}
    ]
    assert not wrong, wrong
    assert models.Delivery.objects.count() == len(sent)
