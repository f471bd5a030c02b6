"""How many signed deliveries a second, and how soon each is answered: `python -m benchmarks.receiver`.

The floor is a bare Django view on the same server with the same settings (benchmarks/bare_urls.py). Both take the same
25 KB pull request bodies over 8 kept-alive connections, in turns. Prints the figures, and last one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import own_database
from benchmarks.serving import SECRET, WebServer
from githubapi.protocol import sign
from sandbox import payloads
from sandbox.world import BEGINNING, Installation, Person, PullRequest, Repository, sha

HERE = Path(__file__).resolve().parent
CONNECTIONS = 8
BODY_BYTES = 25_550
# Stands for the pull request's id, number and node id in the payload; deliveries.lua knows it too.
MARKER = 9_000_000_001
KNOWN_ROWS = 500
NEW_ROWS = 60_000
DATABASE = "pk_bench_receiver"


@dataclass(frozen=True)
class Load:
    """One kind of deliveries: to which server, and about which pull requests."""

    name: str
    to_receiver: bool
    known: bool


LOADS = (
    Load("bare view", to_receiver=False, known=True),
    Load("receiver, known rows", to_receiver=True, known=True),
    Load("receiver, new rows", to_receiver=True, known=False),
)


@dataclass(frozen=True)
class Figures:
    """What one run measured: answers a second, milliseconds, and how many answers were 2xx."""

    rate: float
    p50: float
    p99: float
    accepted: int


def main() -> int:
    parser = argparse.ArgumentParser(description="Receiver against a bare view, on MariaDB.")
    parser.add_argument("--seconds", type=int, default=4, help="length of each run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind, in turns")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        print("The receiver benchmark needs wrk: apt-get install wrk", file=sys.stderr)
        return 1
    measured = measure(options.rounds, options.seconds)
    print(json.dumps(report(measured)))
    return 0


def report(measured: dict[str, list[Figures]]) -> dict[str, object]:
    """Print the medians and return them with the ratios to the bare view."""
    result: dict[str, object] = {
        "benchmark": "receiver",
        "connections": CONNECTIONS,
        "body_bytes": BODY_BYTES,
    }
    floor = statistics.median(run.rate for run in measured[LOADS[0].name])
    for name, runs in measured.items():
        rate, p50, p99 = (
            statistics.median(getattr(run, key) for run in runs) for key in ("rate", "p50", "p99")
        )
        ratio = rate / floor
        print(
            f"{name:22} {rate:6.0f} deliveries/s   p50 {p50:5.2f} ms   p99 {p99:5.2f} ms   ratio {ratio:.2f}"
        )
        result[name] = {"rate": round(rate), "p50_ms": p50, "p99_ms": p99, "ratio": round(ratio, 3)}
    return result


def measure(rounds: int, seconds: int) -> dict[str, list[Figures]]:
    """Run every load in turns and return its figures; checks the tables against the answers after each run."""
    with own_database("mariadb", DATABASE), tempfile.TemporaryDirectory(prefix="pullkeeper-bench-") as folder:
        make_bare_table()
        place, url = Path(folder), os.environ["DATABASE_URL"]
        write_deliveries(place)
        log = place / "log"
        with (
            WebServer(url, log=log) as receiver,
            WebServer(url, log=log, settings="benchmarks.bare_settings") as bare,
        ):
            servers = {True: receiver, False: bare}
            measured: dict[str, list[Figures]] = {load.name: [] for load in LOADS}
            for turn in range(rounds + 1):
                for load in LOADS:
                    figures = run(load, servers[load.to_receiver], place, seconds=seconds if turn else 1)
                    # The first, short turn warms up and makes the known rows known.
                    measured[load.name] += [figures] if turn else []
        return measured


def make_bare_table() -> None:
    """Make the one table of the bare view; it goes with the database."""
    from django.db import connection

    from benchmarks.bare_urls import BareBody

    with connection.schema_editor() as editor:
        editor.create_model(BareBody)


def write_deliveries(place: Path) -> None:
    """Write what deliveries.lua reads: one body, and a signature for each id that may stand in it."""
    text = body_text()
    pieces = text.split(str(MARKER))
    ids = range(MARKER + 1, MARKER + 1 + KNOWN_ROWS + NEW_ROWS)
    lines = (f"{number} {sign(str(number).join(pieces).encode(), SECRET)}" for number in ids)
    (place / "body").write_text(text, encoding="utf-8")
    (place / "signed").write_text("\n".join(lines), encoding="ascii")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/0c1d2e3",
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Hook-ID": "400100",
        "X-GitHub-Hook-Installation-Target-ID": "200100",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
    }
    (place / "headers").write_text(
        "".join(f"{name}: {value}\n" for name, value in headers.items()), encoding="ascii"
    )


def body_text() -> str:
    """Return a pull request's payload of BODY_BYTES bytes, the marker standing for its id and number."""
    owner = Person(id=70, login="octo", type="Organization")
    repo = Repository(id=4242, name="tools", owner=owner, installation=Installation(id=7, account=owner))
    pull = PullRequest(
        id=MARKER,
        number=MARKER,
        repository=repo,
        title="Measure the receiver",
        author=Person(id=71, login="alice"),
        head_ref="faster",
        head_sha=sha("head"),
        updated_at=BEGINNING,
    )
    payload = payloads.pull_request("synchronize", pull, pull.author)
    payload["pull_request"] |= {"node_id": f"PR_{MARKER}", "body": ""}
    missing = BODY_BYTES - len(json.dumps(payload, separators=(",", ":")))
    words = "Two sentences that a person might have written. " * 200
    payload["pull_request"]["body"] = words[:missing]
    return json.dumps(payload, separators=(",", ":"))


