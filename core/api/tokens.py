"""Endpoints of tokens: an administrator's way to see, make and revoke them."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import tokens
from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.paging import KeysetQuery, page_answer, page_schema
from core.api.problems import conflict, not_found, unprocessable
from core.api.serializers import StrictSerializer, read_input, read_query
from core.models import ApiToken


class TokenItem(serializers.ModelSerializer):
    """A token as it may be shown: never its key."""

    user = serializers.CharField(source="user.username")

    class Meta:
        model = ApiToken
        fields = [
            "sequence",
            "name",
            "prefix",
            "user",
            "created_at",
            "expires_at",
            "revoked_at",
            "last_used_at",
        ]


class NewTokenItem(TokenItem):
    """A token just made, with its key: this answer is the only place that ever shows it."""

    key = serializers.CharField()

    class Meta(TokenItem.Meta):
        fields = [*TokenItem.Meta.fields, "key"]


class TokenInput(StrictSerializer):
    """The token to make."""

    name = serializers.CharField(max_length=100, help_text="What it is for.")
    days = serializers.IntegerField(min_value=1, max_value=tokens.LONGEST_DAYS, help_text="Until it expires.")
    user = serializers.CharField(
        required=False, max_length=150, help_text="Whose rights it has; the caller's unless given."
    )


class Tokens(Endpoint):
    """`tokens`: all of them, and new ones."""

    permissions = {"GET": Permission.ADMIN, "POST": Permission.ADMIN}

    @describe("Tokens, newest first", answer=page_schema(TokenItem), query=KeysetQuery)
    def get(self, request: Request) -> Response:
        read_query(request, KeysetQuery)
        return page_answer(self, request, ApiToken.objects.select_related("user"), TokenItem)

    @describe(
        "Make a token",
        answer=NewTokenItem,
        status=HTTPStatus.CREATED,
        body=TokenInput,
        fails={422: "No active user has this name."},
    )
    def post(self, request: Request) -> Response:
        given = read_input(request, TokenInput)
        owner = _owner(given.get("user", identity_of(request).login))
        made = tokens.make(user=owner, name=given["name"], lifetime=timedelta(days=given["days"]))
        note_act(request, f"token {given['name']}", f"made it for {owner.get_username()}")
        return Response({**TokenItem(made.token).data, "key": made.key}, status=HTTPStatus.CREATED)


class TokenDetail(Endpoint):
    """`tokens/{sequence}`: revoke one."""

    permissions = {"DELETE": Permission.ADMIN}

    @describe("Revoke a token for good", answer=TokenItem, fails={409: "It is revoked already."})
    def delete(self, request: Request, sequence: int) -> Response:
        token = ApiToken.objects.filter(pk=sequence).select_related("user").first()
        if token is None:
            raise not_found("There is no such token.")
        if not tokens.revoke(token):
            raise conflict("revoked", "The token is revoked already.")
        note_act(request, f"token {token.name}", "revoked it")
        token.refresh_from_db(fields=["revoked_at"])
        return Response(TokenItem(token).data)


def _owner(name: str) -> User:
    owner = User.objects.filter(username=name, is_active=True).first()
    if owner is None:
        raise unprocessable("unknown_user", f"There is no active user {name!r}; name one in `user`.")
    return owner
