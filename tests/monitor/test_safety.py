"""Logins that are throttled, roles that reach the admin, and what a browser is told not to run."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.env import package_folder
from config.safety import content_security_policy
from core.models import Setting
from tests.api.conftest import group
from tests.monitor.conftest import parse

PAGES = ("/", "/login/", "/deliveries/", "/admin/", "/api/v1/docs/", "/nowhere/", "/healthz")


def log_in(password, name="ada", client=None):
    return (client or Client()).post("/login/", {"username": name, "password": password})


@pytest.fixture
def ada(person):
    person(name="ada")


def test_five_wrong_passwords_close_the_door_and_say_for_how_long(clock, ada):
    for _ in range(4):
        assert log_in("wrong").status_code == 200
    clock.shift(minutes=2)
    fifth = log_in("wrong")
    assert fifth.status_code == 429
    clock.shift(minutes=5)
    answer = log_in("not-asked-for")
    assert answer.status_code == 429
    assert "Logins of ada from your address are not looked at for a while. Try again in 10 min" in (
        parse(answer.content.decode()).text
    )


def test_after_a_quarter_of_an_hour_the_right_password_is_taken(clock, ada):
    for _ in range(6):
        log_in("wrong")
    clock.shift(minutes=15, seconds=1)
    assert log_in("not-asked-for").status_code == 302


def test_knocking_at_the_closed_door_does_not_keep_it_closed(clock, ada):
    for _ in range(5):
        log_in("wrong")
    for _ in range(3):
        clock.shift(minutes=4)
        assert log_in("wrong").status_code == 429
    clock.shift(minutes=3, seconds=1)
    assert log_in("not-asked-for").status_code == 302


def test_a_stranger_elsewhere_does_not_lock_a_person_out(clock, ada):
    for _ in range(6):
        Client(REMOTE_ADDR="203.0.113.9").post("/login/", {"username": "ada", "password": "wrong"})
    assert log_in("not-asked-for").status_code == 302


def test_the_admins_own_login_is_throttled_too(clock, ada):
    for _ in range(5):
        Client().post("/admin/login/", {"username": "ada", "password": "wrong"})
    assert log_in("not-asked-for").status_code == 429


def test_the_password_that_was_tried_is_not_kept(clock, ada):
    from axes.models import AccessAttempt

    log_in("hunter2-hunter2")
    assert "hunter2" not in str(list(AccessAttempt.objects.values()))


@pytest.mark.parametrize("path", PAGES)
def test_no_page_may_run_what_is_inline_or_from_elsewhere(path, person):
    client = person(role="administrator")
    header = client.get(path)["Content-Security-Policy"]
    policy = dict(part.strip().partition(" ")[::2] for part in header.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert "unsafe" not in header
    assert set(content_security_policy()["DIRECTIVES"]) == set(policy)


def test_a_form_from_before_another_login_is_refused_in_an_operators_words_and_does_nothing(person, db):
    person(name="ada", role="operator")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="ada"), "django.contrib.auth.backends.ModelBackend")
    answer = strict.post("/passes/idle/run/", {"csrfmiddlewaretoken": "x" * 64})
    assert answer.status_code == 403
    page = parse(answer.content.decode())
    assert "The form is too old" in page.text
    assert "Nothing was changed." in page.text
    assert not page.inline_script
    assert not page.all("style")
    assert not LogEntry.objects.exists()


def test_an_administrator_works_in_the_admin_without_being_staff(person, db):
    setting, _ = Setting.objects.update_or_create(name="idle.interval-minutes", defaults={"value": None})
    chief = person(role="administrator")
    assert chief.get("/admin/").status_code == 200
    assert "Admin" in chief.get("/").content.decode()
    assert chief.post(f"/admin/core/setting/{setting.pk}/change/", {"value": "15"}).status_code == 302
    setting.refresh_from_db()
    assert setting.value == "15"
    assert chief.get("/admin/auth/group/").status_code == 200


@pytest.mark.parametrize("role", ["", "viewer", "operator"])
def test_nobody_else_enters_the_admin(role, person):
    client = person(role=role)
    assert client.get("/admin/").status_code == 302
    assert client.get("/admin/core/setting/").status_code == 302


def test_an_inactive_administrator_may_nothing(db):
    user = User.objects.create_user("eve", is_active=False)
    user.groups.add(group("administrator"))
    assert not user.has_perm("core.admin")
    assert not user.has_perm("core.change_setting")


def test_an_account_without_a_role_is_told_so_and_led_nowhere_in_vain(person):
    page = parse(person(role="", name="nell").get("/").content.decode())
    assert "Your account has no role yet." in page.text
    assert {link["href"] for link in page.all("a")} == {"#main", "/"}
    page = parse(person(role="viewer", name="vera").get("/bulk/new/re_request/").content.decode())
    assert "Your account may not do this." in page.text
    assert "/merges/" in {link["href"] for link in page.all("a")}


def test_a_rule_about_a_group_opens_the_pages_as_it_opens_the_api(person, settings, tmp_path):
    rules = tmp_path / "rules.yaml"
    rules.write_text("- group: night-shift\n  permissions: [read, operate]\n")
    client = person(role="", name="nell")
    User.objects.get(username="nell").groups.add(Group.objects.create(name="night-shift"))
    assert client.get("/").status_code == 403
    settings.ACCESS_RULES_FILE = str(rules)
    assert client.get("/").status_code == 200
    assert client.post("/passes/idle/run/").status_code == 302
    assert client.get("/admin/").status_code == 302


def test_a_package_that_is_not_there_stops_the_start_with_a_sentence():
    assert (package_folder("unfold") / "static/unfold/js/chart/chart.js").is_file()
    with pytest.raises(ImproperlyConfigured, match="not_a_package is not installed"):
        package_folder("not_a_package")


def test_the_chart_library_is_served_from_here(client, db):
    answer = client.get("/static/vendor/chart.js")
    assert answer.status_code == 200
    assert b"Chart=" in b"".join(answer.streaming_content)
    answer.close()
