from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.db import models

from tests.clock import DrivenClock
from tests.contract.outsider import Outsider
from tests.contract.rows import make_row
from tests.factories import PullRequestFactory
from webhooks.models import PullRequest
from webhooks.services.claims import Batch, Claim, claim

Taking = Callable[..., Batch]


def sequences(batch):
    return [claim.row.pk for claim in batch.claims]


def pull(**columns):
    return PullRequestFactory(**{"processing_state": "NEW"} | columns)


@pytest.fixture
def take(db: None) -> Taking:
    """Claim pull requests (or rows of another table) as worker w."""

    def take(model: type[models.Model] = PullRequest, **options: Any) -> Batch:
        return claim(model, worker="w", **options)

    return take


@pytest.fixture
def claimed(clock: DrivenClock, take: Taking) -> Callable[..., Claim]:
    """Make a row, untouched for two days, and claim it."""

    def claimed(model: type[models.Model] = PullRequest, **columns: Any) -> Claim:
        row = make_row(model, **{"updated_at": clock.now - timedelta(days=2)} | columns)
        (only,) = take(model).claims
        assert only.row == row
        return only

    return claimed


@pytest.fixture
def outsider(transactional_db: None) -> Iterator[Outsider]:
    """A program of somebody else, in a time zone of its own."""
    with closing(Outsider("-05:00")) as session:
        yield session
