"""A unit of work is tried again after a lost race, and only where that is safe."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, OperationalError, transaction

from core.models import Bell
from core.transactions import TRIES, patiently


class Work:
    """Writes a row, then fails as often as it is told to."""

    def __init__(self, failures: int, error: type[Exception] = OperationalError) -> None:
        self.tries = 0
        self.failures = failures
        self.error = error

    def __call__(self) -> str:
        self.tries += 1
        Bell.objects.create(name=f"try {self.tries}")
        if self.tries <= self.failures:
            raise self.error(1213, "Deadlock found when trying to get lock; try restarting transaction")
        return "done"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("failures", range(TRIES))
def test_work_is_repeated_and_only_its_last_try_is_kept(failures):
    work = Work(failures)
    assert patiently(work) == "done"
    assert work.tries == failures + 1
    assert list(Bell.objects.values_list("name", flat=True)) == [f"try {work.tries}"]


@pytest.mark.django_db(transaction=True)
def test_who_loses_every_race_hears_of_it():
    work = Work(TRIES)
    with pytest.raises(OperationalError, match="Deadlock"):
        patiently(work)
    assert work.tries == TRIES
    assert not Bell.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_other_errors_are_not_a_lost_race():
    work = Work(1, IntegrityError)
    with pytest.raises(IntegrityError):
        patiently(work)
    assert work.tries == 1


@pytest.mark.django_db(transaction=True)
def test_within_a_callers_transaction_there_is_one_try():
    work = Work(1)
    with pytest.raises(OperationalError), transaction.atomic():
        patiently(work)
    assert work.tries == 1
