"""Where everything is. Each app owns its paths; this file only says under which prefix."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from core.api.problems import unknown_path

API: list[URLPattern | URLResolver] = [
    path("", include("core.api.urls")),
    path("", include("merge.api.urls")),
    path("", include("workqueue.api.urls")),
    path("", include("monitor.api.urls")),
    path("", include("webhooks.api.urls")),
    path("", include("idle.api.urls")),
    # Not path("<path:rest>"): a line break is in no such path.
    re_path("", unknown_path),
]

urlpatterns = [
    path("api/v1/", include(API)),
    path("webhooks/", include("webhooks.urls")),
    path("admin/", admin.site.urls),
    path("", include("monitor.urls")),
]
