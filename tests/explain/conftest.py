"""Pull requests in every fate, and the answer about each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from core import heartbeat
from core.models import Setting
from monitor.explain.decisions import explain
from monitor.explain.gather import gather
from monitor.explain.values import Explanation
from tests import factories
from tests.api.conftest import caller, user_with  # noqa: F401 (fixtures)
from tests.clock import DrivenClock
from tests.monitor.conftest import person, see, viewer  # noqa: F401 (fixtures)
from webhooks.models import PullRequest


@pytest.fixture
def running(clock: DrivenClock, settings: Any) -> DrivenClock:
    """An installation at work: the App is configured and the worker was heard just now."""
    settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = "200100", "a key"
    heartbeat.beat(heartbeat.WORKER)
    return clock


@pytest.fixture
def pull(running: DrivenClock) -> Callable[..., PullRequest]:
    """Make the pull request octo/tools#7, untouched for so many days; returns it as it is stored."""

    def make(days: float = 0, **columns: Any) -> PullRequest:
        written = {"number": 7, "title": "A change", "updated_at": running.now - timedelta(days=days)}
        made = factories.PullRequestFactory(**written | columns)
        return PullRequest.objects.get(pk=made.pk)

    return make


@pytest.fixture
def why(running: DrivenClock) -> Callable[[PullRequest], Explanation]:
    """Explain a row as it is stored now."""

    def ask(row: PullRequest) -> Explanation:
        return explain(gather(PullRequest.objects.get(pk=row.pk), now=running.now), running.now)

    return ask


@pytest.fixture
def setting(db: None) -> Callable[[str, str], None]:
    def write(name: str, value: str) -> None:
        Setting.objects.update_or_create(name=name, defaults={"value": value})

    return write


def hours(now: datetime, at: datetime | None) -> float:
    """How many hours away an instant is."""
    assert at is not None
    return (at - now).total_seconds() / 3600


def codes(explanation: Explanation) -> dict[str, bool | None]:
    return {reason.code: reason.passed for reason in explanation.reasons}
