"""The pretended issuer of OIDC tokens, driven over HTTP as from another process."""

from __future__ import annotations

import threading

import jwt
import pytest
import requests

from sandbox.issuer import FAULTS, LIFETIME, Issuer


@pytest.fixture(scope="module")
def issuer():
    with Issuer() as made:
        threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def drive(issuer):
    def post(what, **given):
        return requests.post(f"{issuer.url}/_sandbox/{what}", json=given, timeout=5)

    yield post
    issuer.fault = ""


def published(issuer):
    document = requests.get(f"{issuer.url}/.well-known/openid-configuration", timeout=5).json()
    return requests.get(document["jwks_uri"], timeout=5).json()["keys"]


def read(issuer, token):
    (key,) = published(issuer)
    return jwt.decode(token, jwt.PyJWK.from_dict(key), algorithms=["RS256"], audience="us", issuer=issuer.url)


def test_a_token_is_signed_by_the_published_key_and_says_what_was_asked_for(issuer, drive):
    token = drive("token", aud="us", ref="refs/heads/x", environment=None).json()["value"]
    claims = read(issuer, token)
    assert claims["ref"] == "refs/heads/x"
    assert claims["repository"] == "octo/tools"
    assert claims["exp"] - claims["iat"] == LIFETIME
    assert "environment" not in claims


def test_after_a_rotation_only_the_new_key_is_published(issuer, drive):
    old = drive("token", aud="us").json()["value"]
    kid = drive("rotate").json()["kid"]
    assert [key["kid"] for key in published(issuer)] == [kid]
    with pytest.raises(jwt.InvalidSignatureError):
        read(issuer, old)


@pytest.mark.parametrize("fault", sorted(FAULTS - {"", "closed", "no keys"}))
def test_a_fault_spoils_the_discovery_until_it_is_taken_back(issuer, drive, fault):
    assert drive("fault", kind=fault).status_code == 200
    answer = requests.get(f"{issuer.url}/.well-known/openid-configuration", timeout=5, allow_redirects=False)
    proper = answer.status_code == 200 and answer.text.startswith('{"issuer": "' + issuer.url)
    assert not proper
    drive("fault", kind="")
    assert len(published(issuer)) == 1


def test_a_closed_connection_and_an_unknown_fault(issuer, drive):
    assert drive("fault", kind="closed").status_code == 200
    with pytest.raises(requests.ConnectionError):
        published(issuer)
    assert drive("fault", kind="unheard of").status_code == 422
