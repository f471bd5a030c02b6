"""Issues: the row follows what GitHub says."""

from __future__ import annotations

from bot.services.issue_rows import set_state
from bot.services.reach import Bench, place_of
from bot.values import Done, Ending
from githubapi.errors import Disabled, Gone
from webhooks.models import Issue
from webhooks.services.claims import Claim
from webhooks.values import OpenState


def handle_issue(claim: Claim, bench: Bench) -> Ending:
    """Close the row of an issue that GitHub calls closed, or deleted; reopen one that is open there."""
    row: Issue = claim.row
    place = place_of(row, bench.app, claim.cause)
    try:
        facts = place.client.issue(place.repository_id, row.number)
    except Disabled:
        return Done("the repository has issues switched off")
    except Gone as error:
        if error.reason != "gone":
            raise
        return Done(set_state(row, OpenState.CLOSED, "deleted on GitHub"))
    state = OpenState.OPEN if facts.state == "open" else OpenState.CLOSED
    return Done(set_state(row, state, f"{facts.state} on GitHub"))
