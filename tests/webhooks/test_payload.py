"""Reading members that may be anything."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from webhooks.payload import CUT_MARK, LARGEST_ID, Payload, Unusable, cut, cut_bytes

P = Payload({"a": {"b": "x", "n": None, "l": [1, {"c": 2}, None]}, "s": "text", "t": True, "i": 5})


@pytest.mark.parametrize("path", ["a.n.deep", "a.missing", "s.deep", "a.l.c", "nothing"])
def test_a_member_that_is_not_there_is_none(path: str) -> None:
    assert P.get(path) is None
    assert P.text(path) == ""
    assert P.id(path) is None
    assert P.object(path) is None
    assert list(P.objects(path)) == []


@pytest.mark.parametrize("value", [0, -1, LARGEST_ID + 1, True, 1.0, "5", None, [], 10**40])
def test_an_id_that_no_column_holds_is_none_and_unusable_where_needed(value: object) -> None:
    payload = Payload({"id": value})
    assert payload.id("id") is None
    with pytest.raises(Unusable, match="id is not a whole number"):
        payload.needed_id("id")


@pytest.mark.parametrize("value", [1, LARGEST_ID])
def test_the_bounds_of_ids_are_allowed(value: int) -> None:
    assert Payload({"id": value}).id("id") == value


@pytest.mark.parametrize(
    "text, instant",
    [
        ("2026-03-01T12:00:05Z", datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)),
        ("2026-03-01T12:00:05.999+02:00", datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)),
        ("2026-03-01T12:00:05", datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)),
        ("2039-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+10:00", None),
        ("yesterday", None),
        ("", None),
        (5, None),
    ],
)
def test_an_instant_fits_a_timestamp_or_is_none(text: object, instant: datetime | None) -> None:
    assert Payload({"at": text}).instant("at") == instant


def test_text_is_cut_between_characters_with_a_mark() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == f"abcde{CUT_MARK}"
    assert cut_bytes("ééééé", 10) == "ééééé"
    assert cut_bytes("éééééé", 10) == f"ééé{CUT_MARK}"


def test_halves_of_characters_and_nul_become_the_replacement_mark() -> None:
    assert Payload({"t": "a\ud83db\0c"}).text("t") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"
    assert Payload({"t": "\ud83d\udc68"}).text("t") == "\N{MAN}"


def test_names_lose_the_white_space_that_mariadb_would_ignore() -> None:
    assert Payload({"n": " main  "}).name("n") == " main"
