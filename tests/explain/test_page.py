"""The page of one pull request."""

from __future__ import annotations

from datetime import timedelta

import pytest

from monitor.links import read_address
from tests import factories
from tests.monitor.conftest import HOSTILE, parse
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.services import history
from webhooks.values import Cause, HistoryKind

PAGE = "/pull-requests/octo/tools/7/"


def test_the_sentence_stands_on_top_and_what_comes_next_below_it(pull, see):
    pull(2, idle_retry_count=2)
    text = see(PAGE).text
    sentence = text.index("waits: it had 2 of 10 Idle Retries")
    assert text.index("octo/tools#7") < sentence < text.index("What happens next") < text.index("Reasons")
    assert "Idle Retry 3 of 10 falls due in 1 d ." in text


def test_each_gate_says_in_words_whether_it_is_passed(pull, see):
    pull(2, idle_retry_count=2)
    text = see(PAGE).text
    assert "Passed It is open." in text
    assert "In the way Its wait ends in 1 d" in text


def test_it_links_to_github_and_to_what_caused_each_entry(pull, see):
    row = pull(5)
    delivery = factories.DeliveryFactory(status="applied", action="synchronize")
    history.append(
        row.pk,
        HistoryKind.EVENT,
        ("", "NEW"),
        reason="pull_request synchronize",
        cause=Cause(actor="alice", delivery_guid=delivery.guid),
    )
    page = see(PAGE)
    links = {link.get("href") for link in page.all("a")}
    assert "https://github.com/octo/tools/pull/7" in links
    assert f"/deliveries/{delivery.pk}/" in links
    assert "Delivery pull_request synchronize (applied)" in page.text
    assert "by alice" in page.text


def test_hostile_and_very_long_text_stays_text(pull, see):
    long = "W" * 5_000
    row = pull(title=HOSTILE + long, ref=HOSTILE, sender=HOSTILE[:39], processing_error=HOSTILE + long)
    history.append(
        row.pk, HistoryKind.EVENT, (HOSTILE[:20], "NEW"), reason=HOSTILE + long, cause=Cause(actor=HOSTILE)
    )
    page = see(PAGE)
    assert {image["src"] for image in page.all("img")} == {"/static/monitor/icon.svg"}
    assert not page.inline_script
    assert not [
        tag for tag, names in page.tags if any(name.startswith("on") or name == "style" for name in names)
    ]


def test_unknown_is_said_in_words_and_is_a_404(viewer, db):
    response = viewer.get(PAGE)
    assert response.status_code == 404
    assert "No pull request octo/tools#7 is known here." in parse(response.content.decode()).text
    assert viewer.get(f"/pull-requests/octo/tools/{'9' * 30}/").status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        "octo/tools#7",
        " octo/tools/7 ",
        "octo/tools 7",
        "octo/tools #7",
        "https://github.com/octo/tools/pull/7",
        "https://github.com/octo/tools/pull/7/files?w=1#diff",
    ],
)
def test_the_search_takes_what_people_type_or_paste(viewer, db, text):
    assert viewer.get("/pull-requests/", {"q": text})["Location"] == PAGE


@pytest.mark.parametrize(
    "text", ["octo", "octo/tools", "#7", "octo/tools#x", "octo/tools#" + "9" * 40, HOSTILE, "../..#1"]
)
def test_the_search_says_what_it_does_not_understand(viewer, db, text):
    response = viewer.get("/pull-requests/", {"q": text})
    assert response.status_code == 200
    assert "does not name a pull request" in parse(response.content.decode()).text


def test_an_address_reads_back_as_it_is_written():
    assert str(read_address("octo/tools#7")) == "octo/tools#7"


def test_the_timeline_has_older_pages(pull, see):
    row = pull(5)
    for number in range(60):
        history.append(row.pk, HistoryKind.ECHO, ("PROCESSED", "PROCESSED"), reason=f"line {number}.")
    page = see(PAGE)
    assert "line 59." in page.text
    assert "line 9." not in page.text
    older = see(page.link("next"))
    assert "line 9." in older.text
    assert older.link("next") is None


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 40])
def test_a_cursor_that_was_altered_is_a_400(pull, viewer, cursor):
    pull()
    assert viewer.get(f"{PAGE}?cursor={cursor}").status_code == 400


