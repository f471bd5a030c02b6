"""A live web process and a live cluster: a stop in the middle of an item, and a message that comes again too soon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from benchmarks.serving import SECRET, WebServer
from sandbox.server import SandboxGithub
from tests.api_data.world import key_of_role
from tests.github_app import APP_ID, REPOSITORY, private_key
from tests.idle.processes import ROOT, database_url
from tests.submissions.short_retry_settings import RETRY
from tests.submissions.world import body, told
from tests.webhooks.hook import SLUG
from workqueue.models import PendingEvent, WorkItem

pytestmark = [pytest.mark.prove, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("known")]
OPENING = rf"/repositories/{REPOSITORY}/pulls"
# Less than the 60 s of a lease: what goes on by then has not waited for one to run out.
AT_ONCE = 30
PROCESSING = "processing"


def environment(github: SandboxGithub) -> dict[str, str]:
    return {
        "DATABASE_URL": database_url(),
        "GITHUB_API_URL": github.url,
        "GITHUB_APP_ID": APP_ID,
        "GITHUB_APP_PRIVATE_KEY": private_key(),
        "GITHUB_APP_SLUG": SLUG,
        "SECRET_KEY": "only-for-benchmarks-and-tests",
    }


@pytest.fixture
def web(github: SandboxGithub, tmp_path: Path) -> Iterator[Callable[[str], int]]:
    """Submit to a live web process, which GitHub's deliveries reach too, and get the work item's number."""
    key = key_of_role("operator")
    with WebServer(database_url(), log=tmp_path / "web.log", env=environment(github)) as server:
        github.hook.secret = SECRET
        github.deliver_to(server.url)
        place = server.url.replace("/webhooks/github", "/api/v1/work-items/pull_request")
        yield lambda branch: submit(place, key, branch)


def submit(place: str, key: str, branch: str) -> int:
    add = {"action": "create", "path": f"{branch}.txt", "content": "lit\n"}
    request = urllib.request.Request(
        place,
        data=json.dumps(body(head_branch=branch, file_actions=[add])).encode(),
        headers={"Authorization": f"token {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return int(json.load(answer)["item"])


class Cluster:
    """A cluster of the product's; its log tells which tasks its workers have begun."""

    def __init__(self, github: SandboxGithub, log: Path, *options: str, **more: str) -> None:
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "qcluster", *options],
                cwd=ROOT,
                env=os.environ | environment(github) | {"LOG_LEVEL": "INFO"} | more,
                start_new_session=True,
                stdout=file,
                stderr=file,
            )

    def begun(self) -> int:
        lines = self.log.read_text().splitlines()
        return sum("workqueue.tasks.work" in line and PROCESSING in line for line in lines)

    def stop(self) -> float:
        """Stop it as a deployment does, and return the seconds that it took."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(timeout=AT_ONCE)
        return time.monotonic() - began

    def kill(self) -> None:
        """Leave nothing of it, stopped or not."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.process.wait(timeout=30)


@contextmanager
def cluster(*arguments: Any, **more: str) -> Iterator[Cluster]:
    running = Cluster(*arguments, **more)
    try:
        yield running
    finally:
        running.kill()


def wait_for(condition: Callable[[], object], *, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
        connection.close()


def opened(github: SandboxGithub) -> list[str]:
    return sorted(pull.head_ref for pull in github.state.pull_requests_of(REPOSITORY))


def is_at_rest() -> bool:
    return not (WorkItem.objects.filter(actionable=True).exists() or PendingEvent.objects.exists())


def state(item: int) -> tuple[str, int, str | None]:
    return WorkItem.objects.values_list("phase", "attempts", "lease_token").get(pk=item)


def test_b5_39_a_stop_lets_the_action_end_gives_leases_back_and_the_next_worker_goes_on(
    github, web, tmp_path
):
    first, second = web("auto/first"), web("auto/second")
    github.inject(OPENING, "delay", verb="POST", seconds=6)
    with cluster(github, tmp_path / "one.log") as one:
        # The pull request is asked for next, and its answer takes a while.
        wait_for(lambda: "auto/first" in github.state.branches[REPOSITORY], seconds=60)
        assert one.stop() < AT_ONCE
    assert opened(github) == ["auto/first"]
    assert [state(item) for item in (first, second)] == [("active", 0, None)] * 2
    assert [line.split(":")[0] for line in told()] == ["ensure_pr done"]
    with cluster(github, tmp_path / "two.log") as two:
        wait_for(is_at_rest, seconds=AT_ONCE)
        two.stop()
    assert opened(github) == ["auto/first", "auto/second"]
    assert [call.status for call in github.requests(OPENING, verb="POST")] == [201, 201]
    assert [len(commits(github, f"auto/{name}")) for name in ("first", "second")] == [1, 1]


def commits(github: SandboxGithub, branch: str) -> list[str]:
    objects, branches = github.state.objects(REPOSITORY), github.state.branches[REPOSITORY]
    base = set(objects.history(branches["main"]))
    return [sha for sha in objects.history(branches[branch]) if sha not in base]


def test_f04_a_cluster_whose_messages_come_again_too_soon_does_not_start(github, tmp_path):
    with cluster(github, tmp_path / "log", DJANGO_SETTINGS_MODULE=SHORT_RETRY) as refused:
        assert refused.process.wait(timeout=60) != 0
    assert "core.E001" in refused.log.read_text()


def test_f04_a_message_that_comes_again_during_its_task_does_nothing_twice(github, web, tmp_path):
    item = web("auto/first")
    github.inject(OPENING, "delay", verb="POST", seconds=RETRY + 5)
    options = [github, tmp_path / "log", "--skip-checks"]
    with cluster(*options, DJANGO_SETTINGS_MODULE=SHORT_RETRY) as hasty:
        wait_for(told, seconds=60)
        wait_for(is_at_rest, seconds=AT_ONCE)
        assert hasty.begun() > 1
        hasty.stop()
    assert opened(github) == ["auto/first"]
    assert state(item) == ("active", 0, None)
    assert sum(line.startswith("ensure_pr") for line in told()) == 1


SHORT_RETRY = "tests.submissions.short_retry_settings"
