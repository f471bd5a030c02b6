"""How a caller shows who it is. Each way ends in an Identity, which is `request.auth`."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.authentication import SessionAuthentication as DjangoSession
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from core.access import bearer, tokens
from core.access.granting import permissions_of
from core.access.keys import PAUSE, IssuerAway, KeyStore
from core.access.loading import access_rules
from core.access.values import NAME_LIMIT, Identity, Means
from core.api.problems import unavailable

REALM = "Pullkeeper"


def credentials(request: Request, word: str) -> str | None:
    """Return what follows a word in the Authorization header, whatever the word's letter case; None without it.

    Raises AuthenticationFailed for a header that is not exactly two words.
    """
    parts = get_authorization_header(request).split()
    if not parts or parts[0].lower() != word.encode():
        return None
    if len(parts) != 2:  # noqa: PLR2004 (the word and the credentials)
        raise AuthenticationFailed(f"The Authorization header must be: {word} <credentials>.")
    return parts[1].decode("latin-1")


class TokenAuthentication(BaseAuthentication):
    """`Authorization: token <key>`."""

    def authenticate(self, request: Request) -> tuple[Any, Identity] | None:
        key = credentials(request, "token")
        if key is None:
            return None
        token = tokens.find(key)
        if token is None:
            raise AuthenticationFailed("The token is unknown, expired or revoked.")
        tokens.note_use(token)
        return token.user, _token_identity(token)

    def authenticate_header(self, request: Request) -> str:
        return f'token realm="{REALM}", Bearer realm="{REALM}"'


def _token_identity(token: Any) -> Identity:
    login = token.user.get_username()
    return Identity(
        name=f"{login} (token {token.name})"[:NAME_LIMIT],
        means=Means.TOKEN,
        throttle_key=f"token-{token.pk}",
        login=login,
        permissions=permissions_of(token.user),
    )


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <JWT>`, of an issuer that the access rules name."""

    keys = KeyStore()

    def authenticate(self, request: Request) -> tuple[Any, Identity] | None:
        text = credentials(request, "bearer")
        if text is None:
            return None
        try:
            identity = bearer.identify(text, rules=access_rules(), keys=self.keys)
        except bearer.Refused as error:
            raise AuthenticationFailed(str(error)) from None
        except IssuerAway as error:
            raise unavailable(str(error), wait=PAUSE) from None
        return RemoteCaller(identity.name), identity

    def authenticate_header(self, request: Request) -> str:
        return f'Bearer realm="{REALM}"'


class RemoteCaller(AnonymousUser):
    """A caller who is authenticated and no user of ours."""

    is_authenticated = True  # type: ignore[assignment]
    is_anonymous = False  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        super().__init__()
        self.username = name  # type: ignore[assignment]


class SessionAuthentication(DjangoSession):
    """A signed-in person; writes need the CSRF token, as everywhere in the browser."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        found = super().authenticate(request)
        if found is None:
            return None
        user = found[0]
        login = user.get_username()
        return user, Identity(
            name=login,
            means=Means.SESSION,
            throttle_key=f"user-{user.pk}",
            login=login,
            permissions=permissions_of(user),
        )