def test_of_several_rows_the_one_of_the_present_repository_is_meant_and_the_others_are_shown(pull, see):
    factories.RepositoryFactory(github_id=99)
    old, now, unnamed = pull(repository_id=1), pull(repository_id=99), pull(repository_id=None)
    page = see(PAGE)
    assert f"Sequence {now.pk}" in page.text
    assert [link["href"] for link in page.all("a") if link.get("href", "").startswith("?row=")] == [
        f"?row={unnamed.pk}",
        f"?row={old.pk}",
    ]
    chosen = see(f"{PAGE}?row={old.pk}")
    assert f"?row={now.pk}" in {link.get("href") for link in chosen.all("a")}
    assert see(f"{PAGE}?row=x").text == page.text


@pytest.fixture
def operator(person):
    return person(role="operator", name="olga")


def test_an_operator_puts_it_back_to_the_bot_and_is_named_for_it(pull, operator):
    row = pull(60, idle_retry_count=10)
    path = f"/pull-requests/{row.pk}/re-request/"
    response = operator.post(path, follow=True)
    assert response.redirect_chain == [(f"{PAGE}?row={row.pk}", 302)]
    text = parse(response.content.decode()).text
    assert "octo/tools#7 was put back to the bot." in text
    assert "is pending (RE_REQUESTED)" in text
    row = PullRequest.objects.get(pk=row.pk)
    assert (row.processing_state, row.idle_retry_count) == ("RE_REQUESTED", 0)
    assert PullRequestHistory.objects.get().actor == "olga"


def test_an_operator_resets_its_retries_and_it_is_due_at_once(pull, operator):
    row = pull(60, idle_retry_count=10)
    text = parse(operator.post(f"/pull-requests/{row.pk}/reset/", follow=True).content.decode()).text
    assert "Idle Retries are counted from 0 again, after 10." in text
    assert "is due for Idle Retry 1 of 10 and next up" in text
    kept = PullRequest.objects.get(pk=row.pk)
    assert (kept.updated_at, kept.idle_retry_count) == (row.updated_at, 0)


def test_who_may_only_look_sees_no_actions_and_cannot_act(pull, viewer, see):
    row = pull(60, idle_retry_count=10)
    assert "Re-request" not in see(PAGE).text
    for action in ("re-request", "reset"):
        assert viewer.post(f"/pull-requests/{row.pk}/{action}/").status_code == 403
        assert viewer.get(f"/pull-requests/{row.pk}/{action}/").status_code == 405
    assert PullRequest.objects.get(pk=row.pk).idle_retry_count == 10


def test_the_lists_lead_to_it(pull, see):
    import zlib

    row = pull(5)
    pending = pull(number=8, processing_state="NEW")
    body = zlib.compress(b'{"pull_request": {"number": 7}}')
    delivery = factories.DeliveryFactory(repository_owner="octo", repository_name="tools", body=body)
    lists = {
        "/idle/": PAGE,
        "/processing/pull_requests/?state=NEW": f"/pull-requests/octo/tools/8/?row={pending.pk}",
        f"/deliveries/{delivery.pk}/": PAGE,
    }
    for path, target in lists.items():
        assert target in {link.get("href") for link in see(path).all("a")}, path
    assert row.pk


def test_it_takes_few_queries_however_many_rows(pull, viewer, running, django_assert_max_num_queries):
    row = pull(5)
    old = running.now - timedelta(days=3)
    PullRequest.objects.bulk_create(factories.PullRequestFactory.build_batch(300, updated_at=old))
    for number in range(120):
        cause = Cause(delivery_guid=f"{number:036}", pass_run_id=number + 1)
        history.append(row.pk, HistoryKind.SYNC, ("PROCESSED", "PROCESSED"), reason="x", cause=cause)
    with django_assert_max_num_queries(24):
        assert viewer.get(PAGE).status_code == 200
