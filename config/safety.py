"""What browsers may load and run."""

from __future__ import annotations

from typing import Any

from csp.constants import NONE, SELF


def content_security_policy() -> dict[str, Any]:
    """Return CONTENT_SECURITY_POLICY: every script and style is a file of ours, nothing inline, nothing evaluated."""
    return {
        "DIRECTIVES": {
            "default-src": [NONE],
            "script-src": [SELF],
            "style-src": [SELF],
            "img-src": [SELF, "data:"],
            "font-src": [SELF],
            "connect-src": [SELF],
            "form-action": [SELF],
            "base-uri": [NONE],
            "frame-ancestors": [NONE],
        },
    }
