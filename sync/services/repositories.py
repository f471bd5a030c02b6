"""The hourly pass: one repository a run, the one whose last sync is the oldest."""

from __future__ import annotations

import structlog
from django.db import transaction
from django.db.models import F

from core import clock
from core.functions import CurrentTimestamp, SecondsFromNow
from core.passes import Run
from githubapi.client import AppClient, InstallationClient
from githubapi.errors import Gone, GithubError, Suspended, Throttled
from githubapi.values import RepositoryFacts
from sync import selectors
from sync.decisions import repository_differs
from sync.services import contents
from sync.services.github import app_client, record_usage
from sync.services.metadata import remove_repository, suspend_installation, update_repository
from webhooks.models import Installation, Repository

log = structlog.get_logger(__name__)

COUNTERS = ("listed", "added", "updated", "re_requested", "removed")


def sync_next(run: Run) -> None:
    """Claim the next repository and reconcile it; whatever GitHub answers is counted and logged, and ends there."""
    for name in COUNTERS:
        run.count(name, 0)
    if (repository := claim_next(run)) is None:
        return
    with app_client() as app:
        sync_repository(run, app, repository)
        record_usage(run, app.usage)


@transaction.atomic
def claim_next(run: Run) -> Repository | None:
    """Take the next repository and date its sync now, before any call: a failing one goes to the back (B3.18).

    None when there is none, or when somebody synced one within the hour: the newest date is the only trace (B3.31).
    """
    run.hold_lock()
    if not run.forced and not selectors.hour_has_passed():
        return None
    repository = selectors.next_repository()
    if repository is not None:
        Repository.objects.filter(pk=repository.pk).update(last_sync_date=CurrentTimestamp(), updated_at=F("updated_at"))
    return repository


def sync_repository(run: Run, app: AppClient, repository: Repository) -> None:
    """Reconcile one repository: metadata, pull requests, issues, branches; each whole or not at all."""
    assert repository.installation_id is not None, "active repositories have an installation"
    client = app.for_installation(repository.installation_id)
    try:
        _reconcile(run, client, repository)
        run.count("repositories")
    except Throttled as error:
        _throttle(repository.installation_id, error)
        _count_failure(run, repository, error)
    except Suspended as error:
        suspend_installation(repository.installation_id, since=None)
        _count_failure(run, repository, error)
    except GithubError as error:
        _count_failure(run, repository, error)


def _reconcile(run: Run, client: InstallationClient, repository: Repository) -> None:
    current = _reconcile_metadata(run, client, repository)
    if current is None:
        return
    contents.sync_pull_requests(run, client, current)
    contents.sync_issues(run, client, current)
    contents.sync_branches(run, client, current)


def _reconcile_metadata(run: Run, client: InstallationClient, repository: Repository) -> Repository | None:
    """Return the repository under its present name, None when it is gone."""
    began = clock.now()
    try:
        facts = client.repository(repository.github_id)
    except Gone:
        run.count("removed", int(remove_repository(repository, began=began)))
        return None
    if repository_differs(selectors.stored_repository(repository), facts):
        run.count("updated", int(update_repository(repository, facts, began=began)))
    return _named(repository, facts)


def _named(repository: Repository, facts: RepositoryFacts) -> Repository:
    repository.owner_login, repository.name = facts.owner_login, facts.name
    return repository


def _throttle(installation_id: int, error: Throttled) -> None:
    """Keep everybody away from the installation until GitHub takes requests again, by the database's clock."""
    seconds = max(1, round(error.wait.total_seconds()))
    Installation.objects.filter(installation_id=installation_id).update(
        throttled_until=SecondsFromNow(seconds), updated_at=F("updated_at")
    )


def _count_failure(run: Run, repository: Repository, error: GithubError) -> None:
    run.count("failed")
    run.count(f"failed_{error.reason}")
    log.warning("repository not synced", repository=repository.full_name, reason=error.reason, detail=str(error))
