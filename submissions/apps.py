from __future__ import annotations

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"

    def ready(self) -> None:
        """Register the Settings and the item type."""
        from submissions import setting_specs  # noqa: F401
        from submissions.item_type import PULL_REQUEST
        from workqueue import registry

        registry.register(PULL_REQUEST)
