"""What a sync of one repository costs beside reading its pages: `python -m benchmarks.sync_repository [--pulls 1000]`.

The repository has that many open pull requests, a tenth as many issues, and the branches of both. The floor is a bare
HTTP client that reads the same pages from the same pretended GitHub (in a process of its own) and parses their JSON. A
sync is measured three times: of nothing known (all rows are inserted), of everything known, and of everything known
with a tenth of the pull requests changed. Prints the figures, and last one JSON line.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from benchmarks.harness import VENDORS, own_database
from sandbox.server import store, worlds
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY

DATABASE = "pk_bench_sync"
APP_ID = "200100"
ROUNDS = 5
PAGE = 100
LISTINGS = (
    "pulls?state=open&sort=created&direction=asc&",
    "issues?state=open&sort=created&direction=asc&",
    "branches?",
)
NEXT = re.compile(r'<([^>]*)>; rel="next"')


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="One repository's sync against bare reads of the same pages."
    )
    parser.add_argument("--pulls", type=int, default=1000, help="open pull requests")
    parser.add_argument("--on", choices=VENDORS, help="one database only")
    options = parser.parse_args(argv)
    results = {}
    # One process each, because Django is bound to one database for the life of a process.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for vendor in [options.on] if options.on else VENDORS:
            results[vendor] = pool.submit(measure, vendor, options.pulls).result()
            show(vendor, results[vendor])
    print(json.dumps({"benchmark": "sync_repository", "pulls": options.pulls, **results}))
    return 0


def show(vendor: str, result: dict[str, dict[str, float]]) -> None:
    for name, figures in result.items():
        requests, milliseconds, ratio = figures["requests"], figures["ms"], figures["ratio"]
        print(f"{vendor:8} {name:24} {requests:4.0f} requests {milliseconds:9.1f} ms   ratio {ratio:.2f}")


def measure(vendor: str, pulls: int) -> dict[str, dict[str, float]]:
    """Return, for the bare reads and each kind of sync, requests, milliseconds and the ratio to the bare reads."""
    key = _private_key()
    os.environ |= {"GITHUB_APP_ID": APP_ID, "GITHUB_APP_PRIVATE_KEY": key, "LOG_LEVEL": "WARNING"}
    with pretended_github(pulls) as url:
        os.environ["GITHUB_API_URL"] = url
        with own_database(vendor, DATABASE):
            token = _token()
            kinds: dict[str, tuple[Callable[[], None], Callable[[], int]]] = {
                "bare reads": (lambda: None, lambda: bare_reads(url, token)),
                "sync, nothing known": (forget, sync),
                "sync, everything known": (lambda: None, sync),
                "sync, a tenth changed": (change, sync),
            }
            add_rows()
            measured = in_turns(kinds)
    floor = measured["bare reads"]["ms"]
    return {name: {**figures, "ratio": round(figures["ms"] / floor, 2)} for name, figures in measured.items()}


def in_turns(kinds: dict[str, tuple[Callable[[], None], Callable[[], int]]]) -> dict[str, dict[str, float]]:
    """Return the requests and the median milliseconds of each kind of work, after a round that warms up."""
    times: dict[str, list[float]] = {name: [] for name in kinds}
    requests = dict.fromkeys(kinds, 0)
    for _ in range(ROUNDS + 1):
        for name, (prepare, work) in kinds.items():
            prepare()
            start = time.perf_counter()
            requests[name] = work()
            times[name].append((time.perf_counter() - start) * 1000)
    return {
        name: {"requests": requests[name], "ms": round(median(taken[1:]), 1)} for name, taken in times.items()
    }


@contextmanager
def pretended_github(pulls: int) -> Iterator[str]:
    """Serve the repository from a process of its own, so that its work is not counted as ours alone."""
    from benchmarks.serving import free_port

    port = free_port()
    with tempfile.TemporaryDirectory(prefix="pullkeeper-bench-") as folder:
        path = Path(folder) / "state.json"
        store.save(worlds.regular(pull_requests=pulls, issues=pulls // 10), path)
        command = [sys.executable, "-m", "sandbox.server", "--port", str(port), "--state", str(path)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                _await(port)
                yield f"http://127.0.0.1:{port}"
            finally:
                server.terminate()


def _await(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/rate_limit")
            connection.getresponse().read()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def bare_reads(url: str, token: str) -> int:
    """Read the repository and every page of its listings over one connection; return the number of requests."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    headers = {"Authorization": f"token {token}", "Accept": "application/vnd.github+json"}
    base, requests, items = f"/repositories/{FIRST_REPOSITORY}", 0, 0
    paths = [base, *(f"{base}/{listing}per_page={PAGE}&page=1" for listing in LISTINGS)]
    while paths:
        connection.request("GET", paths.pop(), headers=headers)
        answer = connection.getresponse()
        data = json.loads(answer.read())
        assert answer.status == http.client.OK, f"{answer.status}: {data}"
        following = NEXT.search(answer.headers.get("Link", ""))
        paths += [following[1].removeprefix(url)] if following else []
        requests, items = requests + 1, items + len(data)
    connection.close()
    assert items, "nothing was read"
    return requests


def sync() -> int:
    """Run the hourly pass by force and return the requests that it counted."""
    from core.passes import find_pass, run_pass

    result = run_pass(find_pass("sync-repositories"), force=True)
    assert result.run, str(result)
    assert result.run.outcome == "succeeded", result.run.error
    return int(result.run.counters["requests"])


def add_rows() -> None:
    """Register the installation and its repository as an hour ago."""
    from core.passes import find_pass, run_pass

    run_pass(find_pass("sync-installations"), force=True)


def forget() -> None:
    """Take away everything known of the repository."""
    from webhooks.models import Branch, Issue, PullRequest, PullRequestHistory

    for model in (PullRequest, Issue, Branch, PullRequestHistory):
        model.objects.all().delete()


def change() -> None:
    """Give every tenth pull request another title, an hour ago: so the listing may judge it."""
    from django.db.models import F

    from webhooks.models import PullRequest

    time.sleep(1.1)  # what the run before has written must be older than the next listing
    PullRequest.objects.filter(number__endswith="0").update(title="changed", updated_at=F("updated_at"))


def _token() -> str:
    """Return a token of the installation, as the sync itself gets one."""
    from django.conf import settings

    from githubapi.client import AppClient

    with AppClient.from_settings(settings) as app:
        client = app.for_installation(FIRST_INSTALLATION)
        client.repository(FIRST_REPOSITORY)
        credentials = client._channel._credentials  # noqa: SLF001 (only here must a token leave the client)
        token: str = credentials.current_token()  # type: ignore[attr-defined]
    return token


def _private_key() -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


if __name__ == "__main__":
    sys.exit(main())
