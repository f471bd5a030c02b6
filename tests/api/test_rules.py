"""The access rules file: what it may say, and what a token or a group gets by it."""

from __future__ import annotations

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from core.access.loading import access_rules
from core.access.rules import BadRules, read_rules
from core.access.values import Permission

ACTIONS = "https://token.actions.githubusercontent.com"
LAPTOP = "http://127.0.0.1:8000"
RULE = {"issuer": ACTIONS, "claims": {"aud": "pullkeeper"}, "permissions": ["read"]}


def rules(*entries, public_url=LAPTOP, in_cluster=False):
    return read_rules(list(entries), public_url=public_url, in_cluster=in_cluster)


def granted(claims, **conditions):
    return rules(RULE | {"claims": {"aud": "pullkeeper", **conditions}}).for_token(
        ACTIONS, {"aud": "pullkeeper", **claims}
    )


@pytest.mark.parametrize(
    "condition, claim, fits",
    [
        ("octo/tools", "octo/tools", True),
        ("octo/tools", "Octo/TOOLS", True),
        ("octo/tools", "octo/tools2", False),
        (["a", "octo/tools"], "octo/tools", True),
        (["a", "b"], "octo/tools", False),
        (42, "42", True),
        ("42", 42, True),
        (True, "TRUE", True),
        ("false", False, True),
        ("a", ["b", "A"], True),
        ("a", ["b"], False),
        ("a", {"a": 1}, False),
        ("none", None, False),
    ],
)
def test_b5_22_claims_are_compared_as_lower_case_words_and_lists_mean_any(condition, claim, fits):
    assert bool(granted({"repository": claim}, repository=condition)) is fits


def test_b5_22_all_conditions_must_hold():
    conditions = {"repository": "octo/tools", "ref": "refs/heads/main"}
    assert granted({"repository": "octo/tools", "ref": "refs/heads/main"}, **conditions)
    assert not granted({"repository": "octo/tools", "ref": "refs/heads/x"}, **conditions)
    assert not granted({"repository": "octo/tools"}, **conditions)


def test_b5_22_permissions_of_all_matching_rules_add_up():
    both = rules(RULE, RULE | {"permissions": ["process"]})
    assert both.for_token(ACTIONS, {"aud": "pullkeeper"}) == {Permission.READ, Permission.PROCESS}


def test_b5_22_another_issuer_with_the_same_claims_gets_nothing():
    assert not rules(RULE).for_token(
        "https://token.actions.githubusercontent.com.evil.example", {"aud": "pullkeeper"}
    )


def test_b5_25_a_group_rule_gives_to_members_alone():
    found = rules({"group": "release", "permissions": ["operate"]})
    assert found.for_groups(["release", "x"]) == {Permission.OPERATE}
    assert not found.for_groups(["Release2"])


@pytest.mark.parametrize(
    "entries, sentence",
    [
        ({"rules": []}, "must be a list"),
        (None, "must be a list"),
        ([RULE, "x"], "Rule 2: names either"),
        ([{**RULE, "group": "g"}], "Rule 1: names either"),
        ([{"permissions": ["read"]}], "Rule 1: names either"),
        ([{**RULE, "claims": {"repository": "octo/tools"}}], "Rule 1: claims must name aud"),
        ([{"issuer": ACTIONS, "permissions": ["read"]}], "Rule 1, claims: Field required."),
        ([{**RULE, "claims": {"aud": []}}], "Rule 1, claims.aud: takes a text"),
        ([{**RULE, "claims": {"aud": {"a": 1}}}], "Rule 1, claims.aud: takes a text"),
        ([{**RULE, "claims": {"aud": ""}}], "Rule 1, claims.aud: takes a text"),
        ([{**RULE, "claims": {"aud": "x", "ref": None}}], "Rule 1, claims.ref: takes a text"),
        ([{**RULE, "permissions": []}], "Rule 1, permissions:"),
        ([{**RULE, "permissions": ["write"]}], "Rule 1, permissions.0: Input should be 'read'"),
        ([{**RULE, "claim": {}}], "Rule 1, claim: there is no such member."),
        ([{**RULE, "issuer": "http://issuer.example"}], "must begin with https://"),
        ([{**RULE, "issuer": "k8s"}], "Rule 1, issuer: takes an address"),
        ([{**RULE, "issuer": "https://user:pw@issuer.example"}], "takes an address without user"),
        ([{**RULE, "issuer": "https://["}], "is no address"),
        ([{"group": "", "permissions": ["read"]}], "Rule 1, group:"),
        ([{"group": "g", "permissions": ["read"], "claims": {}}], "Rule 1, claims: there is no such member."),
    ],
)
def test_b5_20_a_mistake_is_named_with_its_rule(entries, sentence):
    with pytest.raises(BadRules) as refused:
        read_rules(entries, public_url=LAPTOP, in_cluster=False)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "issuer, public_url, in_cluster, skipped",
    [
        ("http://127.0.0.1:9000", LAPTOP, False, False),
        ("http://localhost:9000", LAPTOP, False, False),
        ("http://[::1]:9000", LAPTOP, False, False),
        ("http://127.0.0.1:9000", "https://pullkeeper.example", False, True),
        ("https://kubernetes.default.svc", LAPTOP, False, True),
        ("https://kubernetes.default.svc.cluster.local", "https://pullkeeper.example", True, False),
        (ACTIONS, LAPTOP, False, False),
        (ACTIONS, "https://pullkeeper.example", True, False),
    ],
)
def test_b5_28_a_rule_whose_issuer_cannot_exist_here_is_skipped_with_its_reason(
    issuer, public_url, in_cluster, skipped
):
    found = rules(RULE | {"issuer": issuer}, public_url=public_url, in_cluster=in_cluster)
    assert found.knows(issuer) is not skipped
    assert bool(found.skipped) is skipped
    assert all(rule.reason for rule in found.skipped)


@pytest.fixture
def rules_file(tmp_path, settings):
    def write(text):
        path = tmp_path / "rules.yaml"
        path.write_text(text if isinstance(text, str) else yaml.safe_dump(text))
        settings.ACCESS_RULES_FILE = str(path)
        return path

    return write


def test_b5_20_a_good_file_is_read_and_no_file_means_no_rules(rules_file, settings):
    rules_file([RULE, {"group": "g", "permissions": ["read"]}])
    assert access_rules().knows(ACTIONS)
    settings.ACCESS_RULES_FILE = ""
    assert not access_rules().issuers


@pytest.mark.parametrize("text", ["- {issuer: [", "\t- a", "!!python/object:os.system {}", "- group: g\n"])
def test_b5_20_a_bad_file_stops_the_start_with_a_sentence_that_names_it(rules_file, text):
    path = rules_file(text)
    with pytest.raises(ImproperlyConfigured, match="ACCESS_RULES_FILE") as refused:
        access_rules()
    assert str(path) in str(refused.value)
    with pytest.raises(SystemCheckError, match=r"core\.E020"):
        call_command("check")


def test_b5_20_a_file_that_is_not_there_stops_the_start(settings, tmp_path):
    settings.ACCESS_RULES_FILE = str(tmp_path / "none.yaml")
    with pytest.raises(ImproperlyConfigured, match="cannot be read: FileNotFound"):
        access_rules()
