"""The bot: works on pending rows."""

from __future__ import annotations

from django.apps import AppConfig


class BotConfig(AppConfig):
    name = "bot"

    def ready(self) -> None:
        """Register the Settings."""
        from bot import setting_specs  # noqa: F401 (importing registers)
