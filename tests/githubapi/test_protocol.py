from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import subprocess
import sys
import uuid
from urllib.parse import quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from githubapi import protocol
from githubapi.protocol import (
    BadEnvelope,
    BadSignature,
    decode_payload,
    parse_envelope,
    sign,
    verify_signature,
)

SECRET = "It's a Secret to Everybody"
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
FORM = "application/x-www-form-urlencoded"

# F22: bytes that a careless receiver changes before it signs them.
RAW_BODIES = (
    b'{"title":"caf\\u00e9"}',
    '{"title":"\N{ROCKET} caf\u00e9"}'.encode(),
    b'{"n": 1.0, "m":1e2}',
    b'{\r\n  "a" : 1\r\n}\r\n',
    b"",
    b"\xff\xfe\x00",
)


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"X-Hub-Signature-256": sign(body, secret)}


def reason_of(body: bytes, headers: dict[str, str], secrets: list[str]) -> str:
    with pytest.raises(BadSignature) as caught:
        verify_signature(body, headers, secrets)
    return caught.value.reason


# https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
def test_githubs_published_vector():
    assert (
        sign(b"Hello, World!", SECRET)
        == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    )


@pytest.mark.parametrize("body", RAW_BODIES)
def test_f22_raw_bytes_verify_and_their_re_encoding_does_not(body):
    verify_signature(body, signed(body), [SECRET])
    assert reason_of(body + b" ", signed(body), [SECRET]) == "wrong"


def test_f22_parsing_and_dumping_a_body_again_breaks_its_signature():
    body = b'{"title":"caf\\u00e9","n":1.0}'
    again = json.dumps(json.loads(body)).encode()
    assert reason_of(again, signed(body), [SECRET]) == "wrong"


def test_f22_old_and_new_secret_both_pass_while_both_are_set_and_a_third_never_does():
    for secret in ("old", "new"):
        verify_signature(b"{}", signed(b"{}", secret), ["old", "new"])
    assert reason_of(b"{}", signed(b"{}", "third"), ["old", "new"]) == "wrong"
    assert reason_of(b"{}", signed(b"{}", "old"), ["new"]) == "wrong"


@pytest.mark.parametrize("secrets", [[], [""], ["", ""]])
def test_f22_an_empty_secret_or_none_never_matches(secrets):
    by_nobody = {"X-Hub-Signature-256": "sha256=" + hmac.digest(b"", b"{}", "sha256").hex()}
    assert reason_of(b"{}", by_nobody, secrets) == "wrong"


def test_an_empty_secret_beside_a_real_one_is_skipped():
    verify_signature(b"{}", signed(b"{}"), ["", SECRET])
    by_nobody = {"X-Hub-Signature-256": "sha256=" + hmac.digest(b"", b"{}", "sha256").hex()}
    assert reason_of(b"{}", by_nobody, ["", SECRET]) == "wrong"


def sha1(body: bytes) -> str:
    return "sha1=" + hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()


@pytest.mark.parametrize(
    "headers,reason",
    [
        ({}, "missing"),
        ({"X-Hub-Signature-256": ""}, "missing"),
        ({"X-Hub-Signature-256": "  "}, "missing"),
        ({"X-Hub-Signature": sha1(b"{}")}, "sha1_only"),
        ({"X-Hub-Signature": sha1(b"{}"), "X-Hub-Signature-256": ""}, "sha1_only"),
        ({"X-Hub-Signature-256": sha1(b"{}")}, "malformed"),
        ({"X-Hub-Signature-256": "sha256="}, "malformed"),
        ({"X-Hub-Signature-256": sign(b"{}", SECRET)[:-1]}, "malformed"),
        ({"X-Hub-Signature-256": sign(b"{}", SECRET) + "0"}, "malformed"),
        ({"X-Hub-Signature-256": sign(b"{}", SECRET).removeprefix("sha256=")}, "malformed"),
        ({"X-Hub-Signature-256": "sha256=" + "g" * 64}, "malformed"),
        ({"X-Hub-Signature-256": "sha256=" + "é" * 64}, "malformed"),
        ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, "wrong"),
    ],
)
def test_f22_what_is_not_a_signature_is_refused_with_its_reason(headers, reason):
    assert reason_of(b"{}", headers, [SECRET]) == reason


