"""What the pass `cleanup` removes, batch by batch, within its time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django_q.models import Task

from core.models import PassRun
from core.passes import Run
from core.rates import over_since
from core.registry import SettingSpec
from webhooks import setting_specs as specs
from webhooks.models import Delivery, PullRequest, PullRequestHistory, Rejection
from webhooks.values import OpenState
from workqueue.models import AuditEntry
from workqueue.setting_specs import AUDIT_DAYS

BATCH = 1_000


def clean_up(run: Run) -> None:
    """Remove what is older than the Settings say; stops cleanly when the run is out of time, the next one goes on."""
    _in_batches(run, "bodies", _old_bodies(run), lambda rows: rows.update(body=None))
    _in_batches(run, "deliveries", _older(run, Delivery, "received_at", specs.DELIVERY_DAYS), _delete)
    _in_batches(run, "rejections", _older(run, Rejection, "last_seen", specs.DELIVERY_DAYS), _delete)
    _in_batches(run, "history", _old_history(run), _delete)
    _in_batches(run, "work_item_audit", _older(run, AuditEntry, "at", AUDIT_DAYS), _delete)
    _in_batches(run, "runs", _finished_runs(run), _delete)
    _in_batches(run, "api_rates", over_since(run.now - timedelta(hours=1)), _delete)
    _in_batches(run, "tasks", _older(run, Task, "stopped", specs.RUN_DAYS), _delete)


def _older(run: Run, model: type[Any], column: str, days: SettingSpec[int]) -> QuerySet[Any]:
    limit = run.now - timedelta(days=run.settings[days])
    rows: QuerySet[Any] = model.objects.filter(**{f"{column}__lte": limit})
    return rows


def _old_bodies(run: Run) -> QuerySet[Any]:
    return _older(run, Delivery, "received_at", specs.BODY_DAYS).filter(body__isnull=False)


def _finished_runs(run: Run) -> QuerySet[Any]:
    return _older(run, PassRun, "started_at", specs.RUN_DAYS).exclude(pk=run.record_id)


def _old_history(run: Run) -> QuerySet[Any]:
    """A closed pull request is written last at its closing or later, so its UpdatedAt never removes too early."""
    closed = _older(run, PullRequest, "updated_at", specs.HISTORY_DAYS).filter(
        state=OpenState.CLOSED, pk=OuterRef("pull_request_sequence")
    )
    return _older(run, PullRequestHistory, "at", specs.HISTORY_DAYS).filter(Exists(closed))


def _delete(rows: QuerySet[Any]) -> int:
    return rows.delete()[0]


def _in_batches(run: Run, counter: str, rows: QuerySet[Any], act: Callable[[QuerySet[Any]], int]) -> None:
    """Act on the oldest rows first, a batch a transaction: no lock is held for long."""
    run.count(counter, 0)
    while not run.out_of_time():
        batch = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
        if not batch:
            return
        run.count(counter, act(rows.model._default_manager.filter(pk__in=batch)))
