"""What a look considers (named in config's LOOKS)."""

from __future__ import annotations

from core import registry
from githubapi.client import InstallationClient
from merge import setting_specs
from merge.services.considering import consider
from merge.services.places import place_of_pull_request
from webhooks.models import PullRequest


def reconsider(row: PullRequest, client: InstallationClient, repository_id: int) -> str:
    """Consider one pull request for merging, so that its last check merges it within a minute; raises GithubError.

    Returns what came of it, "" while merging is switched off.
    """
    values = registry.effective()
    if not values[setting_specs.SWITCH.enabled]:
        return ""
    place = place_of_pull_request(client, repository_id, row)
    considered = consider(place, row.number, row.title, values)
    return f"{considered.ending.replace('_', ' ')}: {considered.verdict.sentence}"