def test_a_refusal_is_a_sentence_without_digest_or_secret():
    for headers in ({}, signed(b"other"), {"X-Hub-Signature": sha1(b"{}")}, {"X-Hub-Signature-256": "?"}):
        with pytest.raises(BadSignature) as caught:
            verify_signature(b"{}", headers, [SECRET])
        text = str(caught.value)
        assert text.endswith(".")
        assert SECRET not in text
        assert sign(b"{}", SECRET).removeprefix("sha256=") not in text


@pytest.mark.parametrize("name", ["x-hub-signature-256", "X-HUB-SIGNATURE-256", "X-Hub-Signature-256"])
def test_header_names_compare_as_https_do(name):
    verify_signature(b"{}", {name: sign(b"{}", SECRET)}, [SECRET])


def envelope(**changes: str | None) -> dict[str, str]:
    headers = {
        "X-GitHub-Delivery": GUID,
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Hook-ID": "292430182",
        "X-GitHub-Hook-Installation-Target-ID": "79929171",
        "X-GitHub-Hook-Installation-Target-Type": "repository",
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in headers.items() if value is not None}


def test_the_envelope_is_read_from_the_headers():
    read = parse_envelope({name.lower(): value for name, value in envelope().items()})
    assert (read.guid, read.event) == (uuid.UUID(GUID), "pull_request")
    assert (read.hook_id, read.target_id, read.target_type) == (292430182, 79929171, "repository")


@pytest.mark.parametrize(
    "changes,reason",
    [
        ({"X-GitHub-Delivery": None}, "missing_guid"),
        ({"X-GitHub-Delivery": ""}, "missing_guid"),
        ({"X-GitHub-Delivery": "1"}, "bad_guid"),
        ({"X-GitHub-Delivery": GUID + "0"}, "bad_guid"),
        ({"X-GitHub-Delivery": "{" + GUID + "}"}, "bad_guid"),
        ({"X-GitHub-Delivery": "1_2d3162e-cc78-11e3-81ab-4c9367dc0958"}, "bad_guid"),
        ({"X-GitHub-Event": None}, "missing_event"),
        ({"X-GitHub-Event": ""}, "missing_event"),
        ({"X-GitHub-Event": "Pull Request"}, "bad_event"),
        ({"X-GitHub-Event": "push\x00"}, "bad_event"),
        ({"X-GitHub-Event": "a" * 51}, "bad_event"),
    ],
)
def test_an_envelope_without_sense_is_refused_with_its_reason(changes, reason):
    with pytest.raises(BadEnvelope) as caught:
        parse_envelope(envelope(**changes))
    assert caught.value.reason == reason
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "text,number",
    [
        (None, 0),
        ("", 0),
        ("0", 0),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 0),
        ("9" * 5000, 0),
        ("-1", 0),
        ("+1", 0),
        ("1_0", 0),
        ("1.0", 0),
        ("٣", 0),
        ("hook", 0),
    ],
)
def test_a_senseless_hook_id_is_zero_and_no_reason_to_refuse(text, number):
    assert parse_envelope(envelope(**{"X-GitHub-Hook-ID": text})).hook_id == number


def test_the_target_type_may_be_absent_and_is_cut():
    assert parse_envelope(envelope(**{"X-GitHub-Hook-Installation-Target-Type": None})).target_type == ""
    long = parse_envelope(envelope(**{"X-GitHub-Hook-Installation-Target-Type": "x" * 51}))
    assert long.target_type == "x" * 50


ODD_TEXT = {"title": "100% +1 & é = \N{ROCKET}; a=b&payload=c %41", "n": 1.5}


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", "Application/JSON", "", "text/plain"],
)
def test_f25_a_json_body_is_read_whatever_its_content_type_says_beside(content_type):
    assert decode_payload(json.dumps(ODD_TEXT).encode(), content_type) == ODD_TEXT


