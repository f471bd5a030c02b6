"""A reviewer's "changes requested" stands until the same reviewer takes it back."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict

# A comment leaves a reviewer's last word as it was; a pending review has not been handed in.
NO_WORD = frozenset({"COMMENTED", "PENDING"})


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse while any reviewer's last word is "changes requested"."""
    last = {review.login: review.state for review in snapshot.reviews or () if review.state not in NO_WORD}
    asking = sorted(login for login, state in last.items() if state == "CHANGES_REQUESTED")
    if not asking:
        return None
    return refused("changes_requested", f"Changes are requested by {', '.join(asking)}.")
