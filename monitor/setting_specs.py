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
