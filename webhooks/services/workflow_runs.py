"""Workflow runs at GitHub: started again, read again, deleted, each as the installation of its row.

No transaction is open while GitHub is asked, and each call may be made again after a crash: a run that runs refuses to
be started, and a deleted one is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import structlog
from django.conf import settings
from django.db.models import CharField

from core.functions import CurrentTimestamp
from core.transactions import patiently, renew_connection
from githubapi.client import AppClient, InstallationClient, Limits
from githubapi.errors import Gone
from githubapi.values import WorkflowRunFacts
from webhooks.decisions import RetryType, decide_retry
from webhooks.events.runs import is_older
from webhooks.models import WorkflowRun
from webhooks.payload import clean, cut
from webhooks.selectors.current import current_repositories
from webhooks.services.limits import within_limits

log = structlog.get_logger(__name__)

# A person waits for the answer, and a worker of the web server with them.
LIMITS = Limits(connect=3.0, read=8.0, call=10.0, attempts=2)
_TEXTS = ("name", "display_title", "event", "status", "actor_login", "head_branch", "head_sha", "html_url")


class NotRetryable(Exception):
    """The run cannot be started again as it is; the message is a sentence that says why."""


@dataclass(frozen=True)
class _Place:
    """A run at GitHub, seen through the installation of its row."""

    client: InstallationClient
    repository_id: int
    run_id: int

    def read(self) -> WorkflowRunFacts:
        return self.client.workflow_run(self.repository_id, self.run_id)


def retry(row: WorkflowRun, *, actor: str) -> RetryType:
    """Start a run again, its failed jobs alone where that is enough, and return how.

    Goes by what GitHub says now, and notes it in the row. Raises NotRetryable and GithubError.
    """
    with _at_github(row) as place:
        facts = place.read()
        store(row, facts)
        verdict = decide_retry(facts.status, facts.conclusion)
        if verdict.how is None:
            raise NotRetryable(verdict.reason)
        _start(place, verdict.how)
    log.info("workflow run started again", run=row.workflow_run_id, how=verdict.how.value, actor=actor)
    return verdict.how


def refresh(row: WorkflowRun) -> bool:
    """Read a run from GitHub into its row; False when the row knows something newer. Raises GithubError."""
    with _at_github(row) as place:
        facts = place.read()
    return store(row, facts)


def delete(row: WorkflowRun, *, actor: str) -> None:
    """Delete a run at GitHub, then its row; one that GitHub no longer has is fine. Raises GithubError."""
    with _at_github(row) as place:
        place.client.delete_workflow_run(place.repository_id, place.run_id)
    WorkflowRun.objects.filter(pk=row.pk).delete()
    log.info("workflow run deleted", run=row.workflow_run_id, actor=actor)


def store(row: WorkflowRun, facts: WorkflowRunFacts) -> bool:
    """Write what GitHub says of a run, unless an Event has told something newer; tell whether it was written."""
    return patiently(partial(_store_once, row.pk, _columns(facts)))


def _start(place: _Place, how: RetryType) -> None:
    if how is RetryType.RERUN_FAILED_JOBS:
        place.client.rerun_failed_jobs(place.repository_id, place.run_id)
    else:
        place.client.rerun_workflow(place.repository_id, place.run_id)


def _store_once(pk: int, columns: dict[str, object]) -> bool:
    known = WorkflowRun.objects.select_for_update().filter(pk=pk).first()
    if known is None or is_older(known, columns):
        return False
    WorkflowRun.objects.filter(pk=pk).update(**columns, updated_at=CurrentTimestamp())
    return True


def _columns(facts: WorkflowRunFacts) -> dict[str, object]:
    """Return the columns of a run; text from GitHub is cleaned and cut to its column."""
    texts = {name: cut(clean(getattr(facts, name)), _length(name)) for name in _TEXTS}
    return texts | {
        "run_number": facts.run_number,
        "run_attempt": facts.run_attempt,
        "conclusion": cut(clean(facts.conclusion), _length("conclusion")) or None,
        "github_updated_at": facts.updated_at,
    }


def _length(column: str) -> int:
    field = cast("CharField[Any, Any]", WorkflowRun._meta.get_field(column))
    return field.max_length or 0


@contextmanager
def _at_github(row: WorkflowRun) -> Iterator[_Place]:
    """Yield where GitHub has the run, within the installation's rate limit."""
    installation_id = row.installation_id or _installation_of_repository(row)
    if installation_id is None:
        repository = f"{row.repository_owner}/{row.repository_name}"
        raise Gone("no_installation", f"No installation of our App is known for {repository}.")
    with (
        within_limits(installation_id),
        AppClient.from_settings(settings, limits=LIMITS, after_call=renew_connection) as app,
    ):
        client = app.for_installation(installation_id)
        repository_id = row.repository_id or _repository_id(client, row)
        yield _Place(client, repository_id, row.workflow_run_id)


def _installation_of_repository(row: WorkflowRun) -> int | None:
    rows = current_repositories().filter(owner_login=row.repository_owner, name=row.repository_name)
    return rows.values_list("installation_id", flat=True).first()


def _repository_id(client: InstallationClient, row: WorkflowRun) -> int:
    return client.repository_named(row.repository_owner, row.repository_name).id
