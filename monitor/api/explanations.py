"""The endpoint that says why a pull request is where it is."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.describing import describe
from core.api.endpoints import Endpoint
from core.api.paths import LARGEST
from core.api.problems import not_found
from core.api.serializers import StrictSerializer, read_query
from monitor.explain.asking import ask
from monitor.explain.values import Fate

FATES = [fate.value for fate in Fate]


class ExplanationQuery(StrictSerializer):
    """Which part of the timeline is wanted."""

    before = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only what is older than the timeline's entry of this sequence; 50 entries a time.",
    )


class NextItem(serializers.Serializer):
    """What happens next, and when; an estimate where others are served first."""

    what = serializers.CharField()
    at = serializers.DateTimeField()


class ReasonItem(serializers.Serializer):
    """A reason: its code tells a gate that is open from one that is closed; codes are never renamed."""

    code = serializers.CharField()
    text = serializers.CharField()


class CauseItem(serializers.Serializer):
    """The Delivery, or the run of a pass, that an entry comes from."""

    sequence = serializers.IntegerField()
    words = serializers.CharField()


class EntryItem(serializers.Serializer):
    """An entry of the timeline. Kind `gap`: another program wrote the row, between `after` and `at`."""

    sequence = serializers.IntegerField(allow_null=True, help_text="null for a gap")
    at = serializers.DateTimeField()
    after = serializers.DateTimeField(allow_null=True, help_text="Since when a gap may have begun.")
    kind = serializers.CharField()
    text = serializers.CharField()
    actor = serializers.CharField()
    from_state = serializers.CharField()
    to_state = serializers.CharField()
    guid = serializers.CharField(allow_null=True, help_text="The GUID of the Delivery.")
    delivery = CauseItem(allow_null=True)
    run = CauseItem(allow_null=True)


class ExplanationItem(serializers.Serializer):
    """Why a pull request is where it is."""

    sentence = serializers.CharField()
    state = serializers.ChoiceField(choices=FATES)
    since = serializers.DateTimeField(allow_null=True)
    next = NextItem(allow_null=True)
    reasons = ReasonItem(many=True)
    timeline = EntryItem(many=True)


EXAMPLE: dict[str, Any] = {
    "sentence": (
        "octo/tools#7 is due for Idle Retry 3 of 10 and next up. It gets it in 12 min (2026-03-04 09:12:00 UTC)."
    ),
    "state": "due",
    "since": "2026-03-03T21:00:00Z",
    "next": {"what": "It gets Idle Retry 3 of 10", "at": "2026-03-04T09:12:00Z"},
    "reasons": [
        {"code": "retries_left", "text": "It had 2 of 10 Idle Retries."},
        {"code": "first_in_line", "text": "It is the first in line."},
    ],
    "timeline": [
        {
            "sequence": 4711,
            "at": "2026-02-28T21:00:00Z",
            "after": None,
            "kind": "finalize",
            "text": "nothing to update",
            "actor": "pullkeeper 0.1.0",
            "from_state": "PROCESSING",
            "to_state": "PROCESSED",
            "guid": None,
            "delivery": None,
            "run": None,
        }
    ],
}


class PullRequestExplanation(Endpoint):
    """`pull-requests/{owner}/{repo}/{number}/explain`."""

    @describe(
        "Why a pull request is where it is", answer=ExplanationItem, query=ExplanationQuery, example=EXAMPLE
    )
    def get(self, request: Request, owner: str, repo: str, number: int) -> Response:
        before = read_query(request, ExplanationQuery).get("before")
        answer = ask(owner, repo, number, cursor=str(before or ""))
        if answer is None:
            raise not_found(f"No pull request {owner}/{repo}#{number} is known here.")
        said = answer.explanation
        item = ExplanationItem(
            {
                "sentence": said.sentence,
                "state": said.state,
                "since": said.since,
                "next": said.next,
                "reasons": said.reasons,
                "timeline": answer.timeline.entries,
            }
        )
        return Response(item.data)
