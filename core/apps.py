"""What every app stands on."""

from __future__ import annotations

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = "Installation"

    def ready(self) -> None:
        """Register the system checks."""
        from core import checks  # noqa: F401 (importing registers; models must be loaded first)
