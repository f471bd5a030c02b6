"""Between the database and the oracle: read the stored facts, read the view's rows, in the oracle's terms."""

from __future__ import annotations

from datetime import datetime

from idle.selectors import in_order
from tests.idle.oracle import InstallationFact, Line, PullRequestFact, RepositoryFact, line_up
from webhooks.models import Installation, PullRequest, Repository


def expected(now: datetime) -> list[Line]:
    """What the oracle makes of the tables as they are."""
    return line_up(pull_request_facts(), repository_facts(), installation_facts(), now)


def seen() -> list[Line]:
    """What the view makes of them."""
    return [
        Line(
            sequence=row.pk,
            status=row.idle_status,
            rank=row.repository_idle_rank,
            last_update=row.repository_last_pull_request_update,
            private=row.repository_private,
            next_retry_at=row.next_retry_at,
            blocked=row.blocked,
        )
        for row in in_order()
    ]


def pull_request_facts() -> list[PullRequestFact]:
    return [
        PullRequestFact(
            sequence=row.pk,
            owner=row.repository_owner,
            name=row.repository_name,
            state=row.state,
            processing_state=row.processing_state,
            retries=row.idle_retry_count,
            updated_at=row.updated_at,
            installation_id=row.installation_id,
        )
        for row in PullRequest.objects.all()
    ]


def repository_facts() -> list[RepositoryFact]:
    return [
        RepositoryFact(
            sequence=row.pk,
            owner=row.owner_login,
            name=row.name,
            private=row.private,
            archived=row.archived,
            last_action=row.last_action,
            installation_action=row.installation_action,
            installation_id=row.installation_id,
        )
        for row in Repository.objects.all()
    ]


def installation_facts() -> list[InstallationFact]:
    return [
        InstallationFact(
            sequence=row.pk,
            installation_id=row.installation_id,
            status=row.status,
            suspended=row.suspended_date is not None,
        )
        for row in Installation.objects.all()
    ]
