"""`github`: what the hook brought in the last 30 days, and single Deliveries."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core import clock
from core.access.values import Identity
from core.api.describing import describe
from core.api.endpoints import ExistingClientEndpoint, identity_of
from core.api.existing_client import client_date, zone_of
from core.api.problems import not_found
from core.api.serializers import LenientSerializer
from webhooks.api import tables
from webhooks.models import CLAIMED, Delivery
from webhooks.selectors import activity, listings
from webhooks.services.activity import Activity, of_last_days

MINE = "mine"
FEED_HEADER = ["Sequence", "Date", "Event", "Action", "Repository", "Sender", "Status"]
DELIVERY_MEMBERS = (
    "sequence",
    "hook_id",
    "guid",
    "event",
    "action",
    "target_type",
    "target_id",
    "repository_owner",
    "repository_name",
    "sender_login",
    "status",
    "note",
    "error",
    "duration_ms",
)
_NUMBERS = frozenset({"sequence", "hook_id", "target_id", "duration_ms"})


class FeedOptions(LenientSerializer):
    feedOptionsFilter = serializers.ChoiceField(  # noqa: N815 -- the existing client's name
        ["all", MINE], required=False, help_text="mine: the feed holds what the token's owner caused."
    )


def _array() -> serializers.Field:
    return serializers.ListField(
        child=serializers.ListField(), help_text="A header row first; [] when empty."
    )


class Bundle(serializers.Serializer):
    total = serializers.IntegerField()
    total_workflow_runs = serializers.IntegerField()
    installations = serializers.IntegerField()
    installation_repositories_count = serializers.IntegerField()
    check_hooks_date = serializers.DateTimeField(allow_null=True)
    statistics = _array()
    statistics_github = _array()
    events = _array()
    senders = _array()
    repositories = _array()
    installation_repositories = _array()
    branches = _array()
    pull_requests = _array()
    workflow_runs = _array()
    feed = _array()


EXAMPLE = {
    "total": 1200,
    "total_workflow_runs": 85,
    "installations": 3,
    "installation_repositories_count": 40,
    "check_hooks_date": "2026-03-04T09:00:00Z",
    "statistics": [["Date", "Hits"], ["03/03", 31], ["04/03", 44]],
    "statistics_github": [
        ["Date", *(model._meta.db_table for model in CLAIMED)],
        ["04/03", *range(len(CLAIMED))],
    ],
    "events": [["Event", "Hits"], ["check_run", 700], ["push", 300]],
    "senders": [["Sender", "Hits"], ["grace", 120]],
    "repositories": [["Repository", "Hits"], ["octo/tools", 640]],
    "installation_repositories": [["Repository", "Private"], ["octo/tools", False]],
    "branches": [["Branch", "Hits"], ["octo/tools main", 12]],
    "pull_requests": [["Pull request", "Hits"], ["octo/tools#7", 9]],
    "workflow_runs": [],
    "feed": [FEED_HEADER, [4711, "2026-03-04 09:00:00", "push", "", "octo/tools", "grace", "applied"]],
}
DeliveryAnswer = type(
    "Delivery",
    (serializers.Serializer,),
    {
        name: serializers.IntegerField() if name in _NUMBERS else serializers.CharField()
        for name in DELIVERY_MEMBERS
    }
    | {"received_at": serializers.CharField(help_text="In the zone of X-Timezone.")},
)


class GithubBundle(ExistingClientEndpoint):
    """`github`."""

    @describe("What came in during the last 30 days", answer=Bundle, query=FeedOptions, example=EXAMPLE)
    def get(self, request: Request) -> Response:
        zone = zone_of(request)
        deliveries = activity.feed(sender=_sender(request, identity_of(request)))
        feed = tables.table(FEED_HEADER, [feed_row(row, zone) for row in deliveries])
        return Response(bundle(of_last_days(), zone) | {"feed": feed})


class GithubDelivery(ExistingClientEndpoint):
    """`github/{sequence}`."""

    @extend_schema(operation_id="github_delivery_retrieve")
    @describe("One Delivery, without its body", answer=DeliveryAnswer)
    def get(self, request: Request, sequence: int) -> Response:
        row = listings.delivery(sequence)
        if row is None:
            raise not_found(f"There is no Delivery {sequence}.")
        members = {name: getattr(row, name) for name in DELIVERY_MEMBERS}
        return Response(members | {"received_at": client_date(row.received_at, zone_of(request))})


def _sender(request: Request, identity: Identity) -> str | None:
    return identity.login if request.query_params.get("feedOptionsFilter") == MINE else None


def bundle(found: Activity, zone: tzinfo) -> dict[str, Any]:
    """Return everything but the feed; days are those of the zone."""
    shown = tables.days(clock.now().astimezone(zone).date(), activity.DAYS)
    return {
        "total": found.total,
        "total_workflow_runs": found.total_workflow_runs,
        "installations": found.installations,
        "installation_repositories_count": found.repository_count,
        "check_hooks_date": found.newest_delivery,
        "statistics": tables.per_day({"Hits": found.deliveries}, shown, zone),
        "statistics_github": tables.per_day(found.tables, shown, zone),
        "events": tables.table(["Event", "Hits"], found.events),
        "senders": tables.table(["Sender", "Hits"], found.senders),
        "repositories": tables.table(["Repository", "Hits"], found.repositories),
        "installation_repositories": tables.table(["Repository", "Private"], found.installation_repositories),
        "branches": tables.table(["Branch", "Hits"], found.branches),
        "pull_requests": tables.table(["Pull request", "Hits"], found.pull_requests),
        "workflow_runs": tables.table(["Workflow run", "Hits"], found.workflow_runs),
    }


def feed_row(row: Delivery, zone: tzinfo) -> list[Any]:
    """Return a Delivery as a line of the feed."""
    repository = f"{row.repository_owner}/{row.repository_name}" if row.repository_name else ""
    return [
        row.pk,
        client_date(row.received_at, zone),
        row.event,
        row.action,
        repository,
        row.sender_login,
        row.status,
    ]
