"""Tokens: hashed, named, expiring, revocable, with the rights of their user."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from core.access import tokens
from core.access.values import ROLES
from core.models import ApiToken
from tests.api.conftest import group
from tests.monitor.conftest import parse

ME = "/api/v1/me"
TOKENS = "/api/v1/tokens"
LIST = reverse("admin:core_apitoken_changelist")
ADD = reverse("admin:core_apitoken_add")


def call(key):
    return APIClient().get(ME, headers={"Authorization": f"token {key}"})


@pytest.fixture
def made(user_with):
    return tokens.make(user=user_with("viewer", name="ada"), name="laptop", lifetime=timedelta(days=30))


@pytest.fixture
def staff(user_with):
    """A browser of a person who may enter the admin."""

    def make(role="viewer", **fields):
        client = Client()
        client.force_login(user_with(role, is_staff=True, **fields))
        return client

    return make


def test_the_key_is_stored_as_a_hash_alone(made):
    row = ApiToken.objects.values().get()
    assert made.key not in str(row)
    assert made.key.startswith(row["prefix"])
    assert len(row["prefix"]) < len(made.key) / 4
    assert row["digest"] == tokens.digest(made.key)


def test_every_key_is_another_and_has_256_random_bits(user_with):
    user = user_with("viewer")
    keys = {tokens.make(user=user, name="x", lifetime=timedelta(days=1)).key for _ in range(20)}
    assert len(keys) == 20
    assert all(len(key.removeprefix("pk_")) == 43 for key in keys)


def test_a_token_ends_at_its_instant_by_the_databases_clock(clock, made):
    clock.shift(days=30, seconds=-1)
    assert call(made.key).status_code == 200
    clock.shift(seconds=1)
    assert call(made.key).json()["detail"] == "The token is unknown, expired or revoked."


def test_a_revoked_token_is_refused_and_cannot_be_revoked_twice(made):
    assert tokens.revoke(made.token)
    assert call(made.key).status_code == 401
    assert not tokens.revoke(made.token)


def test_a_token_of_a_user_who_was_deactivated_is_refused(made):
    User.objects.update(is_active=False)
    assert call(made.key).status_code == 401


@pytest.mark.parametrize(
    "header", ["token", "token a b", "token é", "token \x00", "Basic YTpi", "tokens x", ""]
)
def test_a_header_that_is_no_token_is_401(db, header):
    assert APIClient().get(ME, headers={"Authorization": header}).status_code == 401


def test_letter_case_matters_in_a_key(made):
    assert call(made.key.swapcase()).status_code == 401


def test_last_use_is_kept_by_the_five_minutes(clock, made):
    def used():
        call(made.key)
        return ApiToken.objects.get().last_used_at

    first = used()
    assert first == clock.now
    clock.shift(seconds=299)
    assert used() == first
    clock.shift(seconds=1)
    assert used() == clock.now


def test_the_rights_of_a_token_are_those_of_its_user_now(made):
    user = User.objects.get(username="ada")
    assert call(made.key).json()["permissions"] == ["read"]
    user.groups.set([group("operator")])
    assert call(made.key).json()["permissions"] == ["read", "process", "operate"]
    user.groups.clear()
    assert call(made.key).status_code == 403


def test_the_roles_of_the_migration_are_those_of_the_code(db):
    for role, permissions in ROLES.items():
        held = group(role).permissions.filter(content_type__app_label="core")
        assert set(held.values_list("codename", flat=True)) == set(permissions)


def test_b5_29_an_administrator_makes_lists_and_revokes_tokens(caller, user_with):
    user_with("viewer", name="bob")
    chief = caller("administrator", name="chief")
    answer = chief.post(TOKENS, {"name": "ci", "days": 7, "user": "bob"})
    assert answer.status_code == 201
    assert call(answer.json()["key"]).json() == {
        "name": "bob (token ci)", "login": "bob", "means": "token", "permissions": ["read"],
    }  # fmt: skip
    listed = chief.get(TOKENS)
    assert [token["user"] for token in listed.json()["results"]] == ["bob", "chief"]
    assert answer.json()["key"] not in listed.content.decode()
    path = f"{TOKENS}/{answer.json()['sequence']}"
    assert chief.delete(path).json()["revoked_at"]
    assert chief.delete(path).status_code == 409
    assert call(answer.json()["key"]).status_code == 401


@pytest.mark.parametrize(
    "body, status",
    [
        ({"name": "x", "days": 0}, 400),
        ({"name": "x", "days": 367}, 400),
        ({"name": "", "days": 7}, 400),
        ({"name": "x" * 101, "days": 7}, 400),
        ({"name": "x", "days": 7, "role": "administrator"}, 400),
        ({"name": "x", "days": 7, "user": "nobody"}, 422),
        ({"name": "x\x00", "days": 7}, 400),
    ],
)
def test_a_token_that_cannot_be_made_leaves_nothing(caller, body, status):
    assert caller("administrator").post(TOKENS, body).status_code == status
    assert ApiToken.objects.count() == 1


def test_a_token_that_is_not_there_is_404(caller):
    chief = caller("administrator")
    assert chief.delete(f"{TOKENS}/999999").status_code == 404
    assert chief.delete(f"{TOKENS}/{2**63}").status_code == 404


# --- the admin ---


def test_b5_29_a_person_makes_a_token_in_the_admin_and_sees_its_key_once(staff):
    client = staff(name="ada")
    assert parse(client.get(ADD).content.decode()).all("form")
    page = client.post(ADD, {"name": "laptop", "lifetime": "30"})
    key = next(field["value"] for field in parse(page.content.decode()).all("input") if "readonly" in field)
    assert call(key).json()["login"] == "ada"
    assert "no-store" in page["Cache-Control"]
    listed = client.get(LIST).content.decode()
    assert "laptop" in listed
    assert key not in listed
    assert key not in str(
        [*client.cookies.values(), *LogEntry.objects.values_list("change_message", flat=True)]
    )
    assert LogEntry.objects.get().object_repr.startswith("laptop (pk_")


@pytest.mark.parametrize("given", [{}, {"name": "", "lifetime": "30"}, {"name": "x", "lifetime": "4000"}])
def test_a_form_that_is_not_filled_in_makes_no_token(staff, given):
    page = parse(staff().post(ADD, given).content.decode())
    assert not ApiToken.objects.exists()
    assert not [field for field in page.all("input") if "readonly" in field]


def test_people_see_and_revoke_their_own_tokens_alone(staff, made):
    other = staff(name="bob")
    assert "laptop" not in other.get(LIST).content.decode()
    revoke = {"action": "revoke", "_selected_action": [made.token.pk]}
    other.post(LIST, revoke)
    assert call(made.key).status_code == 200
    chief = staff("administrator", name="chief")
    assert "laptop" in chief.get(LIST).content.decode()
    chief.post(LIST, revoke)
    assert call(made.key).status_code == 401


def test_nobody_changes_or_deletes_a_token(staff, made):
    client = staff("administrator", is_superuser=True)
    assert client.post(reverse("admin:core_apitoken_delete", args=[made.token.pk])).status_code == 403
    assert client.post(reverse("admin:core_apitoken_change", args=[made.token.pk])).status_code == 403
    assert call(made.key).status_code == 200


def test_access_rules_are_shown_to_who_manages_access_and_to_nobody_else(staff, settings, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text(
        "- issuer: https://token.actions.githubusercontent.com\n"
        "  claims: {aud: pullkeeper, repository: [octo/tools, <b>site]}\n"
        "  permissions: [read, process]\n"
        "- {issuer: 'https://kubernetes.default.svc', claims: {aud: x}, permissions: [read]}\n"
        "- {group: release, permissions: [operate]}\n"
    )
    settings.ACCESS_RULES_FILE = str(path)
    rules = reverse("admin:core_apiaccess_changelist")
    seen = parse(staff("administrator").get(rules).content.decode())
    assert "repository: <b>site or octo/tools" in seen.text
    assert "process, read" in seen.text
    assert "no: the issuer answers inside a Kubernetes cluster" in seen.text
    assert "release operate" in seen.text
    assert staff("operator").get(rules).status_code == 403
