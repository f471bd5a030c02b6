"""Keeping secrets out of sentences and logs, whatever GitHub or a library put into a message."""

from __future__ import annotations

import re

MESSAGE_LIMIT = 300
HIDDEN = "[hidden]"

# Tokens carry a prefix that GitHub promises to keep; their length it does not promise (a newer form ends in a
# JWT).
# https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
_SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*-----.*?(?:-----END [A-Z ]*-----|$)"
    r"|\b(?:gh[a-z]_|github_pat_)[\w.~+/=-]+"
    r"|\beyJ[\w-]+(?:\.[\w-]*)+"
    r"|(?i:\b(?:bearer|token)\s+)[\w.~+/=-]{20,}"
    r"|(?<=://)[^/@\s]+(?=@)",
    re.DOTALL,
)


def redacted(text: str) -> str:
    """Return the text on one line, without anything that looks like a token, a key or a password, and cut."""
    visible = " ".join(_SECRETS.sub(HIDDEN, text).split())
    return visible if len(visible) <= MESSAGE_LIMIT else f"{visible[:MESSAGE_LIMIT]}…"