@pytest.mark.parametrize("content_type", [FORM, FORM + "; charset=utf-8", "", "text/plain"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_f25_a_form_body_gives_back_percent_plus_and_accents(content_type, ascii_only):
    text = json.dumps(ODD_TEXT, ensure_ascii=ascii_only)
    assert decode_payload(urlencode({"payload": text}).encode(), content_type) == ODD_TEXT


def test_f25_the_payload_field_need_not_come_first():
    body = b"xpayload=no&payload=%7B%22a%22%3A1%7D&other=2"
    assert decode_payload(body, FORM) == {"a": 1}


def test_f25_a_form_larger_than_one_piece_is_read_whole(monkeypatch):
    monkeypatch.setattr(protocol, "_FORM_PIECE", 7)
    text = json.dumps(ODD_TEXT, ensure_ascii=False)
    assert decode_payload(b"payload=" + quote_plus(text).encode(), FORM) == ODD_TEXT


@given(st.dictionaries(st.text(), st.text()), st.integers(min_value=4, max_value=40))
def test_f25_any_object_survives_the_form_in_pieces_of_any_size(payload, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "_FORM_PIECE", piece)
        body = urlencode({"payload": json.dumps(payload)}).encode()
        assert decode_payload(body, FORM) == payload


def test_f25_a_form_of_many_megabytes_is_read_in_one_pass():
    payload = {"commits": [{"message": '"&+%é' * 2000} for _ in range(200)]}
    body = urlencode({"payload": json.dumps(payload, ensure_ascii=False)}).encode()
    assert len(body) > 2 * 1024 * 1024
    assert decode_payload(body, FORM) == payload


@pytest.mark.parametrize(
    "body,content_type,reason",
    [
        (b"", "application/json", "not_json"),
        (b"{", "application/json", "not_json"),
        (b"{} {}", "application/json", "not_json"),
        (b'{"a":"\xff"}', "application/json", "not_json"),
        ('{"a":1}'.encode("utf-16"), "application/json", "not_json"),
        (b'{"a":NaN}', "application/json", "not_json"),
        (b'{"a":-Infinity}', "application/json", "not_json"),
        (b'{"a":' + b"9" * 5000 + b"}", "application/json", "not_json"),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "application/json", "not_json"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "application/json", "not_json"),
        (b"[]", "application/json", "not_an_object"),
        (b"null", "application/json", "not_an_object"),
        (b'"payload"', "application/json", "not_an_object"),
        (b"", FORM, "bad_form"),
        (b"{}", FORM, "bad_form"),
        (b"payloads=%7B%7D", FORM, "bad_form"),
        (b"payload=", FORM, "not_json"),
        (b"payload=%7B%", FORM, "not_json"),
        (b"payload=%FF", FORM, "not_json"),
        (b"payload=%5B%5D", FORM, "not_an_object"),
        (b"payload=%7B%7D", "application/json", "not_json"),
    ],
)
def test_an_unreadable_body_is_refused_with_its_reason(body, content_type, reason):
    with pytest.raises(BadEnvelope) as caught:
        decode_payload(body, content_type)
    assert caught.value.reason == reason
    assert str(caught.value).endswith(".")


def test_a_lone_surrogate_is_json_and_left_to_whoever_stores_it():
    assert decode_payload(b'{"title":"\\ud83d"}', "application/json") == {"title": "\ud83d"}


@given(st.binary(max_size=200), st.sampled_from(["application/json", FORM, ""]))
def test_no_bytes_raise_anything_but_bad_envelope(body, content_type):
    with contextlib.suppress(BadEnvelope):
        assert isinstance(decode_payload(body, content_type), dict)


def test_the_limits_are_githubs():
    assert (protocol.JSON_LIMIT, protocol.FORM_LIMIT) == (25 * 1024 * 1024, 75 * 1024 * 1024)


def test_the_module_needs_neither_django_nor_an_http_client():
    code = (
        "import sys, githubapi.protocol; "
        "print([m for m in ('django', 'requests', 'http.client', 'github') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
