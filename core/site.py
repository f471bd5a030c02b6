"""The admin's door."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.http import HttpRequest

from core.access.backends import ADMIN


class RoleAdminSite(AdminSite):
    """Lets administrators in, and whoever Django calls staff; what they see and change their permissions say."""

    site_title = site_header = "Pullkeeper administration"

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return user.is_active and (user.is_staff or user.has_perm(ADMIN))
