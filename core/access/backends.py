"""How the roles and access rules reach Django's own permission checks, on the dashboards and in the admin."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend

from core.access.loading import access_rules
from core.access.values import Permission

ADMIN = f"core.{Permission.ADMIN}"
_OURS = {f"core.{permission}": permission for permission in Permission}


class RoleBackend(BaseBackend):
    """Grants what access rules say about a person's groups, and administrators all of Django's permissions of tables.

    Django makes those permissions after the last migration, one by one for each table: a group that a migration makes
    could not hold them, and would miss those of the next version.
    """

    def has_perm(self, user_obj: Any, perm: str, obj: object = None) -> bool:
        if not user_obj.is_active or user_obj.is_anonymous:
            return False
        if perm in _OURS:
            return _OURS[perm] in _by_rules(user_obj)
        return bool(user_obj.has_perm(ADMIN))

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        return bool(user_obj.is_active and user_obj.has_perm(ADMIN))


def _by_rules(user: Any) -> frozenset[Permission]:
    rules = access_rules()
    return rules.for_groups(user.groups.values_list("name", flat=True)) if rules.groups else frozenset()
