"""Tokens of other issuers: a workflow of GitHub Actions calls with its own OIDC token and no stored secret."""

from __future__ import annotations

import base64
import gzip
import hmac
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from core.access.keys import PAUSE, STALE, TTL, KeyStore
from core.api.authentication import BearerAuthentication
from sandbox.issuer import Issuer

PATH = "/api/v1/passes"
AUDIENCE = "https://pullkeeper.example"
CLAIMS = {"aud": AUDIENCE, "repository": ["octo/tools", "octo/site"], "ref": "refs/heads/main"}


class Watch:
    """The clock of a key store, moved by the test."""

    def __init__(self):
        self.seconds = 1_000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def watch(monkeypatch):
    made = Watch()
    monkeypatch.setattr(BearerAuthentication, "keys", KeyStore(made))
    return made


@pytest.fixture(scope="module")
def served():
    """One issuer for all tests: its keys take their time to make."""
    with Issuer() as made:
        threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def issuer(served):
    served.fault = ""
    served.asked.clear()
    return served


@pytest.fixture(scope="module")
def forger():
    """Whoever has a key of their own, and can name it as they like."""
    with Issuer() as made:
        yield made


@pytest.fixture
def call(db, issuer, watch, settings, tmp_path):
    """Return a function that calls the API with a token and returns the answer; the rules trust the issuer."""
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump([{"issuer": issuer.url, "claims": CLAIMS, "permissions": ["read"]}]))
    settings.ACCESS_RULES_FILE = str(path)

    def make(token=None, *, method="get", path=PATH, **claims):
        client = APIClient()
        client.credentials(
            HTTP_AUTHORIZATION=f"Bearer {token or issuer.token(**{'aud': AUDIENCE, **claims})}"
        )
        return getattr(client, method)(path)

    return make


def refusal(answer):
    assert answer.status_code == 401, answer.content
    return answer.json()["detail"]


def test_b5_24_a_workflow_reads_with_its_own_token(call):
    assert call().status_code == 200
    assert call(repository="octo/site").status_code == 200
    assert call(aud=["other", AUDIENCE]).status_code == 200


def test_b5_14_the_caller_is_named_by_what_was_authenticated(call):
    assert call(path="/api/v1/me").json()["name"] == "repo:octo/tools:ref:refs/heads/main (127.0.0.1)"


def test_a_token_may_do_what_its_rules_say_and_no_more(call):
    answer = call(method="post", path="/api/v1/passes/idle/runs")
    assert (answer.status_code, answer.json()["detail"]) == (403, "This needs the permission operate.")


def test_what_a_caller_without_an_account_does_is_kept_under_its_name(call, settings):
    rules = Path(settings.ACCESS_RULES_FILE)
    wider = rules.with_name("wider.yaml")
    wider.write_text(rules.read_text().replace("- read", "- read\n  - operate"))
    settings.ACCESS_RULES_FILE = str(wider)
    for _ in range(2):
        assert call(method="post", path="/api/v1/passes/idle/runs").status_code == 202
    lines = LogEntry.objects.select_related("user")
    assert {(line.user.username, line.user.is_active, line.change_message) for line in lines} == {
        (
            "(no account)",
            False,
            "asked for a run, over the API as repo:octo/tools:ref:refs/heads/main (127.0.0.1)",
        )
    }
    assert not User.objects.get(username="(no account)").has_usable_password()


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "https://other.example"},
        {"aud": []},
        {"repository": "octo/other"},
        {"repository": "octo/tools/../site"},
        {"repository": None},
        {"ref": "refs/heads/feature"},
        {"ref": "refs/tags/v1"},
        {"ref": ["x"]},
    ],
)
def test_b5_22_each_wrong_claim_is_refused(call, claims):
    assert refusal(call(**claims)) == "No access rule matches the claims of this token."


@pytest.mark.parametrize(
    "shift, claims, sentence",
    [
        ("exp", -61, "The token has expired."),
        ("exp", -50, ""),
        ("nbf", 120, "The token is not valid (ImmatureSignatureError)."),
        ("nbf", 50, ""),
        ("iat", 120, "The token is not valid (ImmatureSignatureError)."),
    ],
)
def test_the_times_of_a_token_are_checked_with_a_minute_of_leeway(call, shift, claims, sentence):
    answer = call(**{shift: int(time.time()) + claims})
    assert refusal(answer) == sentence if sentence else answer.status_code == 200


@pytest.mark.parametrize("claim", ["exp", "iat", "aud"])
def test_a_token_without_a_needed_claim_is_refused(call, claim):
    assert refusal(call(**{claim: None})) == "The token is not valid (MissingRequiredClaimError)."


def test_b5_23_an_issuer_that_no_rule_names_is_never_asked(call, issuer, forger):
    assert refusal(call(forger.token(aud=AUDIENCE))) == "No access rule is about the issuer of this token."
    assert forger.asked == issuer.asked == []


def test_a_token_that_names_our_issuer_and_is_signed_by_another_is_refused(call, issuer, forger):
    forger.kid = issuer.kid
    assert (
        refusal(call(forger.token(aud=AUDIENCE, iss=issuer.url)))
        == "The token is not valid (InvalidSignatureError)."
    )


def encoded(part):
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def unsigned(issuer, header):
    parts = [header, issuer.usual_claims() | {"aud": AUDIENCE}]
    return ".".join([*(encoded(json.dumps(part).encode()) for part in parts), ""])


def signed_with_the_public_key(issuer):
    """The old trick: the published key, taken as a shared secret."""
    pem = issuer.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    text = unsigned(issuer, {"alg": "HS256", "kid": issuer.kid})
    return text + encoded(hmac.digest(pem, text.rstrip(".").encode(), "sha256"))


