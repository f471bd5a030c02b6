"""Workers over REST beside our bot and programs that claim by SQL: each row is finalized once, by one of them."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.serving import WebServer
from core import registry
from core.setting_specs import WRITES_PER_MINUTE
from tests.api_data.world import key_of_role
from tests.claims.test_processes import claimed, pending, pending_rows, wait_for
from tests.claims.workers import OURS, THEIRS
from tests.contract.outsider import VERSION
from tests.idle.processes import processes
from tests.webhooks.served import database_url
from webhooks.models import PullRequest, PullRequestHistory

pytestmark = pytest.mark.django_db(transaction=True)

# Claims and finishes until killed, and knows nothing but an address and a token.
OVER_REST = """
import time, requests
session = requests.Session()
session.headers["Authorization"] = "token {key}"
while True:
    got = session.post("{url}/claim", json={{"worker": "rest", "limit": 5}}, timeout=30).json()
    for row in got["rows"]:
        done = session.post(
            f"{url}/{{row['sequence']}}/processed", json={{"claim_token": got["claim_token"]}}, timeout=30
        )
        if done.status_code == 200:
            print(row["sequence"], flush=True)
        elif done.status_code != 409:
            raise SystemExit(done.text)
    time.sleep(0 if got["rows"] else 0.05)
"""


def test_claims_by_rest_by_sql_and_by_our_bot_never_share_a_row(tmp_path: Path) -> None:
    number = 240
    registry.write(WRITES_PER_MINUTE, "100000")
    key = key_of_role("operator")
    pending_rows(number)
    with WebServer(database_url(), log=tmp_path / "log") as web, processes() as start:
        url = web.url.replace("/webhooks/github", "/api/v1/pull-requests")
        over_rest = [start(OVER_REST.format(url=url, key=key)) for _ in range(2)]
        wait_for(lambda: all(process.said() for process in over_rest))
        others = [start(OURS), start(THEIRS)]
        wait_for(lambda: not pending() and not claimed())
        time.sleep(0.2)
        workers = [*over_rest, *others]
        assert all(process.alive() for process in workers), [process.said() for process in workers]
        finished = Counter(line for process in workers for line in process.said().split())
    assert finished == Counter(str(pk) for pk in PullRequest.objects.values_list("pk", flat=True))
    by = Counter(PullRequest.objects.values_list("gstraccini_bot_version", flat=True))
    assert by["rest"] > 0
    assert by["rest"] + by["ours"] + by[VERSION] == number
    lines = PullRequestHistory.objects.filter(kind="finalize", actor="rest").values_list(
        "pull_request_sequence", flat=True
    )
    assert Counter(lines) == Counter(
        PullRequest.objects.filter(gstraccini_bot_version="rest").values_list("pk", flat=True)
    )
