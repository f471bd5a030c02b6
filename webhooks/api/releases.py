"""Releases, and what their workflow runs say."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.describing import describe
from core.api.endpoints import ExistingClientEndpoint
from core.api.existing_client import client_date, zone_of
from webhooks.api.shapes import link
from webhooks.selectors import listings
from webhooks.selectors.listings import LONGEST


class ReleaseItem(serializers.Serializer):
    owner = serializers.CharField()
    repo = serializers.CharField()
    release_name = serializers.CharField()
    tag_name = serializers.CharField()
    release_created_at = serializers.CharField(allow_null=True, help_text="In the zone of X-Timezone.")
    html_url = serializers.CharField(help_text="Empty when the address is no link that may be followed.")
    workflow_status = serializers.ChoiceField(["Successful", "Failed", "Pending"])
    workflow_runs_count = serializers.IntegerField()
    failed_workflow_runs = serializers.IntegerField()


class Releases(ExistingClientEndpoint):
    """`releases`."""

    @describe("The latest release of each repository, newest first", answer=ReleaseItem(many=True))
    def get(self, request: Request) -> Response:
        zone = zone_of(request)
        return Response([release_item(row, zone) for row in listings.latest_releases(limit=LONGEST)])


def release_item(row: Any, zone: tzinfo) -> dict[str, Any]:
    """Return a release as the list shows it."""
    return {
        "owner": row.repository_owner,
        "repo": row.repository_name,
        "release_name": row.release_name,
        "tag_name": row.tag_name,
        "release_created_at": client_date(row.release_created_at, zone),
        "html_url": link(row.html_url),
        "workflow_status": row.workflow_status,
        "workflow_runs_count": int(row.workflow_runs_count),
        "failed_workflow_runs": int(row.failed_workflow_runs),
    }
