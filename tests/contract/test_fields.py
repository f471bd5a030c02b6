"""What the columns hold and refuse, alike on both databases."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import F

from core.functions import CurrentTimestamp
from core.models import PassRun
from tests.contract.rows import make_row
from webhooks.models import Branch, Delivery, Issue, PullRequest, PullRequestHistory, Push
from webhooks.values import DeliveryStatus, HistoryKind, OpenState, ProcessingState, RefEvent

pytestmark = pytest.mark.django_db

ENUMS = [
    (PullRequest, "processing_state", list(ProcessingState)),
    (Issue, "processing_state", [state for state in ProcessingState if state != "IDLE"]),
    (PullRequest, "state", list(OpenState)),
    (Issue, "state", list(OpenState)),
    (Branch, "event", list(RefEvent)),
    (Delivery, "status", list(DeliveryStatus)),
    (PullRequestHistory, "kind", list(HistoryKind)),
    (PassRun, "outcome", list(PassRun.Outcome)),
]


def column_sql(model, name: str) -> str:
    """The column as the database says it was made."""
    table, column = model._meta.db_table, model._meta.get_field(name).column
    with connection.cursor() as cursor:
        if connection.vendor == "mysql":
            cursor.execute(f"SHOW COLUMNS FROM {table} LIKE %s", [column])
            return str(cursor.fetchone()[1])
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        return str(cursor.fetchone()[0]).partition(f'CHECK ("{column}" IN ')[2].partition("))")[0] + ")"


@pytest.mark.parametrize("model, name, values", ENUMS, ids=lambda value: getattr(value, "__name__", None))
def test_an_enum_is_the_python_enum(model, name, values):
    words = ",".join(f"'{value.value}'" for value in values)
    found = column_sql(model, name).removeprefix("enum")
    assert sorted(found.strip("()").split(",")) == sorted(words.split(","))


@pytest.mark.parametrize("value", ["OTHER", "", "IDLE"])
def test_a_wrong_word_is_refused(value):
    row = make_row(Issue)
    with pytest.raises(DatabaseError), transaction.atomic():
        Issue.objects.filter(pk=row.pk).update(processing_state=value, updated_at=F("updated_at"))
    assert Issue.objects.get(pk=row.pk).processing_state == "NEW"


def test_instants_are_cut_to_whole_seconds():
    exact = datetime(2026, 2, 3, 4, 5, 6, 999_999, tzinfo=UTC)
    row = make_row(Issue, github_updated_at=exact)
    row.refresh_from_db()
    assert row.github_updated_at == exact.replace(microsecond=0)
    assert Issue.objects.filter(github_updated_at=exact).count() == 1  # the look-up is cut alike


def test_a_commit_may_be_dated_beyond_2038():
    row = make_row(Push, head_commit_timestamp=datetime(2099, 1, 1, tzinfo=UTC))
    row.refresh_from_db()
    assert row.head_commit_timestamp.year == 2099


def test_a_guid_is_looked_up_by_any_of_its_forms():
    guid = uuid.uuid4()
    row = make_row(Issue, delivery_id=guid)
    for form in (guid, str(guid), guid.hex, guid.bytes):
        assert Issue.objects.get(delivery_id=form).pk == row.pk
    assert Issue.objects.get(delivery_id__in=[guid]).delivery_id_text == str(guid)


def test_identifiers_differ_by_letter_case_and_names_do_not():
    upper = make_row(PullRequest, node_id="PR_ABC", repository_owner="Octo", ref="Fix")
    make_row(PullRequest, node_id="PR_abc", repository_owner="other", ref="fix")
    assert PullRequest.objects.get(node_id="PR_ABC").pk == upper.pk
    assert PullRequest.objects.get(ref="Fix").pk == upper.pk
    assert PullRequest.objects.get(repository_owner="OCTO").pk == upper.pk


# --- who moves UpdatedAt ------------------------------------------------------------------------------------
def test_an_update_that_does_not_say_what_happens_to_updated_at_is_refused():
    row = make_row(PullRequest)
    with pytest.raises(TypeError, match="updated_at"):
        PullRequest.objects.filter(pk=row.pk).update(title="x")
    row.title = "y"
    with pytest.raises(TypeError, match="updated_at"):
        PullRequest.objects.bulk_update([row], ["title"])


def test_an_update_moves_or_keeps_updated_at_as_it_says(clock):
    row = make_row(PullRequest)
    made = clock.now
    clock.shift(hours=1)
    one = PullRequest.objects.filter(pk=row.pk)
    assert one.update(title="kept", updated_at=F("updated_at")) == 1
    assert one.get().updated_at == made
    assert one.update(title="kept", updated_at=CurrentTimestamp()) == 1  # though nothing else changes
    assert one.get().updated_at == clock.now
