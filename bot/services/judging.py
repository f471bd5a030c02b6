"""Judging whether a pull request is ready to merge, by all that GitHub says."""

from __future__ import annotations

from bot.decisions import pulls
from bot.services import notices
from bot.services.reach import Place
from bot.values import Verdict
from githubapi.values import PullRequestDetail
from webhooks.models import PullRequest
from webhooks.values import Cause


def judge(row: PullRequest, detail: PullRequestDetail, place: Place, cause: Cause) -> Verdict:
    """Return the verdict and let the notification say it; raises GithubError before anything is written."""
    verdict = pulls.why_not_ready(detail) or pulls.judge_checks(
        place.client.head_checks(place.repository_id, detail.facts.head_sha)
    )
    notices.show(row, verdict, cause)
    return verdict
