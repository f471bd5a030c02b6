"""A real browser: the system's chromium, driven over a pipe; Playwright downloads none of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django_q.models import OrmQ
from playwright.sync_api import Browser, Page, sync_playwright

from core import clock, heartbeat
from core.models import PassRun
from core.registry import add_missing_rows
from monitor.models import BacklogSample, BulkJob
from tests import factories
from tests.api.conftest import group
from tests.merge import rows

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 15_000
PASSWORD = "long-enough-for-the-validators"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for the tests of one module; without it they are skipped, in CI they fail."""
    if CHROMIUM is None:
        missing = "chromium is not installed (apt-get install chromium)"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright's loop runs in this thread, which Django takes for asynchronous code; it is not.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@dataclass
class Tab:
    """One tab, the site's address, and what must not happen in it."""

    page: Page
    site: str
    complaints: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", lambda m: self.complain(m.text) if m.type in {"error", "warning"} else None)
        self.page.on("pageerror", lambda error: self.complain(str(error)))
        self.page.on("request", lambda r: None if r.url.startswith(self.site) else self.complain(r.url))
        self.page.on("response", lambda r: None if r.ok or r.status < 400 else self.complain(r.url))
        self.page.on("dialog", lambda dialog: self.complain(f"dialog {dialog.message}"))

    def complain(self, text: str) -> None:
        self.complaints.append(text)

    def open(self, path: str) -> None:
        self.page.goto(self.site + path)

    def log_in(self, name: str) -> None:
        self.open("/login/")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        # Whatever comes next must find the new session's cookies: a form opened before them is refused.
        self.page.wait_for_url(f"{self.site}/")

    def log_out(self) -> None:
        self.page.get_by_role("button", name="Log out").click()
        self.page.wait_for_url(f"{self.site}/login/")


@pytest.fixture
def tab(browser: Browser, live_server: Any, settings: Any) -> Iterator[Tab]:
    """A fresh tab; after the test: no console error, no dialog, no failed answer, no other host was asked."""
    # A slow hash is for real passwords.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    tab = Tab(context.new_page(), live_server.url)
    tab.watch()
    yield tab
    context.close()
    assert tab.complaints == []


HOSTILE = '"><img src=x onerror=alert(1)>'


def make_person(name: str, role: str) -> None:
    """Make a person of a role, the role too: the flush after each of these tests takes it along."""
    User.objects.create_user(name, password=PASSWORD).groups.add(group(role))


def make_accounts(now):
    """Two repositories in line, and one behind an installation that is suspended."""
    done = {"processing_state": "PROCESSED"}
    factories.InstallationFactory(account_login=HOSTILE, throttled_until=now - timedelta(hours=1), **done)
    factories.InstallationFactory(
        installation_id=8, account_login="acme", status="0", suspended_date=now - timedelta(days=3), **done
    )
    factories.RepositoryFactory(owner_login="a" * 250, name="b" * 250, private=True, archived=True, **done)
    factories.RepositoryFactory(github_id=5, name=HOSTILE, last_sync_date=now - timedelta(minutes=20), **done)
    factories.RepositoryFactory(github_id=6, owner_login="acme", name="ledger", installation_id=8, **done)


def make_failures(now):
    """What failed with very long words: a row, a pass, and a merge that nobody has decided."""
    words = f"Traceback\nValueError: {HOSTILE}{'W' * 600}"
    factories.IssueFactory(
        title=HOSTILE,
        processing_state="PROCESSED",
        processing_error=words,
        failed_date=now,
        processed_date=now,
    )
    PassRun.objects.create(
        name="sample", outcome="failed", error=words, actor=HOSTILE, forced=True, counters={"w" * 60: 1}
    )
    rows.merge(
        900,
        approved=False,
        title=words,
        reason=words,
        repository_owner="acme",
        repository_name="ledger" + "r" * 90,
    )
    # The merge rang for a worker: what a test finds in the queue is its own doing.
    OrmQ.objects.all().delete()


@pytest.fixture
def duty(tab):
    """A superuser, logged in, on an installation with two DUE, one WAITING, one GAVE_UP, one NEW."""
    # The flush after each of these tests takes the rows of known Settings along.
    add_missing_rows()
    User.objects.create_superuser("ada", password=PASSWORD)
    now = clock.now()
    for days, retries, state in (
        (5, 0, "PROCESSED"),
        (9, 0, "PROCESSED"),
        (60, 10, "PROCESSED"),
        (0, 0, "NEW"),
    ):
        factories.PullRequestFactory(
            title=HOSTILE,
            processing_state=state,
            idle_retry_count=retries,
            updated_at=now - timedelta(days=days),
        )
    factories.PullRequestFactory(
        number=7, title="A change", idle_retry_count=3, updated_at=now - timedelta(days=2)
    )
    factories.IssueFactory(title="W" * 4_000)
    make_failures(now)
    BacklogSample.objects.create(pending=7, due=2)
    BulkJob.objects.create(
        kind="replay", criteria={"event": HOSTILE}, actor=HOSTILE, bound=9, total=9, done=4
    )
    factories.DeliveryFactory(repository_owner="a" * 250, repository_name="b" * 250)
    make_accounts(now)
    heartbeat.beat(heartbeat.WORKER)
    tab.log_in("ada")
    return tab
