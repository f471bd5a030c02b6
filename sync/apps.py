"""The safety net under the Events: scheduled syncs with GitHub, and redeliveries of what was missed."""

from __future__ import annotations

from django.apps import AppConfig


class SyncConfig(AppConfig):
    name = "sync"

    def ready(self) -> None:
        """Register this app's Settings."""
        from sync import setting_specs  # noqa: F401 (importing registers)
