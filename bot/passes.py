"""The pass of this app."""

from __future__ import annotations

from bot import setting_specs
from bot.services.sweeping import sweep
from core.passes import Pass, tick
from sync.services.github import why_not_configured

# Less than the minute between two ticks, which come now a little early and now a little late.
INTERVAL = 45

BOT = Pass(
    name="bot",
    description="Finds pending rows and due looks that no bell announced, and has them worked on.",
    switch=setting_specs.BOT,
    interval=lambda _: INTERVAL,
    obstacle=why_not_configured,
    work=sweep,
)


def bot_pass() -> str:
    """Run the sweep if it is due (scheduled every minute)."""
    return tick(BOT)
