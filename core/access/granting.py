"""What a user of ours may do: their roles, and the access rules about their groups."""

from __future__ import annotations

from typing import Any

from core.access.values import Permission


def permissions_of(user: Any) -> frozenset[Permission]:
    """Return the API permissions of a user: those of the roles (and a superuser has all)."""
    granted = user.get_all_permissions()
    return frozenset(permission for permission in Permission if f"core.{permission}" in granted)
