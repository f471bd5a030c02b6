"""The Settings of the work queue."""

from __future__ import annotations

from core import registry
from core.setting_specs import pass_switch

SWEEP = pass_switch("work-sweep")
HANDLED_TYPES = registry.words(
    "workqueue.handled-types",
    default="merge, pull_request",
    description="Item types that are worked on, separated by commas. Events of others are kept; empty = nothing is.",
)
MAX_ATTEMPTS = registry.integer(
    "workqueue.max-attempts",
    default=10,
    least=1,
    most=100,
    description="After how many failures in a row a work item is given up on and listed as failed.",
)
BATCH_SIZE = registry.integer(
    "workqueue.batch-size",
    default=5,
    least=1,
    most=100,
    description="How many work items a worker takes at once.",
)
AUDIT_DAYS = registry.integer(
    "workqueue.audit-days",
    default=90,
    least=1,
    most=3650,
    description="For how many days the audit entries shown with a work item are kept.",
)
