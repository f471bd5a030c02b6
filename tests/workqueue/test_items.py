"""Making items: identity, generations, keys, and twenty who come first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, models

from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import LAMP, Lamp, submit
from workqueue import registry
from workqueue.models import WorkItem
from workqueue.services import submitting
from workqueue.values import Changes, Phase

pytestmark = pytest.mark.usefixtures("shop")


def end(lamp: int, phase: str) -> None:
    WorkItem.objects.filter(pk=lamp).update(phase=phase, actionable=False)


def test_b5_02_a_new_item_is_active_and_somebody_should_look():
    lamp, word = submit(caller="token: ci of alice")
    made = item(lamp)
    assert word == "created"
    assert (made.phase, made.actionable, made.attempts) == ("active", True, 0)
    assert told(lamp)[0] == "created by token: ci of alice: lamp:hall:1"


def test_b5_13_b5_14_the_type_is_item_type_and_the_caller_comes_from_authentication():
    lamp, _ = submit(caller="token: ci of alice")
    assert (item(lamp).item_type, item(lamp).caller_identity) == ("lamp", "token: ci of alice")
    assert not hasattr(WorkItem, "source")


def test_b5_07_the_types_own_columns_are_in_a_table_of_their_own():
    lamp, _ = submit(brightness=3)
    with connection.cursor() as cursor:
        cursor.execute("SELECT Room, Brightness FROM test_lamps WHERE WorkItemSequence = %s", [lamp])
        assert cursor.fetchone() == ("hall", 3)


@pytest.mark.parametrize(
    "phase, word, key",
    [
        ("active", "updated", "lamp:hall:1"),
        ("failed", "retried", "lamp:hall:1"),
        ("completed", "created", "lamp:hall:2"),
        ("cancelled", "created", "lamp:hall:2"),
    ],
)
def test_b5_43_b5_44_what_a_second_submission_does_depends_on_the_phase(phase, word, key):
    first, _ = submit(brightness=1)
    end(first, phase)
    second, done = submit(brightness=2)
    after = item(second)
    assert (done, after.idempotency_key) == (word, key)
    assert (after.phase, after.actionable, after.error) == ("active", True, "")
    assert Lamp.objects.get(pk=second).brightness == 2


def test_b5_44_the_same_again_changes_nothing():
    first, _ = submit(brightness=1)
    before = item(first).revision
    assert submit(brightness=1) == (first, "unchanged")
    assert item(first).revision == before


@pytest.mark.parametrize(
    "phase, failed_is_ended, free",
    [
        ("active", False, False),
        ("active", True, False),
        ("failed", False, False),
        ("failed", True, True),
        ("completed", False, True),
        ("cancelled", False, True),
    ],
)
def test_b5_43_the_key_is_unique_among_active_and_failed_items(phase, failed_is_ended, free):
    first, _ = submit()
    end(first, phase)
    WorkItem.objects.filter(pk=first).update(failed_is_ended=failed_is_ended)
    assert (item(first).live_key is None) is free
    again = Changes(columns={"room": "hall"})
    if free:
        assert submitting.create(LAMP, "hall", again, caller="").item.pk != first
    else:
        with pytest.raises(IntegrityError):
            submitting.create(LAMP, "hall", again, caller="")


def test_identities_differ_by_letter_case_as_branches_do():
    assert submit("Hall")[1] == submit("hall")[1] == "created"


@pytest.mark.django_db(transaction=True)
def test_b5_45_twenty_first_submissions_at_once_leave_one_item():
    together = threading.Barrier(20)

    def one(number: int) -> tuple[int, str]:
        together.wait(timeout=60)
        try:
            return submit("hall", brightness=1)
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(one, range(20)))
    assert len({sequence for sequence, _ in answers}) == 1
    words = [word for _, word in answers]
    assert (words.count("created"), words.count("unchanged")) == (1, 19)
    assert WorkItem.objects.count() == Lamp.objects.count() == 1
    assert dimensions(answers[0][0]) == {"needs_light": "true", "needs_dusting": "false"}


def test_b5_08_a_name_is_registered_once():
    with pytest.raises(ValueError, match="lamp is registered twice"):
        registry.register(LAMP)
    assert Phase(item(submit()[0]).phase) is Phase.ACTIVE


def test_b5_07_a_detail_table_that_repeats_a_column_is_refused_at_the_start():
    class Torch(WorkItem):
        item = models.OneToOneField(
            WorkItem, models.CASCADE, parent_link=True, primary_key=True, related_name="+"
        )
        beam = models.IntegerField(db_column="Phase")

        class Meta:
            app_label = "torches"

    with pytest.raises(ValueError, match="repeats Phase of work_items"):
        registry.register(replace(LAMP, name="torch", model=Torch))
