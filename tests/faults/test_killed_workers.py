"""kill -9 of the web workers in the middle of a burst: nothing lost, nothing twice, nothing half written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.burst import Burst, send_burst
from tests.webhooks.served import serve
from webhooks.models import Delivery, Installation, PullRequest, PullRequestHistory, Push, Repository

REPOSITORIES_EACH = 3


def run(folder: Path, *, kills: int, pause: float) -> Burst:
    with serve(folder) as web:
        burst = send_burst(web, kills=kills, pause=pause)
    assert burst.kills >= kills
    assert burst.resent > 0, "no kill hit a delivery under way, so this run proved nothing"
    return burst


def check(burst: Burst) -> None:
    """Compare the tables with what was sent."""
    assert not burst.errors, burst.errors[:3]
    sent = {str(parcel.guid) for parcel in burst.sent}
    recorded = Counter(Delivery.objects.values_list("guid", flat=True))
    assert recorded == Counter(sent)
    assert set(Delivery.objects.values_list("status", flat=True)) <= {"applied", "stale"}
    assert Counter(PullRequestHistory.objects.values_list("delivery_guid", flat=True)) == Counter(
        burst.of("pull_request")
    )
    assert rows_by_guid(Push) == Counter(burst.of("push"))
    assert rows_by_guid(Installation) == Counter(burst.of("installation"))
    assert rows_by_guid(Repository) == Counter(dict.fromkeys(burst.of("installation"), REPOSITORIES_EACH))
    check_pull_requests(burst)


def rows_by_guid(model: Any) -> Counter[str]:
    return Counter(model.objects.values_list("delivery_id_text", flat=True))


def check_pull_requests(burst: Burst) -> None:
    """Each pull request's life was told backwards: its end came first and must stand."""
    closed = {parcel.payload["number"] for parcel in burst.sent if parcel.payload.get("action") == "closed"}
    rows = PullRequest.objects.filter(number__in=closed)
    assert rows.count() == len(closed)
    ends = set(rows.values_list("state", "merged", "head_sha", "processing_state", "idle_retry_count"))
    assert ends == {("CLOSED", True, f"{20:040x}", "NEW", 0)}


def test_killed_workers_leave_every_delivery_applied_exactly_once(
    transactional_db: None, tmp_path: Path
) -> None:
    check(run(tmp_path, kills=2, pause=1.0))


@pytest.mark.prove
def test_workers_killed_thirty_times_leave_every_delivery_applied_exactly_once(
    transactional_db: None, tmp_path: Path
) -> None:
    check(run(tmp_path, kills=30, pause=1.5))
