"""Branches, and the tables whose rows need nothing done at GitHub."""

from __future__ import annotations

from bot.services.reach import Bench
from bot.values import Done, Ending
from webhooks.services.claims import Claim
from webhooks.values import RefEvent


def handle_branch(claim: Claim, _: Bench) -> Ending:
    """A deleted branch has left github_branches_view by its Event: the view lists those that exist."""
    row = claim.row
    if row.event == RefEvent.DELETE:
        return Done(f"{row.ref_type} {row.ref} was deleted and is no longer listed")
    return Done(f"{row.ref_type} {row.ref} exists")


def acknowledge(_: Claim, __: Bench) -> Ending:
    """The row is kept for people and other programs; seeing it is all there is to do."""
    return Done("acknowledged")
