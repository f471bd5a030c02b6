"""The Settings of the dashboards."""

from __future__ import annotations

from core import registry
from core.setting_specs import pass_switch

SAMPLE = pass_switch("sample")
SAMPLE_DAYS = registry.integer(
    "sample.days",
    default=90,
    least=1,
    most=3_650,
    description="Samples of the backlog, for its trend, are kept for so many days.",
)
BULK = pass_switch("bulk")
BULK_ROWS = registry.integer(
    "bulk.rows-per-minute",
    default=120,
    least=1,
    most=10_000,
    description="Acts on many rows at once take so many rows a minute, so that the bot and GitHub keep up.",
)
BADGE_PUBLIC = registry.boolean(
    "badge.public",
    default=False,
    description="On lets anybody see the counts: /badge.svg for a README, /counts.json for other programs.",
)
METRICS_PUBLIC = registry.boolean(
    "metrics.public",
    default=False,
    description="On lets anybody read /metrics; off asks for a login or an API token that may read.",
)
