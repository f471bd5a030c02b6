"""Links to GitHub, built from parts of ours. An address that came in a payload is never made a link. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

GITHUB = "https://github.com"
# "owner/name#12", "owner/name/12", "owner/name 12", or the address of its page on GitHub with whatever follows.
_NAMED = re.compile(r"(?:https?://[^/\s]+/)?([^/\s#]+)/([^/\s#]+)(?:/pull/|/|#|\s+#?)(\d{1,19})(?:[/?#].*)?")
LARGEST = 2**63 - 1


def github_url(*parts: object, fragment: str = "") -> str:
    """Return the https address of path parts, each quoted whole; "" when one is empty or dots."""
    texts = [str(part) for part in parts]
    if any(text in {"", ".", ".."} for text in texts):
        return ""
    path = "/".join(quote(text, safe="") for text in texts)
    return f"{GITHUB}/{path}" + (f"#{quote(fragment, safe='')}" if fragment else "")


@dataclass(frozen=True)
class Address:
    """A pull request as people call it."""

    owner: str
    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}#{self.number}"


def read_address(text: str) -> Address | None:
    """Return the pull request that somebody typed or pasted ("octo/tools#7", its GitHub page); None when it is none."""
    found = _NAMED.fullmatch(text.strip())
    if found is None or int(found[3]) > LARGEST:
        return None
    return Address(found[1], found[2], int(found[3]))


def has_page(owner: str, name: str) -> bool:
    """Tell whether names can stand in the address of a page of ours: browsers swallow dots, and a slash divides."""
    return all(part and part not in {".", ".."} and "/" not in part for part in (owner, name))


def repository_url(owner: str, name: str) -> str:
    return github_url(owner, name)


def pull_request_url(owner: str, name: str, number: int) -> str:
    return github_url(owner, name, "pull", number)


def account_url(login: str) -> str:
    return github_url(login)
