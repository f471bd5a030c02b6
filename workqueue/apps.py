"""The work queue: durable items, worked on by whoever registers a type."""

from __future__ import annotations

from django.apps import AppConfig


class WorkqueueConfig(AppConfig):
    name = "workqueue"
    verbose_name = "Work queue"

    def ready(self) -> None:
        """Register the Settings."""
        from workqueue import setting_specs  # noqa: F401 (importing registers)
