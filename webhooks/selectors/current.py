"""The current rows: of several rows of one installation or repository, the one with the highest Sequence."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from webhooks.models import Installation, Repository


def current_repositories() -> QuerySet[Repository]:
    """Return the current row of every repository: the highest Sequence of its Id."""
    newer = Repository.objects.filter(github_id=OuterRef("github_id"), pk__gt=OuterRef("pk"))
    return Repository.objects.filter(~Exists(newer))


def current_installations() -> QuerySet[Installation]:
    """Return the current row of every installation."""
    newer = Installation.objects.filter(installation_id=OuterRef("installation_id"), pk__gt=OuterRef("pk"))
    return Installation.objects.filter(~Exists(newer))


def removed() -> Q:
    """Return the condition of a repository row that says "gone"."""
    return Q(last_action="deleted") | Q(installation_action="removed")
