"""Links to GitHub, built from parts of ours. An address that came in a payload is never made a link. Pure."""

from __future__ import annotations

from urllib.parse import quote

GITHUB = "https://github.com"


def github_url(*parts: object, fragment: str = "") -> str:
    """Return the https address of path parts, each quoted whole; "" when one is empty or dots."""
    texts = [str(part) for part in parts]
    if any(text in {"", ".", ".."} for text in texts):
        return ""
    path = "/".join(quote(text, safe="") for text in texts)
    return f"{GITHUB}/{path}" + (f"#{quote(fragment, safe='')}" if fragment else "")


def repository_url(owner: str, name: str) -> str:
    return github_url(owner, name)


def pull_request_url(owner: str, name: str, number: int) -> str:
    return github_url(owner, name, "pull", number)


def account_url(login: str) -> str:
    return github_url(login)
