"""The admin: Settings that validate, event tables that nobody edits, and the two safe actions."""

from __future__ import annotations

import zlib
from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from core.admin import MOST_LISTED, ReadOnlyAdmin
from core.models import PassRun, Setting
from core.registry import effective
from idle.models import IdlePullRequest
from idle.setting_specs import INTERVAL_MINUTES
from tests import factories
from tests.monitor.conftest import HOSTILE, parse
from webhooks import models
from webhooks.models import CLAIMED, Delivery, PullRequest, PullRequestHistory

READ_ONLY = (*CLAIMED, Delivery, models.Rejection, PullRequestHistory, PassRun)


def changelist(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def change(row):
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


@pytest.fixture
def chief(person):
    """A superuser: if not even they can edit a row, nobody can."""
    return person(name="chief", is_staff=True, is_superuser=True)


@pytest.fixture
def setting(db):
    """The row of idle.interval-minutes, with its default."""
    return Setting.objects.update_or_create(name=INTERVAL_MINUTES.name, defaults={"value": None})[0]


def act(client, model, action, rows, **extra):
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], **extra}
    return parse(client.post(changelist(model), chosen, follow=True).content.decode())


# --- Settings ---


def test_a_setting_shows_its_kind_its_default_and_the_value_in_force(setting, chief):
    text = parse(chief.get(change(setting)).content.decode()).text
    assert "whole number from 1 to 10080" in text
    assert "Default: 60 In force: 60 Note: default" in text


def test_a_good_value_is_stored_and_moves_updated_at(clock, setting, chief):
    clock.shift(hours=1)
    chief.post(change(setting), {"value": " 15 "})
    setting.refresh_from_db()
    assert (setting.value, setting.updated_at) == ("15", clock.now)
    assert effective()[INTERVAL_MINUTES] == 15


@pytest.mark.parametrize(
    "value, reason",
    [("often", "takes a whole number"), ("0", "from 1 to 10080"), (HOSTILE, "takes")],
)
def test_a_bad_value_is_refused_with_the_reason(value, reason, setting, chief):
    page = parse(chief.post(change(setting), {"value": value}).content.decode())
    assert reason in page.text
    assert not [image for image in page.all("img") if image.get("src") == "x"]
    setting.refresh_from_db()
    assert setting.value is None


def test_blank_means_the_default(setting, chief):
    Setting.objects.update(value="15")
    chief.post(change(setting), {"value": "  "})
    setting.refresh_from_db()
    assert setting.value is None
    assert effective()[INTERVAL_MINUTES] == 60


def test_the_history_says_which_value_made_way_for_which(setting, chief):
    chief.post(change(setting), {"value": "15"})
    chief.post(change(setting), {"value": ""})
    lines = LogEntry.objects.order_by("pk").values_list("user__username", "change_message")
    assert list(lines) == [("chief", "default → 15"), ("chief", "15 → default")]


def test_a_stored_value_that_is_refused_is_listed_with_the_reason(setting, chief):
    Setting.objects.filter(pk=setting.pk).update(value="often")
    assert "refused, the default is used" in parse(chief.get(changelist(Setting)).content.decode()).text


def test_settings_of_others_are_shown_and_never_touched(db, chief):
    other = Setting.objects.create(name="gstraccini-bot.region", value="eu")
    assert "gstraccini-bot.region" in parse(chief.get(changelist(Setting)).content.decode()).text
    assert "eu" in parse(chief.get(change(other)).content.decode()).text
    assert chief.post(change(other), {"value": "us"}).status_code == 403
    assert chief.post(f"{change(other)}../delete/", {"post": "yes"}).status_code == 403
    other.refresh_from_db()
    assert other.value == "eu"


def test_no_setting_is_added_or_deleted_by_hand(setting, chief):
    assert chief.get(reverse("admin:core_setting_add")).status_code == 403
    assert (
        chief.post(reverse("admin:core_setting_delete", args=[setting.pk]), {"post": "yes"}).status_code
        == 403
    )
    assert "action" not in {
        select.get("name") for select in parse(chief.get(changelist(Setting)).content.decode()).all("select")
    }


def test_a_setting_is_changed_only_with_the_permission(setting, person):
    looker = person("core.view_setting", name="bert", is_staff=True)
    assert looker.get(change(setting)).status_code == 200
    assert looker.post(change(setting), {"value": "15"}).status_code == 403


# --- what only the product writes ---


@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model.__name__)
def test_nobody_adds_changes_or_deletes_a_row(model, db, chief):
    site = admin.site._registry[model]
    assert isinstance(site, ReadOnlyAdmin)
    assert chief.get(changelist(model)).status_code == 200
    add = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
    assert chief.get(add).status_code == 403


def test_a_row_can_be_read_and_not_written(db, chief):
    row = factories.PullRequestFactory(title="as it was")
    assert "as it was" in parse(chief.get(change(row)).content.decode()).text
    assert chief.post(change(row), {"title": "other"}).status_code == 403
    row.refresh_from_db()
    assert row.title == "as it was"