def run(load: Load, server: WebServer, place: Path, *, seconds: int) -> Figures:
    """Send one load for some seconds; raises AssertionError when the tables do not hold what was answered."""
    known = count_rows()
    first, lines = (0, KNOWN_ROWS) if load.known else (KNOWN_ROWS + known["new"], NEW_ROWS - known["new"])
    command = [
        "wrk",
        "-t1",
        f"-c{CONNECTIONS}",
        f"-d{seconds}s",
        "--latency",
        "-s",
        str(HERE / "deliveries.lua"),
    ]
    command += [server.url, "--", str(place), str(first), str(lines), secrets.token_hex(4)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answer = json.loads(output.splitlines()[-1])
    assert answer["refused"] == answer["broken"] == 0, f"{load.name}: {answer}"
    check_rows(load, known, answer["answers"])
    return Figures(answer["answers"] / answer["seconds"], answer["p50"], answer["p99"], answer["answers"])


def count_rows() -> dict[str, int]:
    """Count what the deliveries left: bodies of the bare view, Deliveries applied, their history, and new rows."""
    from benchmarks.bare_urls import BareBody
    from webhooks.models import Delivery, PullRequest, PullRequestHistory

    return {
        "bodies": BareBody._default_manager.count(),
        "deliveries": Delivery.objects.filter(status="applied").count(),
        "history": PullRequestHistory.objects.count(),
        "new": PullRequest.objects.exclude(node_id__in=known_node_ids()).count(),
    }


def known_node_ids() -> list[str]:
    return [f"PR_{MARKER + 1 + number}" for number in range(KNOWN_ROWS)]


def check_rows(load: Load, before: dict[str, int], answers: int) -> None:
    """Compare the rows added with the 2xx answers. When wrk stops, one delivery a connection is still under way."""
    time.sleep(0.2)
    after = count_rows()
    added = {key: after[key] - before[key] for key in after}
    grows = {"deliveries", "history"} if load.to_receiver else {"bodies"}
    grows |= set() if load.known else {"new"}
    for key, amount in added.items():
        expected = range(answers, answers + CONNECTIONS + 1) if key in grows else range(1)
        assert amount in expected, f"{load.name}: {answers} answers, but {amount} {key} added"
    assert added["deliveries"] == added["history"]


if __name__ == "__main__":
    sys.exit(main())
