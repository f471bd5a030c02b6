"""May this caller do that? Each endpoint names the permission of each of its methods."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from core.access.values import Identity, Permission

# What asks for the description of a path, not for the path.
DESCRIPTIVE = {"OPTIONS": "GET", "HEAD": "GET"}


def permission_for(view: Any, method: str) -> Permission:
    """Return the permission that a method of an endpoint needs; one that names none is the administrators'."""
    needed: dict[str, Permission] = view.permissions
    return needed.get(method) or needed.get(DESCRIPTIVE.get(method, ""), Permission.ADMIN)


class NamedPermission(BasePermission):
    """Lets a caller pass who has the permission that the endpoint names for the method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        identity = request.auth
        needed = permission_for(view, request.method or "")
        self.message = f"This needs the permission {needed}."
        return isinstance(identity, Identity) and identity.may(needed)