def test_titles_stay_text_f37(db, chief):
    row = factories.PullRequestFactory(title=HOSTILE, repository_owner="<svg/onload=1>", ref="<svg/onload=1>")
    for path in (changelist(PullRequest), change(row)):
        page = parse(chief.get(path).content.decode())
        assert HOSTILE[:30] in page.text
        assert not [image for image in page.all("svg") if "onload" in image]
        assert not [image for image in page.all("img") if image.get("src") == "x"]


def test_secrets_and_bodies_are_not_shown(db, chief):
    user = models.User.objects.create(delivery_id=b"x" * 16, user_id=1, login="alice", token="a-secret")
    delivery = factories.DeliveryFactory(body=b"zzzz")
    assert "a-secret" not in chief.get(change(user)).content.decode()
    assert "zzzz" not in chief.get(change(delivery)).content.decode()


def test_a_list_never_counts_a_whole_table(db, chief, django_assert_max_num_queries, monkeypatch):
    factories.PullRequestFactory.create_batch(3)
    with django_assert_max_num_queries(12) as queries:
        chief.get(changelist(PullRequest))
    counts = [q["sql"] for q in queries if "COUNT(" in q["sql"] and "github_pull_requests" in q["sql"]]
    assert counts == []
    assert [q["sql"] for q in queries if f"LIMIT {MOST_LISTED}" in q["sql"]]


def test_a_search_compares_whole_values_by_index(db, chief):
    row = factories.PullRequestFactory(repository_owner="acme", node_id="PR_abc")
    factories.PullRequestFactory(repository_owner="octo")
    for words in ("ACME", "PR_abc"):
        page = parse(chief.get(changelist(PullRequest), {"q": words}).content.decode())
        assert "1 result" in page.text, words
    assert str(row) in page.text


# --- actions ---


@pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model.__name__)
def test_each_of_the_eight_tables_offers_re_request(model, chief, rf):
    assert model in admin.site._registry
    assert "re_request" in (admin.site._registry[model].actions or [])


def test_re_request_makes_rows_pending_and_resets_the_idle_retries(clock, chief):
    rows = factories.PullRequestFactory.create_batch(2, idle_retry_count=4, processing_error="502")
    clock.shift(hours=1)
    assert "Re-requested: 2." in act(chief, PullRequest, "re_request", rows).text
    for row in rows:
        row.refresh_from_db()
        assert (row.processing_state, row.idle_retry_count, row.processing_error) == ("RE_REQUESTED", 0, None)
        assert row.updated_at == clock.now
    assert list(PullRequestHistory.objects.values_list("kind", "actor")) == [("re_request", "chief")] * 2


def test_re_request_needs_the_permission(db, person):
    row = factories.IssueFactory(processing_state="PROCESSED")
    looker = person("webhooks.view_issue", name="bert", is_staff=True)
    act(looker, models.Issue, "re_request", [row])
    row.refresh_from_db()
    assert row.processing_state == "PROCESSED"
    able = person("webhooks.view_issue", "webhooks.change_issue", name="carl", is_staff=True)
    act(able, models.Issue, "re_request", [row])
    row.refresh_from_db()
    assert row.processing_state == "RE_REQUESTED"


def test_re_request_of_too_many_does_nothing_and_says_so(db, chief, monkeypatch):
    monkeypatch.setattr("webhooks.admin.MOST_RE_REQUESTED", 2)
    rows = factories.PullRequestFactory.create_batch(3)
    page = act(chief, PullRequest, "re_request", rows[:1], select_across="1")
    assert "Choose at most 2 rows at a time; nothing was done." in page.text
    assert not PullRequest.objects.exclude(processing_state="PROCESSED").exists()


def test_a_failed_delivery_is_replayed(db, chief):
    failed = factories.DeliveryFactory(status="failed", event="nothing_we_know", body=zlib.compress(b"{}"))
    done = factories.DeliveryFactory(status="applied", body=zlib.compress(b"{}"))
    text = act(chief, Delivery, "replay", [failed, done]).text
    assert f"Delivery {failed.pk}: ignored." in text
    assert f"Delivery {done.pk}: refused." in text
    failed.refresh_from_db()
    assert failed.status == "ignored"


def test_idle_retries_are_reset_from_the_admin(clock, chief):

    row = factories.PullRequestFactory(updated_at=clock.now - timedelta(days=60), idle_retry_count=10)
    assert "GAVE_UP" in parse(chief.get(changelist(IdlePullRequest)).content.decode()).text
    assert "Reset: 1." in act(chief, IdlePullRequest, "reset_retries", [row]).text
    row.refresh_from_db()
    assert row.idle_retry_count == 0
    assert PullRequestHistory.objects.get().actor == "chief"
