"""What a user of ours may do: their roles, and the access rules about their groups."""

from __future__ import annotations

from typing import Any

from core.access.loading import access_rules
from core.access.values import Permission


def permissions_of(user: Any) -> frozenset[Permission]:
    """Return the API permissions of a user: by roles (a superuser has all) and by rules about groups."""
    granted = user.get_all_permissions()
    by_role = frozenset(permission for permission in Permission if f"core.{permission}" in granted)
    rules = access_rules()
    if not rules.groups:
        return by_role
    return by_role | rules.for_groups(user.groups.values_list("name", flat=True))
