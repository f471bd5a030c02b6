"""Asking GitHub for the parts of a snapshot, each only when a rule needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings

from githubapi.errors import Forbidden, Gone
from githubapi.merging_values import BranchDemands
from githubapi.values import HeadChecks
from merge.services.modes import modes_of
from merge.services.places import Place
from merge.values import Demands, Part, Snapshot

# The check run by which we say why something is not merged: no evidence of anything.
REPORT_NAME = "Pullkeeper"


def ask_for(part: Part, place: Place, number: int, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with one part more; raises GithubError."""
    return replace(snapshot, **{part.value: _ASK[part](place, number, snapshot)})


def _files(place: Place, number: int, _: Snapshot) -> Any:
    return place.client.changed_files(place.repository_id, number)


def _modes(place: Place, _: int, snapshot: Snapshot) -> Any:
    return modes_of(place, snapshot)


def _reviews(place: Place, number: int, _: Snapshot) -> Any:
    return place.client.reviews(place.repository_id, number)


def _checks(place: Place, _: int, snapshot: Snapshot) -> HeadChecks:
    found = place.client.head_checks(place.repository_id, snapshot.head_sha)
    return replace(found, runs=tuple(run for run in found.runs if not _is_ours(run.name, run.app_id)))


def _is_ours(name: str, app_id: int | None) -> bool:
    return name == REPORT_NAME and str(app_id) == settings.GITHUB_APP_ID


def _demands(place: Place, _: int, snapshot: Snapshot) -> Demands:
    """Read both sources: one that is hidden from us says nothing, the other one then says all we can know."""
    sources = (place.client.branch_rules, place.client.branch_protection)
    found = [known for ask in sources if (known := _readable(ask, place, snapshot.base_ref)) is not None]
    if not found:
        return Demands(None)
    required = {check: None for known in found for check in known.required}
    return Demands(tuple(required), any(known.merge_queue for known in found))


def _readable(
    ask: Callable[[int, str], BranchDemands | None], place: Place, branch: str
) -> BranchDemands | None:
    try:
        return ask(place.repository_id, branch)
    except (Forbidden, Gone) as error:
        if error.reason == "no_installation":
            raise
        return None


_ASK: dict[Part, Callable[[Place, int, Snapshot], Any]] = {
    Part.FILES: _files,
    Part.MODES: _modes,
    Part.DEMANDS: _demands,
    Part.REVIEWS: _reviews,
    Part.CHECKS: _checks,
}
