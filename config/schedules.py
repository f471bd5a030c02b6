"""Every schedule of the installation. `manage.py prepare` applies this table to django-q2, again and again.

Schedules tick every minute; whether a pass is due is decided in the database (core.passes).
"""

from __future__ import annotations

from core.schedules import Every

SCHEDULES = {
    "bot": Every(minutes=1, run="bot.passes.bot_pass"),
    "idle": Every(minutes=1, run="idle.passes.idle_pass"),
    "sync-installations": Every(minutes=1, run="sync.passes.sync_installations_pass"),
    "sync-repositories": Every(minutes=1, run="sync.passes.sync_repositories_pass"),
    "redeliver": Every(minutes=1, run="sync.passes.redeliver_pass"),
    "work-sweep": Every(minutes=1, run="workqueue.passes.work_sweep_pass"),
    "cleanup": Every(minutes=1, run="webhooks.passes.cleanup_pass"),
    "bulk": Every(minutes=1, run="monitor.passes.bulk_pass"),
    "sample": Every(minutes=1, run="monitor.passes.sample_pass"),
}
