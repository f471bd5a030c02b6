"""The page of merges: the queue, the reasons, the counters, and what a person decides."""

from __future__ import annotations

import pytest

from merge import selectors as merging
from merge import setting_specs
from merge.models import MergeVerdict
from merge.values import Status
from tests.merge import rows
from tests.merge.world import CODE
from tests.monitor.conftest import HOSTILE, parse

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(person):
    return person(role="operator", name="bob")


def status_of(merge) -> Status:
    return merging.status(merging.merges().get(pk=merge.pk))


def test_every_status_is_listed_counted_and_found(see):
    made = rows.one_of_each("fine")
    page = see("/merges/")
    assert page.row_ids() == sorted((merge.pk for merge in made.values()), reverse=True)
    for status, merge in made.items():
        assert status_of(merge) == status
        assert see(f"/merges/?status={status}").row_ids() == [merge.pk]
        assert f"{status} 1" in page.text
    assert see("/merges/?repository=octo/tools&status=done").row_ids() == [made["done"].pk]
    assert see("/merges/?repository=octo/other").row_ids() == []


def test_the_reason_people_need_first_is_shown(see):
    rows.one_of_each("because of the fair")
    text = see("/merges/").text
    assert "Rejected by tomas: because of the fair" in text
    assert "Everything speaks for merging it." in text


def test_a_tick_shows_the_counters_of_each_guard_the_reasons_and_what_failed(see):
    rows.one_of_each("no token")
    text = see("/merges/").text
    assert "seen drafts held in flight backed off refused waiting enqueued accounts failed" in text
    assert "41 2 3 4 1 28 2 1 1" in text
    assert "not docs only 26" in text
    assert "Skipped: octo (no token)." in text


def test_the_worst_case_of_the_backoff_stands_on_the_page_b2_16(see, world):
    assert "also when it was fixed meanwhile" in see("/merges/").text
    world.set(setting_specs.BACKOFF_SCOPE, "head_sha")
    assert "a push is tried at once" in see("/merges/").text
    world.set(setting_specs.SWITCH.enabled, "off")
    assert "The poller is switched off" in see("/merges/").text


def test_without_anything_it_says_what_will_appear(db, see):
    text = see("/merges/").text
    assert "The poller has not run yet" in text
    assert "No merge was asked for yet" in text
    assert "Nothing was judged yet" in see("/merges/verdicts/").text


def test_outside_text_stays_text_f37(see):
    rows.one_of_each(HOSTILE)
    for path in ("/merges/", "/merges/verdicts/"):
        page = see(path)
        assert not page.inline_script
        assert {image["src"] for image in page.all("img")} == {"/static/monitor/icon.svg"}


def test_verdicts_are_listed_by_standing_with_the_names_that_repositories_have_now(see):
    rows.one_of_each("fine")
    assert len(see("/merges/verdicts/").row_ids()) == 4
    for standing in ("eligible", "waiting", "scope", "refused"):
        (found,) = see(f"/merges/verdicts/?standing={standing}").row_ids()
        assert MergeVerdict.objects.get(pk=found).standing == standing
    assert len(see("/merges/verdicts/?repository=octo/tools&code=eligible").row_ids()) == 1
    assert "octo/tools#100" in see("/merges/verdicts/").text


def test_an_operator_approves_rejects_with_a_reason_and_retries(operator):
    made = rows.one_of_each("fine")
    operator.post(f"/merges/{made['pending'].pk}/approve/")
    assert status_of(made["pending"]) is Status.APPROVED
    operator.post(f"/merges/{made['approved'].pk}/reject/", {"reason": "Not today."})
    assert status_of(made["approved"]) is Status.REJECTED
    operator.post(f"/merges/{made['failed'].pk}/retry/")
    assert status_of(made["failed"]) is Status.APPROVED
    assert "merge rejected" in parse(operator.get("/actions/").content.decode()).text


def test_its_work_item_is_named_by_its_pull_request_and_leads_to_it(see):
    made = rows.merge(12)
    assert "octo/tools#12" in see("/work-items/").text
    page = see(f"/work-items/{made.pk}/")
    assert "Pull request #12" in page.text
    assert "/pull-requests/octo/tools/12/" in {link.get("href") for link in page.all("a")}


def test_the_overview_counts_what_waits_for_a_person(see):
    rows.one_of_each("fine")
    page = see("/")
    assert "1 to be approved 3 active 1 completed 1 failed 2 cancelled" in page.text
    assert "/merges/?status=pending" in {link.get("href") for link in page.all("a")}


def test_a_rejection_without_a_reason_is_no_rejection(operator):
    made = rows.one_of_each("fine")
    answer = operator.post(f"/merges/{made['pending'].pk}/reject/", {"reason": "  "}, follow=True)
    assert status_of(made["pending"]) is Status.PENDING
    assert "Say why it is rejected" in answer.content.decode()


@pytest.mark.parametrize(
    "status,act", [("done", "approve"), ("done", "retry"), ("rejected", "retry"), ("executing", "reject")]
)
def test_what_cannot_be_decided_any_more_is_refused_in_words(operator, status, act):
    made = rows.one_of_each("fine")
    before = status_of(made[status])
    answer = operator.post(f"/merges/{made[status].pk}/{act}/", {"reason": "x"}, follow=True)
    assert status_of(made[status]) is before
    assert f"octo/tools#{made[status].number} was not" in parse(answer.content.decode()).text


def test_who_reads_only_sees_no_buttons(see):
    rows.one_of_each("fine")
    actions = [form.get("action", "") for form in see("/merges/").all("form")]
    assert [address for address in actions if address.startswith("/merges/")] == []


@pytest.mark.parametrize(
    "files,words",
    [(None, "approved and about to be carried out"), (CODE, "waiting for a person to approve it")],
)
def test_asking_on_the_page_is_asking_the_classifier(operator, world, files, words):
    number = world.open(files=files)
    answer = operator.post("/merges/ask/", {"pull_request": f"account-1/repository-1#{number}"}, follow=True)
    assert words in parse(answer.content.decode()).text
    assert world.newest(number).caller_identity == "bob"


def test_asking_for_what_cannot_be_merged_says_why(operator, world):
    number = world.open("(HELD) later")
    for typed, words in (
        (f"account-1/repository-1#{number}", "It is held"),
        ("account-1/nowhere#1", "within our reach"),
        ("nonsense", "owner/name#12"),
    ):
        answer = operator.post("/merges/ask/", {"pull_request": typed}, follow=True)
        assert words in parse(answer.content.decode()).text


def test_both_lists_come_as_a_file(viewer):
    rows.one_of_each("=1+1")
    for path in ("/merges/?format=csv", "/merges/verdicts/?format=csv"):
        lines = b"".join(viewer.get(path).streaming_content).decode().splitlines()
        assert len(lines) > 4
        assert not any(line.startswith("=") or ",=" in line for line in lines)
