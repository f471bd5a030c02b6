"""Django's admin, with a door of our own."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class SiteConfig(AdminConfig):
    default_site = "core.site.RoleAdminSite"
