"""What a look considers (named in config's LOOKS)."""

from __future__ import annotations

from bot.services.judging import judge
from bot.services.reach import Place
from core.version import STAMP
from githubapi.client import InstallationClient
from webhooks.models import PullRequest
from webhooks.values import Cause


def ready_to_merge(row: PullRequest, client: InstallationClient, repository_id: int) -> str:
    """Judge whether the pull request is ready to merge, and return the reason; raises GithubError."""
    detail = client.pull_request_detail(repository_id, row.number)
    if detail.facts.state != "open":
        return "closed on GitHub: its Event says the rest"
    return judge(row, detail, Place(client, repository_id), Cause(actor=STAMP)).reason
