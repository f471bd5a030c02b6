"""Bringing a pull request's branch up to date with its base."""

from __future__ import annotations

from datetime import date

from bot import setting_specs
from bot.decisions import pulls
from bot.services import allowance
from bot.services.notes import note
from bot.services.reach import Place
from bot.values import Next, Step
from core.registry import Effective
from githubapi.errors import GithubError, Transient
from githubapi.values import BranchUpdate, PullRequestDetail, PullRequestFacts, UpdateOutcome
from webhooks.models import PullRequest
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
    if settings[setting_specs.DRY_RUN]:
        return pulls.dry_run(facts.base_ref, behind_by)
    limit = settings[setting_specs.BRANCH_UPDATES_PER_DAY]
    day = allowance.take(place.repository_id, limit)
    if day is None:
        return pulls.used_up(limit)
    step = pulls.after_update(_send(place, facts, day), facts.base_ref, behind_by)
    if step.next is Next.WAIT_FOR_NEW_HEAD:
        note(row.pk, HistoryKind.BRANCH_UPDATE, step.reason, cause)
    return step


def _send(place: Place, facts: PullRequestFacts, day: date) -> BranchUpdate:
    """Ask GitHub for the update; what it refuses does not count for the day."""
    try:
        answer = place.client.update_branch(place.repository_id, facts.number, facts.head_sha)
    except Transient:
        # The answer was lost, and perhaps nothing else: the update counts.
        raise
    except GithubError:
        allowance.give_back(place.repository_id, day)
        raise
    if answer.outcome is not UpdateOutcome.ACCEPTED:
        allowance.give_back(place.repository_id, day)
    return answer
