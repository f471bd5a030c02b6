"""Merge on green: documents that are green merge by themselves, everything else waits for a person."""

from __future__ import annotations

from django.apps import AppConfig


class MergeConfig(AppConfig):
    name = "merge"

    def ready(self) -> None:
        """Register this app's checks, its Settings and its item type."""
        from merge import checks  # noqa: F401 (importing registers)
        from merge.services import item_type  # noqa: F401 (importing registers)
