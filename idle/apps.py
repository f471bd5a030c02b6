"""Idle retries."""

from __future__ import annotations

from django.apps import AppConfig


class IdleConfig(AppConfig):
    name = "idle"

    def ready(self) -> None:
        """Register the Settings."""
        from idle import setting_specs  # noqa: F401 (importing registers)
