"""The Settings of the bot."""

from __future__ import annotations

from core import registry
from core.setting_specs import pass_switch
from webhooks.claim_rules import BATCH
from webhooks.setting_specs import MAX_ATTEMPTS as OF_CLAIMS

BOT = pass_switch("bot")
DRY_RUN = registry.boolean(
    "bot.dry-run",
    default=False,
    description="On: everything is decided and recorded, and nothing is written to GitHub.",
)
# Workers of others go by it as well.
MAX_ATTEMPTS = OF_CLAIMS
BATCH_SIZE = registry.integer(
    "bot.batch-size",
    default=BATCH,
    least=1,
    most=100,
    description="How many rows of a table are claimed at once.",
)
BRANCH_UPDATES_PER_DAY = registry.integer(
    "bot.branch-updates-per-day",
    default=0,
    least=0,
    most=100_000,
    description="How many branches of one repository are updated in a day (UTC); 0 = as many as are behind.",
)
OWN_LABELS = registry.words(
    "bot.own-labels",
    description="Labels, separated by commas, that the bot takes off a pull request which was closed.",
)
