"""Holds: a person keeps a pull request from being merged by a word in its title."""

from __future__ import annotations

HELD = "(held)"


def is_held(title: str) -> bool:
    """Tell whether a person put the pull request on hold: "(HELD)" in its title, in any letter case."""
    return HELD in title.lower()
