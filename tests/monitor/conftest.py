"""People, and pages read the way a browser reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.api.conftest import group

HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


@dataclass
class Seen(HTMLParser):
    """A page as parsed: its elements with their attributes, and its text."""

    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    inline_script: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in {"script", "style"}:
            self.inline_script += data.strip()
        elif data.strip():
            self.words.append(data.strip())

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def row_ids(self) -> list[int]:
        """The Sequences of the listed rows, in the order of the page."""
        ids = [row.get("id", "") for row in self.all("tr")]
        return [int(text.partition("-")[2]) for text in ids if text.startswith(("row-", "run-"))]

    def link(self, rel: str) -> str | None:
        """The address of the pager's link, None without one."""
        return next((a["href"] for a in self.all("a") if a.get("rel") == rel), None)


def parse(html: str) -> Seen:
    seen = Seen()
    seen.feed(html)
    return seen


@pytest.fixture
def person(db: None, settings: Any) -> Callable[..., Client]:
    """Return a client logged in as somebody of a role ("" = none), with further permissions of Django's."""

    # A slow hash is for real passwords.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    def make(*permissions: str, name: str = "ada", role: str = "viewer", **fields: Any) -> Client:
        user = User.objects.create_user(name, password="not-asked-for", **fields)
        user.groups.set([group(role)] if role else [])
        for permission in permissions:
            app, _, codename = permission.partition(".")
            user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return make


@pytest.fixture
def github_app(settings: Any) -> None:
    """An installation that may talk to GitHub as an App; nothing in these tests does."""
    settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = "200100", "a key"


@pytest.fixture
def viewer(person: Callable[..., Client]) -> Client:
    """A person who may look and nothing else."""
    return person()


@pytest.fixture
def see(viewer: Client) -> Callable[[str], Seen]:
    """Open a page as the viewer; anything but 200 fails."""

    def get(path: str) -> Seen:
        response = viewer.get(path)
        assert response.status_code == 200, (path, response.status_code)
        return parse(response.content.decode())

    return get
