"""Writing what GitHub says of a pull request to its row."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import F, Q

from bot.services.notes import note
from core.functions import CurrentTimestamp
from core.transactions import patiently
from githubapi.values import PullRequestDetail, PullRequestFacts
from webhooks.models import PullRequest
from webhooks.models.base import REF_LENGTH, SHA_LENGTH
from webhooks.payload import SHORT_TEXT_BYTES, clean, cut, cut_bytes
from webhooks.values import Cause, HistoryKind, OpenState


def take_facts(row: PullRequest, detail: PullRequestDetail, cause: Cause) -> None:
    """Write what GitHub says to the row and to the object at hand, unless an Event has told of newer ones by now.

    UpdatedAt moves when the pull request was closed or reopened, and stays for any other fact. Merged is final.
    """
    facts = detail.facts
    columns = _columns(row, facts)
    if detail.mergeable is not None or columns["head_sha"] != row.head_sha:
        # It has said whether it can be merged, or works it out anew for this head: asking starts afresh.
        columns["mergeable_reads"] = 0
    differing = sorted(name for name, value in columns.items() if getattr(row, name) != value)
    if differing:
        patiently(partial(_write, row, facts, columns, differing, cause))
        for name in differing:
            setattr(row, name, columns[name])


def _columns(row: PullRequest, facts: PullRequestFacts) -> dict[str, Any]:
    merged = row.merged or facts.merged
    is_open = facts.state == "open" and not merged
    return {
        "state": OpenState.OPEN if is_open else OpenState.CLOSED,
        "merged": merged,
        "title": cut_bytes(clean(facts.title), SHORT_TEXT_BYTES),
        "ref": cut(clean(facts.head_ref), REF_LENGTH).rstrip(),
        "head_sha": cut(clean(facts.head_sha), SHA_LENGTH),
        "draft": facts.draft,
        "auto_merge_enabled": facts.auto_merge_enabled,
        "github_updated_at": facts.updated_at,
    }


def _write(
    row: PullRequest, facts: PullRequestFacts, columns: dict[str, Any], differing: list[str], cause: Cause
) -> None:
    not_newer = Q(github_updated_at=None) | Q(github_updated_at__lte=facts.updated_at)
    moves = bool({"state", "merged"} & set(differing))
    more: dict[str, Any] = {"updated_at": CurrentTimestamp() if moves else F("updated_at")}
    if "auto_merge_enabled" in differing:
        more["auto_merge_enabled_at"] = CurrentTimestamp() if facts.auto_merge_enabled else None
    if PullRequest.objects.filter(not_newer, pk=row.pk).update(**columns, **more):
        _note(row, columns, differing, cause)


def _note(row: PullRequest, columns: dict[str, Any], differing: list[str], cause: Cause) -> None:
    if columns["state"] != row.state:
        closed = columns["state"] == OpenState.CLOSED
        kind = HistoryKind.CLOSE if closed else HistoryKind.REOPEN
        note(row.pk, kind, f"now {columns['state'].value} on GitHub", cause)
    elif told := [name for name in differing if name not in {"github_updated_at", "mergeable_reads"}]:
        note(row.pk, HistoryKind.SYNC, f"refreshed from GitHub: {', '.join(told)}", cause)
