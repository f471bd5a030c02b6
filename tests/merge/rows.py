"""Merges and verdicts of every kind, made as rows: for pages and selectors, which ask nobody."""

from __future__ import annotations

from typing import Any

from core.functions import CurrentTimestamp, SecondsFromNow
from core.models import PassRun
from merge.decisions import NEEDS_APPROVAL, NEEDS_MERGE
from merge.models import MergeVerdict
from merge.services.item_type import MERGE
from tests.factories import PullRequestFactory, RepositoryFactory
from workqueue.models import WorkItem
from workqueue.services.submitting import create
from workqueue.values import Changes, DimensionUpdate

COUNTERS = {
    "accounts": 2,
    "accounts_failed": 1,
    "seen": 41,
    "drafts_dropped": 2,
    "held": 3,
    "in_flight": 4,
    "backed_off": 1,
    "refused": 28,
    "refused: not_docs_only": 26,
    "refused: checks_failed": 2,
    "waiting": 2,
    "waiting: checks_running": 2,
    "enqueued": 1,
}


def merge(number: int, *, approved: bool = True, title: str = "Explain it", **columns: Any) -> Any:
    """Make a merge, approved or pending, of a pull request that it makes as well."""
    names = {"repository_owner": "octo", "repository_name": "tools"}
    given = {name: columns.pop(name) for name in list(columns) if name in names}
    row = PullRequestFactory(number=number, title=title, **names | given)
    own = {
        "repository_id": 4242,
        "number": number,
        "pull_request_sequence": row.pk,
        "installation_id": 7,
        "head_sha": f"{number:040x}",
        "reason": "Everything speaks for merging it."
        if approved
        else "It changes more than documents: src/a.py.",
        "approved_by": "pullkeeper" if approved else "",
        **names,
        **given,
    }
    dimensions = [
        DimensionUpdate(NEEDS_APPROVAL, needed=not approved),
        DimensionUpdate(NEEDS_MERGE, needed=True),
    ]
    wanted = Changes(columns=own | columns, dimensions=dimensions)
    return create(MERGE, f"4242:{number}", wanted, caller="mira").item


def ended(number: int, phase: str, *, error: str = "", **columns: Any) -> Any:
    """Make a merge that has ended."""
    made = merge(number, **columns)
    WorkItem.objects.filter(pk=made.pk).update(
        phase=phase, actionable=False, error=error, ended_at=CurrentTimestamp()
    )
    return made


def one_of_each(text: str) -> dict[str, Any]:
    """Make a merge of each status, a verdict of each standing and a tick, with a text of outsiders' in all of them."""
    RepositoryFactory(owner_login="octo", name="tools")
    for standing, code in (
        ("eligible", "eligible"),
        ("waiting", "checks_running"),
        ("scope", "not_docs_only"),
        ("refused", "checks_failed"),
    ):
        number = 100 + MergeVerdict.objects.count()
        MergeVerdict.objects.create(
            repository_id=4242, number=number, head_sha="a" * 40, standing=standing, code=code, sentence=text
        )
    PassRun.objects.create(
        name="merge", outcome="failed", counters=COUNTERS, error=f"Skipped: octo ({text})."
    )
    held = merge(3, title=text)
    WorkItem.objects.filter(pk=held.pk).update(leased_until=SecondsFromNow(3600))
    return {
        "pending": merge(1, approved=False, title=text, reason=text),
        "approved": merge(2, title=text),
        "executing": held,
        "done": ended(4, "completed", title=text),
        "failed": ended(5, "failed", error=text, title=text),
        "rejected": ended(
            6, "cancelled", rejected_by="tomas", rejected_at=CurrentTimestamp(), rejection=text
        ),
        "cancelled": ended(7, "cancelled"),
    }
