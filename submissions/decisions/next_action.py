"""What is to be done next with a pull request's work item: the first need in order of priority."""

from __future__ import annotations

from submissions.values import Deed, Need
from workqueue.values import Action, Snapshot

# A pull request comes first; a failed run is started again before anybody looks whether all checks passed.
PRIORITY: tuple[tuple[Need, Deed, str], ...] = (
    (Need.PULL_REQUEST, Deed.ENSURE_PR, "the branch and its pull request are to be as submitted"),
    (Need.CI_RETRY, Deed.CI_RETRY, "a workflow run failed"),
    (Need.RECONCILE, Deed.RECONCILE, "something happened to the pull request"),
    (Need.EMPTY_CHECK, Deed.RECONCILE, "it is time to see whether anything is left to be changed"),
)
DIMENSIONS = tuple(need.value for need, _, _ in PRIORITY)


def decide(snapshot: Snapshot) -> Action | None:
    """Return the one next action, None when there is nothing to be done."""
    for need, deed, reason in PRIORITY:
        if snapshot.needs(need):
            variants = snapshot.needed_variants(need)
            return Action(deed, reason, need, variants[0] if variants else "")
    return None
