"""Saying on GitHub why something is not merged: a neutral check run on its head, once for each reason."""

from __future__ import annotations

import structlog

from githubapi.errors import GithubError
from merge.services.evidence import REPORT_NAME
from merge.services.places import Place
from merge.values import Snapshot, Standing, Verdict

log = structlog.get_logger(__name__)


def report(place: Place, snapshot: Snapshot, verdict: Verdict) -> None:
    """Add the check run; that GitHub refuses it (the App may lack the permission) changes nothing else."""
    if verdict.standing is Standing.ELIGIBLE:
        return
    title = f"Not merged: {verdict.code.replace('_', ' ')}"
    try:
        place.client.report_check(
            place.repository_id, snapshot.head_sha, REPORT_NAME, title, verdict.sentence
        )
    except GithubError as error:
        log.warning(
            "merge verdict not reported",
            pull_request=f"{place.full_name}#{snapshot.number}",
            error=str(error),
        )
