"""Lists for the REST API: newest Sequence first and a part at a time, each row once whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from django.db.models import F, Model, QuerySet, Window
from django.db.models.functions import RowNumber

from webhooks.models import Delivery, Release, WorkflowRun
from webhooks.values import PENDING, ProcessingState

# What a list of the existing client's shape holds at most: it knows no pages.
LONGEST = 1000
SHOWN_STATES = (*PENDING, ProcessingState.PROCESSING)
_STATUS_COLUMNS = """Sequence, RepositoryOwner, RepositoryName, ReleaseName, TagName, HtmlUrl, ReleaseCreatedAt,
WorkflowStatus AS workflow_status, WorkflowRunsCount AS workflow_runs_count,
FailedWorkflowRuns AS failed_workflow_runs"""


def processing(
    model: type[Model], columns: Sequence[str], *, limit: int, before: int | None = None
) -> list[tuple[Any, ...]]:
    """Return Sequence and those columns of the rows that are pending or claimed, and whose Sequence is below `before`.

    The keys come first and the rows after them: an index holds all that the keys need, and a sort of whole rows would
    read every pending one. A row that left the list in between is left out.
    """
    shown = model._default_manager.filter(processing_state__in=SHOWN_STATES)
    keys = list(_below(shown, before).order_by("-pk").values_list("pk", flat=True)[:limit])
    return sorted(shown.filter(pk__in=keys).values_list("pk", *columns), key=itemgetter(0), reverse=True)


def workflow_runs(*, limit: int, before: int | None = None) -> list[WorkflowRun]:
    """Return the newest workflow runs."""
    return list(_below(WorkflowRun.objects.all(), before).order_by("-pk")[:limit])


def latest_releases(*, limit: int) -> list[Any]:
    """Return each repository's latest release with what its workflow runs say, the newest release first.

    Each has the view's `workflow_status`, `workflow_runs_count` and `failed_workflow_runs` beside its own columns.
    """
    place = Window(
        RowNumber(),
        partition_by=[F("repository_owner"), F("repository_name")],
        order_by=[F("release_created_at").desc(), F("pk").desc()],
    )
    latest = Release.objects.annotate(place=place).filter(place=1)
    keys = list(latest.order_by("-release_created_at", "-pk").values_list("pk", flat=True)[:limit])
    return _with_status(keys)


def _with_status(keys: Sequence[int]) -> list[Any]:
    """Return the rows of github_release_status_view of those Sequences, in their order."""
    if not keys:
        return []
    places = ", ".join(["%s"] * len(keys))
    statement = f"SELECT {_STATUS_COLUMNS} FROM github_release_status_view WHERE Sequence IN ({places})"  # noqa: S608 -- names of ours
    found = {row.pk: row for row in Release.objects.raw(statement, keys)}
    return [found[key] for key in keys if key in found]


def delivery(sequence: int) -> Delivery | None:
    """Return one Delivery without its body."""
    return Delivery.objects.defer("body").filter(pk=sequence).first()


def _below(rows: QuerySet[Any], before: int | None) -> QuerySet[Any]:
    return rows if before is None else rows.filter(pk__lt=before)
