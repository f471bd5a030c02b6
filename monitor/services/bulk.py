"""Acts on many rows: started by a person, done by the pass `bulk`, a few rows a minute."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from django.db import transaction
from django.db.models import F, Max

from core.functions import CurrentTimestamp
from core.passes import Run
from core.registry import Effective
from monitor.models import BulkJob
from monitor.services.bulk_kinds import KINDS, BulkKind, Criteria
from monitor.setting_specs import BULK_ROWS

ERROR_LENGTH = 1_000
RUNNING = BulkJob.State.RUNNING


def start(kind: BulkKind, criteria: Criteria, *, actor: str) -> BulkJob | None:
    """Store a job for all rows that fit now; None when none does."""
    rows = kind.rows(criteria).order_by()
    total, bound = rows.count(), rows.aggregate(bound=Max("pk"))["bound"]
    if not bound:
        return None
    return BulkJob.objects.create(
        kind=kind.key, criteria=dict(criteria), actor=actor, bound=bound, total=total
    )


def cancel(sequence: int) -> bool:
    """Stop a running job after the rows that it has done; False when it had ended already."""
    running = BulkJob.objects.filter(pk=sequence, state=RUNNING)
    return bool(running.update(state=BulkJob.State.CANCELLED, finished_at=CurrentTimestamp()))


def any_running(_: Effective) -> bool:
    """The condition of the pass: there is a job to go on with."""
    return BulkJob.objects.filter(state=RUNNING).exists()


def go_on(run: Run) -> None:
    """Go on with the oldest jobs until the minute's rows are used up."""
    left = run.settings[BULK_ROWS]
    run.count("rows", 0)
    for job in BulkJob.objects.filter(state=RUNNING).order_by("pk"):
        while left > 0 and not run.out_of_time():
            taken = _step(run, job, most=left)
            left -= taken
            if not taken:
                break
            run.count("rows", taken)
            run.show_progress()


def _step(run: Run, job: BulkJob, *, most: int) -> int:
    """Touch the next few rows and move the cursor behind them; 0 when there are none, and the job is finished.

    Both are one transaction, or for a kind that commits row by row the cursor moves afterwards: killed in between, the
    row is touched again, which such a kind bears.
    """
    kind = KINDS[job.kind]
    with transaction.atomic() if kind.atomic else nullcontext():
        if kind.atomic:
            run.hold_lock()
        job.refresh_from_db()
        sequences = _next(kind, job, min(most, kind.batch)) if job.state == RUNNING else []
        if sequences:
            _touch(kind, job, sequences)
    if not sequences:
        _finish(job)
    return len(sequences)


def _next(kind: BulkKind, job: BulkJob, number: int) -> list[int]:
    ahead = kind.rows(job.criteria).filter(pk__gt=job.cursor, pk__lte=job.bound)
    return list(ahead.order_by("pk").values_list("pk", flat=True)[:number])


def _touch(kind: BulkKind, job: BulkJob, sequences: list[int]) -> None:
    touched = kind.touch(sequences, job.criteria, job.actor)
    columns: dict[str, Any] = {
        "cursor": sequences[-1],
        "done": F("done") + touched.done,
        "failed": F("failed") + touched.failed,
    }
    if touched.error:
        columns["last_error"] = touched.error[:ERROR_LENGTH]
    BulkJob.objects.filter(pk=job.pk, cursor=job.cursor).update(**columns)


def _finish(job: BulkJob) -> None:
    running = BulkJob.objects.filter(pk=job.pk, state=RUNNING)
    running.update(state=BulkJob.State.FINISHED, finished_at=CurrentTimestamp())
