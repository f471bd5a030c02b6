"""Endpoints of passes: how they are paced, what their runs did, and running one now."""

from __future__ import annotations


from django.conf import settings
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Permission
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.paging import KeysetQuery, page_answer, page_schema
from core.api.problems import conflict, not_found
from core.api.serializers import read_query
from core.models import PassRun
from core.run_now import ask_for_run


class PassRunItem(serializers.ModelSerializer):
    """One run of a pass."""

    class Meta:
        model = PassRun
        fields = ["sequence", "name", "started_at", "finished_at", "outcome", "counters", "error", "forced", "actor"]


class PassRuns(Endpoint):
    """`passes/{name}/runs`: the records, and a new run."""

    permissions = {"GET": Permission.READ, "POST": Permission.OPERATE}

    @describe("Runs of a pass, newest first", answer=page_schema(PassRunItem), query=KeysetQuery)
    def get(self, request: Request, name: str) -> Response:
        read_query(request, KeysetQuery)
        known_pass(name)
        return page_answer(self, request, PassRun.objects.filter(name=name), PassRunItem)


def known_pass(name: str) -> str:
    """Return the name; raises ApiProblem (404) when no pass has it."""
    if name not in settings.PASSES:
        raise not_found(f"There is no pass {name!r}.")
    return name
