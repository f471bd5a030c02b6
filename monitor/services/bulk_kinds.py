"""What can be done to all rows that fit a filter: which rows those are, and what is done to a few of them.

Each kind has a filter form, whose conditions become the job's criteria, and two functions: `rows(criteria)` for the
list beforehand and the work alike, and `touch(sequences, criteria, actor)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet

from idle.services import reset
from monitor.forms import Filter, ReplayFilter, ReRequestFilter, ResetFilter
from monitor.selectors import deliveries, idle_list, processing
from webhooks.models import PullRequest
from webhooks.services import pending
from webhooks.services.receiving import replay
from webhooks.values import DeliveryStatus

Criteria = Mapping[str, Any]


@dataclass(frozen=True)
class Touched:
    """What came of a few rows: how many succeeded and failed, and the last failure's sentence."""

    done: int
    failed: int = 0
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class BulkKind:
    """`batch` rows are touched at a time. A kind that is not `atomic` commits row by row, and bears being repeated."""

    key: str
    label: str
    promise: str
    form: type[Filter]
    rows: Callable[[Criteria], QuerySet[Any]]
    touch: Callable[[Sequence[int], Criteria, str], Touched]
    batch: int
    atomic: bool = True


def _rows_in_state(criteria: Criteria) -> QuerySet[Any]:
    return processing.in_state(criteria["table"], criteria["state"], criteria.get("repository", ""))


def _re_request(sequences: Sequence[int], criteria: Criteria, actor: str) -> Touched:
    model = processing.TABLES[criteria["table"]]
    return Touched(pending.re_request(model, sequences, actor=actor))


def _reset(sequences: Sequence[int], _: Criteria, actor: str) -> Touched:
    done = 0
    for sequence in sequences:
        try:
            reset(sequence, actor=actor)
        except PullRequest.DoesNotExist:
            continue
        done += 1
    return Touched(done, len(sequences) - done)


def _replayable(criteria: Criteria) -> QuerySet[Any]:
    found = deliveries.matching(criteria)
    return found.filter(status=DeliveryStatus.FAILED, body__isnull=False)


def _replay(sequences: Sequence[int], _: Criteria, __: str) -> Touched:
    receipts = [replay(sequence) for sequence in sequences]
    refused = [receipt for receipt in receipts if receipt.http_status >= HTTPStatus.BAD_REQUEST]
    return Touched(len(receipts) - len(refused), len(refused), refused[-1].sentence if refused else "")


RE_REQUEST = BulkKind(
    key="re-request",
    label="Re-request rows",
    promise="Each row is put back to the bot as RE_REQUESTED (NEW ones stay NEW); Idle Retries start afresh.",
    form=ReRequestFilter,
    rows=_rows_in_state,
    touch=_re_request,
    batch=100,
)
RESET = BulkKind(
    key="reset-retries",
    label="Reset Idle Retries",
    promise="Each pull request's Idle Retries are counted from 0 again; it is DUE as soon as a day has passed.",
    form=ResetFilter,
    rows=idle_list.matching,
    touch=_reset,
    batch=50,
)
REPLAY = BulkKind(
    key="replay",
    label="Replay failed deliveries",
    promise="Each delivery is processed again from its kept body, the oldest first.",
    form=ReplayFilter,
    rows=_replayable,
    touch=_replay,
    batch=1,
    atomic=False,
)
KINDS: Mapping[str, BulkKind] = {kind.key: kind for kind in (RE_REQUEST, RESET, REPLAY)}
