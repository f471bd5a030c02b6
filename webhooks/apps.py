"""The receiver and the event tables."""

from __future__ import annotations

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"
    verbose_name = "GitHub Events"

    def ready(self) -> None:
        """Register this app's Settings and system checks."""
        from webhooks import checks, setting_specs  # noqa: F401 (importing registers)
