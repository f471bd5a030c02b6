"""Idle retries."""

from __future__ import annotations

from django.apps import AppConfig


class IdleConfig(AppConfig):
    name = "idle"

    def ready(self) -> None:
        """Register the Settings and the check."""
        from idle import checks, setting_specs  # noqa: F401 (importing registers; models must be loaded first)
