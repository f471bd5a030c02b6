from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from sandbox.server import worlds
from sandbox.server.handle import SandboxGithub
from sandbox.server.state import State
from sync.services import github as way_to_github
from tests.clock import DrivenClock
from tests.github_app import APP_ID, Stopwatch, private_key
from tests.sync.github import Pair
from tests.sync.stories import work_pending


@pytest.fixture
def pair_with(
    clock: DrivenClock, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Pair]]:
    """Make a pretended GitHub of a state, or of so many equal parts, that the product is set up to talk to."""
    with ExitStack() as stack:

        def make(state: State | None = None, *, page_size: int = 100, **parts: int) -> Pair:
            github = stack.enter_context(SandboxGithub(state or worlds.regular(**parts)))
            settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = APP_ID, private_key()
            settings.GITHUB_API_URL = github.url

            def client() -> Any:
                limits = way_to_github.LIMITS.__class__(page_size=page_size, connect=2.0, read=2.0)
                return way_to_github.AppClient.from_settings(settings, limits=limits, clock=Stopwatch().clock)

            for module in ("installations", "repositories", "redelivery"):
                monkeypatch.setattr(f"sync.services.{module}.app_client", client)
            return Pair(github, clock)

        yield make


@pytest.fixture
def pair(pair_with: Callable[..., Pair]) -> Pair:
    """One installation with one repository: two pull requests, an issue, two branches more."""
    return pair_with(pull_requests=2, issues=1, branches=2)


@pytest.fixture
def known(pair: Pair, settings: Any) -> Pair:
    """Everything is known and PROCESSED, an hour passed, and Events can be delivered."""
    pair.sync_everything()
    work_pending(pair)
    pair.connect(settings)
    pair.github.hook.held = True
    pair.clock.shift(hours=1)
    return pair
