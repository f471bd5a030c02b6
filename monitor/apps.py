"""Dashboards: they read everything, and own nothing but what they show of the past."""

from __future__ import annotations

from django.apps import AppConfig


class MonitorConfig(AppConfig):
    name = "monitor"

    def ready(self) -> None:
        from monitor import setting_specs  # noqa: F401 -- registers
