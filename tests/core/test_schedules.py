"""The schedule table, applied again and again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings as project
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Schedule

from core.schedules import Every, apply_schedules

pytestmark = pytest.mark.django_db
TABLE = {"idle": Every(minutes=1, run="a.b"), "cleanup": Every(minutes=5, run="a.c")}


@pytest.fixture(autouse=True)
def table(settings, monkeypatch) -> dict[str, Every]:
    table = dict(TABLE)
    monkeypatch.setattr("config.schedules.SCHEDULES", table)
    settings.SCHEDULES = "config.schedules.SCHEDULES"
    return table


def test_applied_twice_the_second_time_does_nothing():
    assert apply_schedules() == {"added": 2, "changed": 0, "removed": 0}
    next_run = timezone.now() + timedelta(seconds=40)
    Schedule.objects.update(next_run=next_run)
    assert apply_schedules() == {"added": 0, "changed": 0, "removed": 0}
    # Not put off by a restart, nor moved when the table changes the row.
    assert {row.next_run for row in Schedule.objects.all()} == {next_run}


def test_a_changed_entry_changes_its_row_and_not_its_next_run(table):
    apply_schedules()
    next_run = timezone.now() + timedelta(seconds=40)
    Schedule.objects.update(next_run=next_run)
    table["idle"] = Every(minutes=2, run="a.d")
    assert apply_schedules() == {"added": 0, "changed": 1, "removed": 0}
    row = Schedule.objects.get(name="pass:idle")
    assert (row.minutes, row.func, row.next_run, row.repeats) == (2, "a.d", next_run, -1)


def test_a_row_changed_by_hand_is_what_the_table_says_again():
    apply_schedules()
    Schedule.objects.filter(name="pass:idle").update(minutes=999)
    assert apply_schedules()["changed"] == 1
    assert Schedule.objects.get(name="pass:idle").minutes == 1


def test_an_entry_that_is_gone_goes_and_rows_made_by_people_stay(table):
    apply_schedules()
    Schedule.objects.create(name="my own", func="a.z", schedule_type=Schedule.MINUTES, minutes=7)
    del table["cleanup"]
    assert apply_schedules() == {"added": 0, "changed": 0, "removed": 1}
    assert set(Schedule.objects.values_list("name", flat=True)) == {"pass:idle", "my own"}


def test_two_first_starts_at_once_leave_one_row_in_the_end():
    apply_schedules()
    first = Schedule.objects.get(name="pass:idle")
    Schedule.objects.create(name="pass:idle", func="a.b", schedule_type=Schedule.MINUTES, minutes=1)
    assert apply_schedules() == {"added": 0, "changed": 0, "removed": 1}
    assert Schedule.objects.get(name="pass:idle").pk == first.pk


def test_the_projects_own_table_names_functions_that_exist(monkeypatch):
    monkeypatch.undo()
    from config.schedules import SCHEDULES

    assert set(SCHEDULES) == set(project.PASSES)
    assert all(callable(import_string(every.run)) and every.minutes == 1 for every in SCHEDULES.values())
