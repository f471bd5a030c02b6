"""Branches, tags and pushes."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from core.statements import insert_row
from webhooks.events.incoming import Incoming, Outcome, ignored
from webhooks.models import Branch, Push
from webhooks.models.base import REF_LENGTH, SHA_LENGTH
from webhooks.payload import MEDIUM_TEXT_BYTES, Payload
from webhooks.services import rows
from webhooks.values import ZERO_SHA, RefEvent

BRANCH_PREFIX = "refs/heads/"
REF_TYPES = frozenset({"branch", "tag"})
COMMIT_LIMIT = 2048


def write_ref(incoming: Incoming) -> Outcome:
    """`create` and `delete`: the ref comes by its short name (field case F38) and keeps one row through its lives."""
    payload = incoming.payload
    ref_type = payload.text("ref_type", 20)
    if ref_type not in REF_TYPES:
        return ignored(f"a {ref_type or 'nameless kind of'} ref is neither branch nor tag")
    key = {
        "repository_id": incoming.repository.id,
        "ref_type": ref_type,
        "ref": payload.needed_name("ref", REF_LENGTH),
    }
    columns: dict[str, Any] = {"event": RefEvent(incoming.envelope.event)}
    if master := payload.name("master_branch", REF_LENGTH):
        columns["master_branch"] = master
    return write_branch(incoming, key, columns)


def write_branch(incoming: Incoming, key: dict[str, Any], columns: dict[str, Any]) -> Outcome:
    """Upsert the branch; the repository's id is part of the key, so it is not among the columns again."""
    known = branch_rows(key).select_for_update().values_list("pk", flat=True).first()
    if known is not None:
        rows.update(Branch, known, incoming, **columns)
        return rows.said(incoming, f"{key['ref_type']} {known} {columns['event'].value}d")
    pk = rows.insert(Branch, incoming, ref_type=key["ref_type"], ref=key["ref"], **columns)
    return rows.said(incoming, f"new {key['ref_type']} {pk}")


def branch_rows(key: dict[str, Any]) -> QuerySet[Branch]:
    """Return the row of that key."""
    return Branch.objects.filter(**key)


def write_push(incoming: Incoming) -> Outcome:
    """A push to a branch is a row; tags make none. The head is `after`, whatever commits the payload still lists."""
    ref = incoming.payload.needed_name("ref", REF_LENGTH)
    if not ref.startswith(BRANCH_PREFIX):
        return ignored("only pushes to branches are kept")
    deleted = incoming.payload.flag("deleted") is True
    columns = push_columns(incoming.payload) | {"ref": ref}
    # Nothing can be done at the zero sha.
    idle = rows.processed_columns() if deleted else {}
    born = rows.born(Push, incoming) | idle
    pk = insert_row(Push, {**rows.origin_columns(Push, incoming), **columns, **born})
    follow_branch(incoming, ref.removeprefix(BRANCH_PREFIX), RefEvent.DELETE if deleted else RefEvent.CREATE)
    return rows.said(incoming, f"new push {pk}{cut_note(incoming.payload)}")


def follow_branch(incoming: Incoming, name: str, event: RefEvent) -> None:
    """Let a known branch row follow a push: `create` and `delete` are not sent when very many refs move at once."""
    key = {"repository_id": incoming.repository.id, "ref_type": "branch", "ref": name}
    known = branch_rows(key).exclude(event=event).select_for_update().values_list("pk", flat=True).first()
    if known is not None:
        rows.update(Branch, known, incoming, event=event)


def push_columns(payload: Payload) -> dict[str, Any]:
    """Return the facts of the head commit; a deleted branch has none."""
    head = "head_commit"
    return {
        "head_commit_id": payload.name("after", SHA_LENGTH)
        or payload.name(f"{head}.id", SHA_LENGTH)
        or ZERO_SHA,
        "head_commit_tree_id": payload.name(f"{head}.tree_id", SHA_LENGTH),
        "head_commit_message": payload.long_text(f"{head}.message", MEDIUM_TEXT_BYTES),
        "head_commit_timestamp": payload.any_instant(f"{head}.timestamp"),
        "head_commit_author_name": payload.text(f"{head}.author.name"),
        "head_commit_author_email": payload.text(f"{head}.author.email"),
        "head_commit_committer_name": payload.text(f"{head}.committer.name"),
        "head_commit_committer_email": payload.text(f"{head}.committer.email"),
    }


def cut_note(payload: Payload) -> str:
    """Say that GitHub cut the list of commits (it sends at most 2048)."""
    commits = payload.get("commits")
    full = isinstance(commits, list) and len(commits) >= COMMIT_LIMIT
    return f"; its list of commits is cut at {COMMIT_LIMIT}" if full else ""
