"""Reading a payload that may lack anything: tolerant where a rule can do without, plain where it cannot.

GitHub's payloads differ between versions and senders, and any member may be null. Rules read few members; each is asked
for by its dotted path and comes back as a value that fits its column, as None, or as Unusable. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

LARGEST_ID = 2**63 - 1
# What a TIMESTAMP column holds; attackers may sign nothing, but a commit or a repository can carry any date.
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
LATEST = datetime(2038, 1, 1, tzinfo=UTC)
CUT_MARK = "…"
# A MariaDB text column counts bytes, and a character takes up to four.
SHORT_TEXT_BYTES = 65_535
MEDIUM_TEXT_BYTES = 1_000_000


class Unusable(Exception):
    """The payload lacks what its rule needs; the message says which member and why."""


class Payload:
    """One JSON object of a Delivery."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def get(self, path: str) -> Any:
        """Return the member at a dotted path, None when anything on the way is missing, null or no object."""
        value: Any = self.data
        for name in path.split("."):
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    def object(self, path: str) -> Payload | None:
        """Return the object at the path."""
        value = self.get(path)
        return Payload(value) if isinstance(value, dict) else None

    def objects(self, path: str) -> Iterator[Payload]:
        """Return the objects of the list at the path; anything else in it is passed over."""
        value = self.get(path)
        return (
            (Payload(item) for item in value if isinstance(item, dict))
            if isinstance(value, list)
            else iter(())
        )

    def text(self, path: str, limit: int = 250) -> str:
        """Return text of at most `limit` characters that any column can hold; "" when there is none."""
        return cut(clean(self.get(path)), limit)

    def long_text(self, path: str, limit: int = SHORT_TEXT_BYTES) -> str:
        """Return text of at most `limit` bytes, for a text column."""
        return cut_bytes(clean(self.get(path)), limit)

    def name(self, path: str, limit: int = 250) -> str:
        """Return a name or identifier: text without white space at its end, which MariaDB would ignore."""
        return self.text(path, limit).rstrip()

    def needed_name(self, path: str, limit: int = 250) -> str:
        """Return a name that must be there; raises Unusable."""
        if not (value := self.name(path, limit)):
            raise Unusable(f"{path} is missing or no text.")
        return value

    def id(self, path: str) -> int | None:
        """Return an id that a column can hold, else None."""
        value = self.get(path)
        return value if type(value) is int and 1 <= value <= LARGEST_ID else None

    def needed_id(self, path: str) -> int:
        """Return an id that must be there; raises Unusable."""
        if (value := self.id(path)) is None:
            raise Unusable(f"{path} is not a whole number from 1 to {LARGEST_ID}.")
        return value

    def flag(self, path: str) -> bool | None:
        """Return a boolean, None when GitHub does not say."""
        value = self.get(path)
        return value if isinstance(value, bool) else None

    def instant(self, path: str) -> datetime | None:
        """Return an instant that a TIMESTAMP holds, in UTC and whole seconds; None for any other."""
        value = self.any_instant(path)
        return value if value and EARLIEST <= value <= LATEST else None

    def any_instant(self, path: str) -> datetime | None:
        """Return an ISO 8601 instant of any year, in UTC and whole seconds."""
        value = self.get(path)
        if not isinstance(value, str):
            return None
        try:
            instant = datetime.fromisoformat(value)
            aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
            return aware.astimezone(UTC).replace(microsecond=0)
        except (ValueError, OverflowError):
            return None


def clean(value: Any) -> str:
    """Return text that every database and form accepts: lone surrogates and NUL become the replacement mark."""
    if not isinstance(value, str):
        return ""
    if value.isascii() and "\0" not in value:
        return value
    whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def cut(text: str, limit: int) -> str:
    """Cut text to a number of characters, with a mark at the end."""
    return text if len(text) <= limit else text[: limit - 1] + CUT_MARK


def cut_bytes(text: str, limit: int) -> str:
    """Cut text to a number of UTF-8 bytes between two characters, with a mark at the end."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    return raw[: limit - len(CUT_MARK.encode())].decode(errors="ignore") + CUT_MARK
