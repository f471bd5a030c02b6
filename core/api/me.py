"""Who the caller is here."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Means, Permission
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of


class IdentityItem(serializers.Serializer):
    """The caller, as authentication found it."""

    name = serializers.CharField()
    login = serializers.CharField(help_text="The user's name here; empty for a caller that is no user.")
    means = serializers.ChoiceField([str(means) for means in Means])
    permissions = serializers.ListField(child=serializers.ChoiceField([str(one) for one in Permission]))


class Me(Endpoint):
    """`me`: the caller's name and permissions."""

    @describe("Who the caller is, and what it may do", answer=IdentityItem)
    def get(self, request: Request) -> Response:
        identity = identity_of(request)
        return Response(
            {
                "name": identity.name,
                "login": identity.login,
                "means": identity.means,
                "permissions": [str(one) for one in Permission if identity.may(one)],
            }
        )
