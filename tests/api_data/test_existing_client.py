"""The existing dashboard against a real web server: all its calls, and the pages it draws from the answers."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import WebServer
from sandbox.server import SandboxGithub, worlds
from tests.api_data.existing_client import ENTITIES, STATES, Dashboard
from tests.api_data.test_processing import MODELS
from tests.api_data.world import filled, key_of_role, release, workflow_run
from tests.factories import DeliveryFactory
from tests.github_app import APP_ID, INSTALLATION, REPOSITORY, private_key
from tests.webhooks.served import database_url
from webhooks.models import PullRequest, WorkflowRun

pytestmark = pytest.mark.django_db(transaction=True)
HOSTILE = '"><img src=x onerror=alert(1)>'


class Page(HTMLParser):
    """A page read back: the tables by name as lists of rows of cells, and every tag that is in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "table":
            self.rows = self.tables.setdefault(str(dict(attrs)["id"]), [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in {"th", "td"}:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.rows[-1][-1] += data

    def of(self, name: str) -> list[dict[str, str]]:
        header, *rows = self.tables[name]
        return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(repositories=1, pull_requests=4)) as running:
        yield running


@pytest.fixture
def dashboard(github: SandboxGithub, tmp_path: Path) -> Iterator[Dashboard]:
    """The dashboard with an operator's token, and a web server that knows the sandbox as GitHub."""
    key = key_of_role("operator")
    app = {
        "GITHUB_API_URL": github.url,
        "GITHUB_APP_ID": APP_ID,
        "GITHUB_APP_PRIVATE_KEY": private_key(),
        "WEB_CONCURRENCY": "1",
    }
    with WebServer(database_url(), log=tmp_path / "log", env=app) as web:
        yield Dashboard(web.url.removesuffix("/webhooks/github"), key)


def stored_run(github: SandboxGithub, number: int, conclusion: str = "failure") -> WorkflowRun:
    run_id = github.changes.run_workflow(REPOSITORY, number, conclusion=conclusion)
    place = {"repository_id": REPOSITORY, "installation_id": INSTALLATION, "run_attempt": 1}
    return workflow_run(workflow_run_id=run_id, conclusion=conclusion, name=HOSTILE, **place)


def test_f37_the_dashboard_draws_its_eight_tables(dashboard: Dashboard) -> None:
    for entity, model in MODELS.items():
        hostile = {
            "ref": HOSTILE,
            "title": HOSTILE,
            "login": HOSTILE,
            "account_login": HOSTILE,
            "full_name": HOSTILE,
        }
        columns = {field.name for field in model._meta.concrete_fields}
        filled(model, **{name: text for name, text in hostile.items() if name in columns})
        assert entity in ENTITIES
    page = Page(dashboard.processing_page())
    assert page.tags == {"html", "body", "table", "tr", "th", "td"}
    assert set(page.tables) == {"processing-state", *ENTITIES}
    for entity in ENTITIES:
        (row,) = page.of(entity)
        assert row["processingDate"] == "2026-03-01 20:30:00"
    assert page.of("pull-requests")[0]["title"] == page.of("users")[0]["login"] == HOSTILE
    counts = {row["State"]: row for row in page.of("processing-state")}
    assert list(counts) == STATES
    assert {counts["PROCESSING"][f"github_{entity.replace('-', '_')}"] for entity in ENTITIES} == {"1"}


def test_the_dashboard_makes_all_its_other_calls(dashboard: Dashboard, github: SandboxGithub) -> None:
    first, second, third = (stored_run(github, number) for number in (1, 2, 3))
    release(html_url="javascript:alert(1)", release_name=HOSTILE)
    DeliveryFactory(sender_login=HOSTILE)
    PullRequest.objects.create(delivery_id="0" * 32, node_id="PR_1")
    for page in (Page(dashboard.github_page()), Page(dashboard.lists_page())):
        assert page.tags == {"html", "body", "table", "tr", "th", "td"}
    assert Page(dashboard.lists_page()).of("releases")[0]["html_url"] == ""
    assert dashboard.retry(first.workflow_run_id) == "rerun-failed-jobs"
    dashboard.retry_row(second.pk)
    dashboard.refresh_row(second.pk)
    second.refresh_from_db()
    assert (second.status, second.run_attempt) == ("in_progress", 2)
    dashboard.delete_row(third.pk)
    assert set(WorkflowRun.objects.values_list("pk", flat=True)) == {first.pk, second.pk}
    github.changes.run_workflow(REPOSITORY, 1, conclusion="success")
    assert dashboard.delete(first.workflow_run_id) == "The run was deleted."
    assert first.workflow_run_id not in github.state.workflow_runs


def test_the_dashboard_shows_why_a_call_failed(dashboard: Dashboard, github: SandboxGithub) -> None:
    row = stored_run(github, 4, "success")
    retry = f"workflow-runs/{row.workflow_run_id}/retry"
    assert dashboard.failure_of("POST", retry, 409) == "Nothing failed: the run ended as success."
    assert dashboard.failure_of("DELETE", "workflow-runs/1", 404) == "There is no such workflow run here."


def test_the_dashboard_runs_the_workers_it_knows(dashboard: Dashboard, settings: Any) -> None:
    passes = {
        "service": "bot",
        "cleanup": "cleanup",
        "database-service": "work-sweep",
        "maintenance": "sync-repositories",
    }
    there = [name for name, its_pass in passes.items() if its_pass in settings.PASSES]
    assert dashboard.run_workers() == there
    assert len(there) >= 3
