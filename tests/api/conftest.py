"""Callers of the API: people with a role, and the tokens they made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from core.access import tokens


def group(role: str) -> Group:
    """Return the group of a role, made by its migration anew where a test with real transactions has emptied all."""
    if not Group.objects.filter(name=role).exists():
        import_module("core.migrations.0003_roles").make_roles(apps, None)
    return Group.objects.get(name=role)


@pytest.fixture
def user_with(db: None, settings: Any) -> Callable[..., User]:
    """Return a user with a role ("" = none)."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    def make(role: str = "", *, name: str = "", **fields: Any) -> User:
        user = User.objects.create_user(name or f"{role or 'nobody'}-user", password="x", **fields)
        if role:
            user.groups.add(group(role))
        return user

    return make


@pytest.fixture
def caller(user_with: Callable[..., User]) -> Callable[..., APIClient]:
    """Return a client that calls with a token of a user who has the role."""

    def make(role: str = "viewer", **fields: Any) -> APIClient:
        made = tokens.make(user=user_with(role, **fields), name="test", lifetime=timedelta(days=1))
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"token {made.key}")
        return client

    return make
