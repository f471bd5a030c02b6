from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.models import PassRun
from core.passes import PassResult, run_pass
from idle.passes import IDLE
from tests.clock import DrivenClock
from tests.factories import PullRequestFactory
from webhooks.models import PullRequest


@pytest.fixture
def untouched(clock: DrivenClock) -> Callable[..., PullRequest]:
    """Make an open, PROCESSED pull request last touched so long ago, in a repository of octo."""

    def make(
        *, repo: str = "tools", retries: int = 0, row: dict[str, Any] | None = None, **age: float
    ) -> PullRequest:
        return PullRequestFactory(
            repository_name=repo,
            idle_retry_count=retries,
            updated_at=clock.now - timedelta(**age),
            **(row or {}),
        )

    return make


@pytest.fixture
def run_idle(clock: DrivenClock) -> Callable[..., PassRun]:
    """Run the pass (forced unless told otherwise) and return its record."""

    def run(*, force: bool = True) -> PassRun:
        result: PassResult = run_pass(IDLE, force=force, actor="tester")
        assert result.run is not None, result.sentence
        return result.run

    return run
