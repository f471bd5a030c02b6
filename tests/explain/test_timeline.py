"""The timeline: lines of the history, their causes, and the gaps that other programs leave."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.models import PassRun
from monitor.explain import timeline
from monitor.explain.decisions.gaps import OTHERS, UNTOLD, RowState, with_gaps
from monitor.explain.values import GAP, Entry
from tests import factories
from webhooks.models import PullRequest
from webhooks.services import finishing, history
from webhooks.services.claims import claim
from webhooks.services.pending import re_request
from webhooks.values import Cause, HistoryKind

T = datetime(2026, 3, 4, 9, tzinfo=UTC)


def entry(sequence, from_state, to_state, kind="event"):
    at = T + timedelta(minutes=sequence)
    return Entry(
        sequence=sequence, at=at, kind=kind, text=f"line {sequence}", from_state=from_state, to_state=to_state
    )


def told(*entries, state="PROCESSED", first_page=True, older=None):
    """The timeline of entries given from the newest on, as (Sequence or "gap", from, to)."""
    row = RowState(state=state, writer="a-bot", updated_at=T + timedelta(days=1), created_at=T)
    found = with_gaps(entries, row, first_page=first_page, older=older)
    return [(one.sequence or one.kind, one.from_state, one.to_state) for one in found]


BORN = entry(1, "", "NEW")
CLAIMED = entry(2, "NEW", "PROCESSING", "claim")
DONE = entry(3, "PROCESSING", "PROCESSED", "finalize")


def test_a_whole_history_has_no_gap():
    assert [one[0] for one in told(DONE, CLAIMED, BORN)] == [3, 2, 1]


def test_a_claim_by_another_programs_sql_shows_as_a_gap_between_ours():
    assert told(DONE, BORN) == [
        (3, "PROCESSING", "PROCESSED"),
        (GAP, "NEW", "PROCESSING"),
        (1, "", "NEW"),
    ]


def test_a_write_of_others_after_our_last_line_shows_on_top_with_who_wrote_last():
    assert told(BORN, state="PROCESSED")[0] == (GAP, "NEW", "PROCESSED")
    row = RowState(state="PROCESSED", writer="a-bot", updated_at=T + timedelta(days=1), created_at=T)
    (gap, _) = with_gaps([BORN], row, first_page=True, older=None)
    assert (gap.actor, gap.text, gap.after, gap.at) == ("a-bot", OTHERS, BORN.at, T + timedelta(days=1))


def test_a_row_without_any_line_says_that_its_beginning_is_not_told():
    assert told() == [(GAP, "", "PROCESSED")]
    row = RowState(state="PROCESSED", writer="", updated_at=T, created_at=T)
    assert [one.text for one in with_gaps([], row, first_page=True, older=None)] == [UNTOLD]


def test_a_history_that_was_cleaned_up_says_so_at_its_end():
    assert told(DONE, CLAIMED)[-1] == (GAP, "", "NEW")


def test_lines_that_are_not_about_the_state_make_no_gap():
    look = entry(4, "NEW", "NEW", "look")
    assert [one[0] for one in told(look, DONE, CLAIMED, BORN)] == [4, 3, 2, 1]
    renamed = entry(2, "PROCESSED", "PROCESSED", "rename")
    assert [one[0] for one in told(renamed, BORN, state="NEW")] == [2, 1]


def test_the_gap_at_the_edge_of_two_pages_is_on_the_newer_one():
    assert told(DONE, older=BORN) == [(3, "PROCESSING", "PROCESSED"), (GAP, "NEW", "PROCESSING")]
    assert told(BORN, first_page=False) == [(1, "", "NEW")]


def test_the_life_of_a_row_as_our_own_services_write_it_has_no_gap(pull, running):
    row = pull(processing_state="NEW")
    history.append(row.pk, HistoryKind.EVENT, ("", "NEW"), reason="pull_request opened: first seen")
    (one,) = claim(PullRequest, worker="us").claims
    finishing.defer(one, 0, "later")
    (one,) = claim(PullRequest, worker="us").claims
    finishing.finalize(one, "nothing to update")
    re_request(PullRequest, [row.pk], actor="ada")
    entries = timeline.page(PullRequest.objects.get(pk=row.pk), cursor="").entries
    kinds = ["re_request", "finalize", "claim", "defer", "claim", "event"]
    assert [one.kind for one in entries] == kinds


def test_pages_follow_each_other_and_no_gap_is_told_twice_or_left_out(pull, monkeypatch):
    monkeypatch.setattr("monitor.explain.timeline.ENTRIES", 3)
    row = pull(processing_state="NEW")
    history.append(row.pk, HistoryKind.EVENT, ("", "NEW"), reason="line")
    for _ in range(7):  # another program made it pending each time
        history.append(row.pk, HistoryKind.FINALIZE, ("PROCESSING", "PROCESSED"), reason="line")
        history.append(row.pk, HistoryKind.LOOK, ("NEW", "NEW"), reason="line")
    found, cursor = [], ""
    while True:
        page = timeline.page(row, cursor=cursor)
        found += page.entries
        cursor = page.next
        if not cursor:
            break
    gaps = [one for one in found if one.kind == GAP]
    assert len({one.sequence for one in found if one.sequence}) == 15
    # One after the newest line, one before each finalizing.
    assert len(gaps) == 1 + 7


def test_an_entry_names_its_delivery_its_pass_and_its_actor(pull, running):
    row = pull()
    delivery = factories.DeliveryFactory(event="pull_request", action="edited", status="applied")
    run = PassRun.objects.create(name="sync-repositories")
    history.append(
        row.pk,
        HistoryKind.EVENT,
        ("", "NEW"),
        reason="a",
        cause=Cause(actor="bob", delivery_guid=delivery.guid),
    )
    history.append(row.pk, HistoryKind.SYNC, ("NEW", "NEW"), reason="b", cause=Cause(pass_run_id=run.pk))
    history.append(
        row.pk, HistoryKind.EVENT, ("NEW", "UPDATED"), reason="c", cause=Cause(delivery_guid="gone")
    )
    gone, sync, event = [one for one in timeline.page(row, cursor="").entries if one.kind != GAP]
    assert (event.delivery.sequence, event.delivery.words) == (delivery.pk, "pull_request edited (applied)")
    assert event.actor == "bob"
    assert (sync.run.sequence, sync.run.words) == (run.pk, "sync-repositories")
    assert (gone.guid, gone.delivery) == ("gone", None)


@pytest.mark.django_db
def test_the_history_of_another_pull_request_is_never_shown(pull):
    row, other = pull(), pull(number=8)
    history.append(other.pk, HistoryKind.EVENT, ("", "NEW"), reason="not mine")
    assert [one.kind for one in timeline.page(row, cursor="").entries] == [GAP]
