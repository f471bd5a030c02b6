"""Where everything is. Each app owns its paths; this file only says under which prefix."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("webhooks/", include("webhooks.urls")),
    path("admin/", admin.site.urls),
    path("", include("monitor.urls")),
]
