"""The Settings of claims and of the cleanup pass."""

from __future__ import annotations

from core import registry
from core.registry import SettingSpec
from core.setting_specs import pass_switch
from webhooks.claim_rules import MAX_ATTEMPTS as ATTEMPTS

# Named when the bot was the only one to claim rows.
MAX_ATTEMPTS = registry.integer(
    "bot.max-attempts",
    default=ATTEMPTS,
    least=1,
    most=100,
    description="After how many failed attempts a row is given up on and listed as failed.",
)
CLEANUP = pass_switch("cleanup")
INTERVAL_HOURS = registry.integer(
    "cleanup.interval-hours",
    default=24,
    least=1,
    most=24 * 31,
    description="Hours between two runs of the pass cleanup.",
)


def _days(name: str, default: int, description: str) -> SettingSpec[int]:
    return registry.integer(f"cleanup.{name}", default=default, least=1, most=3650, description=description)


BODY_DAYS = _days(
    "body-days", 30, "Days for which the body of a Delivery is kept (it can be replayed so long)."
)
DELIVERY_DAYS = _days("delivery-days", 90, "Days for which Deliveries and rejected requests are listed.")
RUN_DAYS = _days("run-days", 90, "Days for which the runs of passes and finished queue tasks are listed.")
HISTORY_DAYS = _days("history-days", 90, "Days for which the history of a closed pull request is kept.")
