"""What the existing dashboard relies on: escaped strings, dates in its zone, bodies of any kind."""

from __future__ import annotations

import html
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from core.api.existing_client import EscapedJson, client_date, zone_of
from core.api.serializers import LenientSerializer

NOON = datetime(2026, 7, 1, 12, 0, 5, tzinfo=UTC)


def shown(**headers):
    names = {"zone": "X-Timezone", "offset": "X-Timezone-Offset"}
    asked = {names[name]: value for name, value in headers.items()}
    return client_date(NOON, zone_of(Request(APIRequestFactory().get("/", headers=asked))))


@pytest.mark.parametrize(
    "headers, date",
    [
        ({}, "2026-07-01 12:00:05"),
        ({"zone": "Europe/Berlin"}, "2026-07-01 14:00:05"),
        ({"zone": "Asia/Kolkata", "offset": "+01:00"}, "2026-07-01 17:30:05"),
        ({"offset": "+01:00"}, "2026-07-01 13:00:05"),
        ({"offset": "+0100"}, "2026-07-01 13:00:05"),
        ({"offset": "-09:30"}, "2026-07-01 02:30:05"),
        ({"offset": "+14:00"}, "2026-07-02 02:00:05"),
        ({"zone": "Nowhere/Land", "offset": "+01:00"}, "2026-07-01 13:00:05"),
        ({"zone": "  ", "offset": "-01:00"}, "2026-07-01 11:00:05"),
    ],
)
def test_dates_are_in_the_zone_that_the_client_names(headers, date):
    assert shown(**headers) == date


@pytest.mark.parametrize(
    "headers",
    [
        *(
            {"zone": zone}
            for zone in ("x", "../../etc/passwd", "/etc/passwd", "Europe", "\x00", "é", "a" * 5000, "UTC\n")
        ),
        *(
            {"offset": offset}
            for offset in (
                "1",
                "+1",
                "+99:00",
                "+15:00",
                "+01:60",
                "+01:00x",
                "+\u0660\u0661:\u0660\u0660",
                "--100",
            )
        ),
    ],
)
def test_a_senseless_zone_is_utc_and_never_an_error(headers):
    assert shown(**headers) == "2026-07-01 12:00:05"


def test_no_date_stays_none():
    assert client_date(None, UTC) is None


def test_f37_every_string_is_escaped_once_and_everything_else_stays():
    data = {
        "title": '"><img src=x onerror=alert(1)>',
        "ref": "<svg/onload=1>",
        "nothing": None,
        "number": 5,
        "yes": True,
        "rows": [["a & b", 1], ("'", None)],
        "deep": {"x": [{"y": "</script>"}]},
    }
    rendered = EscapedJson().render(data).decode()
    assert "<" not in rendered
    assert json.loads(rendered) == {
        "title": "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;",
        "ref": "&lt;svg/onload=1&gt;",
        "nothing": None,
        "number": 5,
        "yes": True,
        "rows": [["a &amp; b", 1], ["&#x27;", None]],
        "deep": {"x": [{"y": "&lt;/script&gt;"}]},
    }


@given(text=st.text(st.sampled_from("ab\\\"'<>&\n\x00/é\u2028"), max_size=12))
def test_a_string_of_any_characters_leaves_as_html_escape_says(text):
    rendered = EscapedJson().render({"rows": [[text, "next"]], "more": text})
    assert json.loads(rendered) == {"rows": [[html.escape(text), "next"]], "more": html.escape(text)}


class Given(LenientSerializer):
    sequence = serializers.IntegerField()


@pytest.mark.parametrize(
    "body, value",
    [
        ({"sequence": "7"}, 7),
        ({"sequence": 7, "more": 1}, 7),
        ({}, None),
        ({"sequence": "x"}, None),
        ({"sequence": None}, None),
        ({"sequence": [1]}, None),
        (None, None),
        ([], None),
    ],
)
def test_input_of_the_existing_client_is_never_refused(body, value):
    read = Given(data=body if body is not None else {})
    assert read.is_valid()
    assert read.validated_data == {"sequence": value}
