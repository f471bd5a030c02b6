"""Every endpoint, called by everybody: as nobody, and in every role by token, session and JWT."""

from __future__ import annotations

import jwt
import pytest
import yaml
from rest_framework.test import APIClient

from core import registry
from core.access.values import ROLES
from core.api.authentication import BearerAuthentication
from core.setting_specs import READS_PER_MINUTE, WRITES_PER_MINUTE
from sandbox.issuer import Issuer
from tests.api.surface import calls, needed, patterns

CALLS = calls()


@pytest.fixture(scope="module")
def issuer():
    with Issuer() as made:
        yield made


@pytest.fixture
def issuer_rules(issuer, settings, monkeypatch, tmp_path):
    """Return an issuer whose environments are our roles."""
    rules = [
        {
            "issuer": issuer.url,
            "claims": {"aud": "us", "environment": role},
            "permissions": [str(p) for p in held],
        }
        for role, held in ROLES.items()
    ]
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump(rules))
    settings.ACCESS_RULES_FILE = str(path)
    key = jwt.PyJWK.from_dict(issuer.published_keys()["keys"][0])
    monkeypatch.setattr(BearerAuthentication.keys, "key", lambda *_: key)
    return issuer


@pytest.fixture
def signed_in(caller, user_with, issuer_rules):
    """Return a function that makes a client of a role by a means."""
    for spec in (READS_PER_MINUTE, WRITES_PER_MINUTE):
        registry.write(spec, "100000")

    def make(role, means):
        if means == "token":
            return caller(role)
        client = APIClient()
        if means == "session":
            client.force_login(user_with(role))
        if means == "jwt":
            token = issuer_rules.token(aud="us", environment=role)
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        return client

    return make


def test_the_search_finds_the_endpoints():
    found = {str(call) for call in CALLS}
    assert {"GET api/v1/workers", "POST api/v1/workers/<str:name>/run", "GET api/v1/me"} <= found


def test_every_endpoint_has_both_forms_of_its_path():
    routes = {call.route for call in CALLS}
    assert {route.rstrip("/") for route in routes} == {route for route in routes if not route.endswith("/")}
    assert {f"{route.rstrip('/')}/" for route in routes} == {route for route in routes if route.endswith("/")}


def test_names_of_endpoints_are_unique():
    names = [pattern.name for _, pattern in patterns() if pattern.name]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_each_endpoint_asks_for_the_permission_of_its_kind(call):
    assert call.view.permissions.get(call.method.upper(), "admin") == needed(call)


def test_nobody_gets_anything_without_credentials(db):
    client = APIClient()
    answers = {str(call): getattr(client, call.method)(call.path) for call in CALLS}
    assert {name: answer.status_code for name, answer in answers.items() if answer.status_code != 401} == {}
    assert {answer["Content-Type"] for answer in answers.values()} == {"application/problem+json"}


@pytest.mark.parametrize("means", ["token", "session", "jwt"])
@pytest.mark.parametrize("role", ["", *ROLES])
def test_every_role_may_do_what_it_holds_and_nothing_else(signed_in, role, means):
    client = signed_in(role, means)
    # A JWT that no rule matches is nobody's.
    refused = 401 if means == "jwt" and not role else 403
    wrong = {}
    for call in CALLS:
        status = getattr(client, call.method)(call.path).status_code
        allowed = needed(call) in ROLES.get(role, ())
        fits = (status not in {401, 403} and status < 500) if allowed else status == refused
        if not fits:
            wrong[str(call)] = status
    assert wrong == {}
