"""Bringing a pull request's branch up to date with its base."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from bot import setting_specs
from bot.decisions import pulls
from bot.services.notes import note
from bot.services.reach import Place
from bot.values import Next, Step
from core import clock
from core.registry import Effective
from githubapi.values import PullRequestDetail
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.values import Cause, HistoryKind


def bring_up_to_date(
    row: PullRequest, detail: PullRequestDetail, place: Place, settings: Effective, cause: Cause
) -> Step:
    """Update the branch if it is behind, and return what follows; raises GithubError.

    The update names the head that was judged, so that GitHub refuses it for any other (field case F05).
    """
    facts = detail.facts
    if obstacle := pulls.why_not_updatable(detail):
        return Step(Next.GO_ON, obstacle)
    behind_by = place.client.compare(place.repository_id, facts.base_ref, facts.head_sha).behind_by
    if step := pulls.decide_update(facts.base_ref, behind_by):
        return step
    limit = settings[setting_specs.BRANCH_UPDATES_PER_DAY]
    if step := pulls.decide_limit(updates_today(row) if limit else 0, limit):
        return step
    if settings[setting_specs.DRY_RUN]:
        return pulls.dry_run(facts.base_ref, behind_by)
    answer = place.client.update_branch(place.repository_id, facts.number, facts.head_sha)
    step = pulls.after_update(answer, facts.base_ref, behind_by)
    if step.next is Next.WAIT_FOR_NEW_HEAD:
        note(row.pk, HistoryKind.BRANCH_UPDATE, step.reason, cause)
    return step


def updates_today(row: PullRequest) -> int:
    """Return how many branch updates of the row's repository GitHub has accepted since 00:00 UTC."""
    lines = PullRequestHistory.objects.filter(kind=HistoryKind.BRANCH_UPDATE, at__gte=_midnight())
    return lines.filter(pull_request_sequence__in=_of_repository(row)).count()


def _of_repository(row: PullRequest) -> QuerySet[Any, Any]:
    rows: QuerySet[Any, Any] = PullRequest.objects.filter(repository_key=row.repository_key).values("pk")
    return rows


def _midnight() -> datetime:
    now = clock.now()
    return now - timedelta(hours=now.hour, minutes=now.minute, seconds=now.second)
