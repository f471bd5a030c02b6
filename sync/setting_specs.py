"""The Settings of the syncs."""

from __future__ import annotations

from datetime import UTC, datetime

from core import registry
from core.registry import SettingSpec
from core.setting_specs import pass_switch

INSTALLATIONS = pass_switch("sync-installations")
REPOSITORIES = pass_switch("sync-repositories")
REDELIVER = pass_switch("redeliver")


def _instant(text: str) -> datetime | None:
    """Read ISO 8601; an instant without a zone is UTC. An empty value says "never"."""
    if not text.strip():
        return None
    try:
        value = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"Use ISO 8601, for example 2026-03-01T00:05:00Z, not {text!r}.") from None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


# The name is the existing bot's: whichever of the two ran last, the other knows.
LAST_RUN: SettingSpec[datetime | None] = registry.register(
    SettingSpec(
        name="gstraccini-bot.sync-installations.last-run",
        default=None,
        description="When the installations were last synced in full. Clear it to have them synced again this month.",
        kind="instant (ISO 8601)",
        parse=_instant,
        seeded=False,
    )
)
