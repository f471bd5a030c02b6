"""A real browser: the system's chromium, driven over a pipe; Playwright downloads none of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

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
