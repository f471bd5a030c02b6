"""What a comment asks for, and who may ask."""

from __future__ import annotations

import re

from bot.values import Command, NewTitle
from webhooks.holds import is_held

HOLD_MARK = " (HELD)"
# GitHub refuses longer titles.
TITLE_LENGTH = 256
# GitHub words maintain as write here.
MAY_COMMAND = frozenset({"admin", "write"})

_HELD = re.compile(r"\s*\(held\)", re.IGNORECASE)
_TRAILING = " \t.!"


def find_command(text: str, slug: str) -> Command | str | None:
    """Return the first command addressed to the App of that slug; None = there is none, text = not understood.

    It stands at the start of a line, so that a quotation ("> @bot hold") is none.
    """
    if not slug:
        return None
    mention = re.compile(
        rf"^[ \t]*@{re.escape(slug)}(?:\[bot\])?(?![\w-])[ \t,:]*(.*)$", re.IGNORECASE | re.MULTILINE
    )
    found = mention.search(text.replace("\r", ""))
    if found is None:
        return None
    words = " ".join(found[1].strip(_TRAILING).lower().split())
    return Command(words) if words in set(Command) else words


def is_our_bot(login: str, slug: str) -> bool:
    """Tell whether an account is our own App's bot (field case F21)."""
    return bool(slug) and login.lower() == f"{slug.lower()}[bot]"


def held_title(title: str) -> NewTitle:
    """Return the title of a pull request that is put on hold."""
    if is_held(title):
        return NewTitle(None, "it is held already")
    if len(title) + len(HOLD_MARK) > TITLE_LENGTH:
        return NewTitle(
            None, f"its title leaves no room for{HOLD_MARK} within {TITLE_LENGTH} characters", fits=False
        )
    return NewTitle(title + HOLD_MARK, "put on hold")


def released_title(title: str) -> NewTitle:
    """Return the title of a pull request whose hold ends."""
    if not is_held(title):
        return NewTitle(None, "it is not held")
    return NewTitle(_HELD.sub("", title).strip() or title, "no longer on hold")


def help_text(slug: str) -> str:
    """Return what we answer to a call for help."""
    lines = {
        Command.HELP: "this list",
        Command.RETRY: "look at this pull request again now, and count its idle retries from 0",
        Command.UPDATE_BRANCH: "merge the base into its branch, if it is behind",
        Command.HOLD: f"append `{HOLD_MARK.strip()}` to its title: it is not called ready to merge any more",
        Command.UNHOLD: "take that away again",
    }
    rows = [f"- `@{slug} {command}`: {meaning}" for command, meaning in lines.items()]
    return "\n".join(["Collaborators who may write to this repository can ask for:", "", *rows])
