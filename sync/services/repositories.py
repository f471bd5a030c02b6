"""The hourly pass: one repository a run, the one whose last sync is the oldest."""

from __future__ import annotations

import structlog
from django.db.models import F

from core.functions import CurrentTimestamp
from core.passes import PassFailed, Run
from githubapi.client import AppClient
from githubapi.errors import GithubError, Gone, Suspended, Throttled
from sync import selectors
from sync.decisions import diff_repositories
from sync.services import columns
from sync.services.branches import sync_branches
from sync.services.github import NEEDED, app_client, asked, listing_of, record_usage
from sync.services.installation_rows import suspend, throttle
from sync.services.issues import sync_issues
from sync.services.pulls import sync_pull_requests
from sync.services.repository_rows import write_repositories
from sync.services.writing import within_lock
from sync.values import Listed, Place, RepositoryMetadata
from webhooks.models import Repository

log = structlog.get_logger(__name__)

COUNTERS = ("listed", "added", "updated", "removed", "re_requested", "requests")
STEPS = (sync_pull_requests, sync_issues, sync_branches)


def sync_next(run: Run) -> None:
    """Claim the next repository and reconcile it with GitHub.

    Raises PassFailed with the reason when GitHub does not answer as it should; the repository has had its turn then.
    """
    for name in COUNTERS:
        run.count(name, 0)
    if repository := within_lock(run, claim_next):
        with app_client() as app:
            sync_repository(run, app, repository)


def claim_next() -> Repository | None:
    """Take the next repository and date its sync now, before any call: a failing one goes to the back (B3.18)."""
    repository = selectors.next_repository()
    if repository is not None:
        Repository.objects.filter(pk=repository.pk).update(
            last_sync_date=CurrentTimestamp(), updated_at=F("updated_at")
        )
    return repository


def sync_repository(run: Run, app: AppClient, repository: Repository) -> None:
    """Reconcile one repository; raises PassFailed. A suspension or a rate limit is noted on the installation."""
    installation_id = repository.installation_id or 0
    try:
        _reconcile(run, app, repository)
    except Throttled as error:
        throttle(run, installation_id, error)
        log.warning("repository sync throttled", repository=repository.full_name, detail=str(error))
    except Suspended as error:
        run.count("suspended")
        suspend(run, installation_id)
        log.warning("installation suspended", repository=repository.full_name, detail=str(error))
    except GithubError as error:
        run.count("failed")
        raise PassFailed(f"{repository.full_name} was not synced ({error.reason}): {error}") from error
    finally:
        record_usage(run, app.usage, quota_of=app.for_installation(installation_id).usage)


def _reconcile(run: Run, app: AppClient, repository: Repository) -> None:
    """Metadata first, then pull requests, issues and branches, each from a complete listing or not at all."""
    run.count("repositories")
    _refresh_metadata(run, app, repository)
    current = selectors.current_repository(repository.github_id)
    if current is None or current.installation_id is None:
        return
    client = app.for_installation(current.installation_id)
    for step in STEPS:
        run.show_progress()
        if run.out_of_time(needed=NEEDED):
            return
        step(run, client, current, _place(current))


def _refresh_metadata(run: Run, app: AppClient, repository: Repository) -> None:
    client = app.for_installation(repository.installation_id or 0)
    row = selectors.stored_repository(repository)
    listing = listing_of(client, lambda: _metadata(app, repository))
    changes = diff_repositories([row], listing, installation_id=client.installation_id)
    write_repositories(run, changes)


def _metadata(app: AppClient, repository: Repository) -> list[Listed[RepositoryMetadata]]:
    """Return the repository as GitHub has it now, nothing when it is gone; raises GithubError."""
    client = app.for_installation(repository.installation_id or 0)
    try:
        facts = asked(lambda: client.repository(repository.github_id))
    except Gone:
        return []
    if facts.id != repository.github_id:
        return []  # another repository took its place: it is listed under its own id
    moved = facts.owner_id != repository.owner_id
    # A transferred repository is seen by the installation on its new owner's account, if there is one.
    installation_id = (
        selectors.installation_of_account(facts.owner_id) if moved else None
    ) or client.installation_id
    return [columns.repository(facts, installation_id)]


def _place(repository: Repository) -> Place:
    return Place(
        repository_owner=repository.owner_login,
        repository_name=repository.name,
        repository_id=repository.github_id,
        installation_id=repository.installation_id,
    )