def test_neither_unsigned_tokens_nor_shared_secrets_are_accepted(call, issuer):
    sentence = "The token is signed in a way that is not accepted."
    assert refusal(call(unsigned(issuer, {"alg": "none", "kid": issuer.kid}))) == sentence
    assert refusal(call(signed_with_the_public_key(issuer))) == sentence
    stripped = unsigned(issuer, {"alg": "RS256", "kid": issuer.kid})
    assert refusal(call(stripped)) == "The token is not valid (InvalidSignatureError)."


@pytest.mark.parametrize("text", ["x", "a.b.c", "..", "e30.e30.", "a" * 20_000, "ghs_secret"])
def test_what_is_no_jwt_is_refused_and_not_repeated(call, text):
    answer = call(text)
    assert refusal(answer)
    assert text not in answer.content.decode() or len(text) < 4


def test_b5_12_keys_are_found_by_discovery_and_kept(call, issuer):
    for _ in range(5):
        assert call().status_code == 200
    assert issuer.asked == ["/.well-known/openid-configuration", "/jwks"]


def test_a_rotated_key_is_found_at_once_when_the_last_question_is_a_while_ago(call, issuer, watch):
    assert call().status_code == 200
    watch.seconds += PAUSE
    issuer.rotate()
    assert call().status_code == 200
    assert issuer.asked.count("/jwks") == 2


def test_a_key_that_was_withdrawn_is_forgotten_with_the_time_to_live(call, issuer, watch):
    old = issuer.token(aud=AUDIENCE)
    assert call(old).status_code == 200
    issuer.rotate()
    watch.seconds += TTL
    assert refusal(call(old)) == f"The issuer {issuer.url} publishes no such key."


def test_made_up_key_names_do_not_make_us_hammer_the_issuer(call, issuer, forger):
    assert call().status_code == 200
    for number in range(20):
        forger.kid = f"made-up-{number}"
        assert "publishes no such key" in refusal(call(forger.token(iss=issuer.url, aud=AUDIENCE)))
    assert issuer.asked.count("/jwks") == 1
    assert call().status_code == 200


@pytest.mark.parametrize(
    "fault", ["closed", "error", "not json", "no object", "other issuer", "redirect", "huge"]
)
def test_an_issuer_that_is_away_never_locks_out_for_ever(call, issuer, watch, fault):
    issuer.fault = fault
    answer = call()
    assert (answer.status_code, answer["Retry-After"]) == (503, str(PAUSE))
    assert "cannot be had now" in answer.json()["detail"]
    issuer.fault = ""
    assert call().status_code == 503, "asked again at once: a failure is kept for a moment"
    watch.seconds += PAUSE
    assert call().status_code == 200


def test_keys_already_held_outlive_an_issuer_that_is_away(call, issuer, watch):
    assert call().status_code == 200
    issuer.fault = "closed"
    watch.seconds += TTL
    assert call().status_code == 200
    watch.seconds += STALE
    assert call().status_code == 503
    issuer.fault = ""
    watch.seconds += PAUSE
    assert call().status_code == 200


def test_an_issuer_that_publishes_nothing_for_a_while_is_asked_again(call, issuer, watch):
    issuer.fault = "no keys"
    assert "publishes no such key" in refusal(call())
    issuer.fault = ""
    watch.seconds += PAUSE
    assert call().status_code == 200


def test_threads_share_one_question(issuer):
    store = KeyStore()
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: store.key(issuer.url, issuer.kid), range(40)))
    assert len({id(key) for key in keys}) == 1
    assert issuer.asked.count("/jwks") == 1


def test_b5_30_each_decision_is_one_line_without_the_token(call, issuer, caplog):
    good, bad = issuer.token(aud=AUDIENCE), issuer.token(aud="other")
    call(good)
    call(bad)
    lines = [record.msg for record in caplog.records if record.name == "core.access"]
    assert [(line["decision"], line["means"]) for line in lines] == [("granted", "jwt"), ("refused", "none")]
    assert lines[1]["reason"] == "No access rule matches the claims of this token."
    everything = str([record.__dict__ for record in caplog.records])
    assert good.split(".")[2] not in everything
    assert bad.split(".")[2] not in everything


def test_b5_30_each_decision_is_an_object_of_the_audit(call, issuer, settings, tmp_path):
    settings.AUDIT_FOLDER = str(tmp_path)
    tokens = issuer.token(aud=AUDIENCE), issuer.token(aud="other")
    for token in tokens:
        call(token)
    objects = [json.loads(gzip.decompress(path.read_bytes())) for path in tmp_path.rglob("auth-*.json.gz")]
    seen = {(each["kind"], each["decision"], each["means"]) for each in objects}
    assert seen == {("access", "granted", "jwt"), ("access", "refused", "none")}
    assert {each["needs"] for each in objects} == {"read"}
    assert not [each for each in objects for token in tokens if token.split(".")[2] in str(each)]


def test_an_audit_that_cannot_be_written_lets_nobody_in_or_out(call, settings, tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    settings.AUDIT_FOLDER = str(blocked)
    assert call().status_code == 200


def test_b5_25_a_group_rule_adds_to_what_a_user_of_ours_may(caller, user_with, settings, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("- {group: release, permissions: [operate]}\n")
    settings.ACCESS_RULES_FILE = str(path)
    client = caller("viewer", name="ada")
    assert client.post("/api/v1/passes/idle/runs").status_code == 403
    User.objects.get(username="ada").groups.add(Group.objects.create(name="release"))
    assert client.post("/api/v1/passes/idle/runs").status_code == 202
