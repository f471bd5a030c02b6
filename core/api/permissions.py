"""May this caller do that? Each endpoint names the permission of each of its methods."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from core.access.values import Identity, Permission


def permission_for(view: Any, method: str) -> Permission:
    """Return the permission that a method of an endpoint needs; one that names none is the administrators'."""
    permissions: dict[str, Permission] = view.permissions
    return permissions.get("GET" if method == "HEAD" else method, Permission.ADMIN)


class NamedPermission(BasePermission):
    """Lets a caller pass who has the permission that the endpoint names for the method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        identity = request.auth
        if request.method not in view.allowed_methods:
            # Nothing to permit: a caller that is known is told that there is no such method (405).
            return isinstance(identity, Identity)
        needed = permission_for(view, request.method or "")
        self.message = f"This needs the permission {needed}."
        return isinstance(identity, Identity) and identity.may(needed)
