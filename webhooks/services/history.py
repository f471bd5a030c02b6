"""The history of pull requests: every writer of ours appends here, in its own transaction."""

from __future__ import annotations

from collections.abc import Iterable

from webhooks.models import PullRequestHistory
from webhooks.values import HistoryKind, ProcessingState

BATCH = 500


def append(
    pull_request: int,
    kind: HistoryKind,
    *,
    reason: str,
    actor: str = "",
    from_state: str = "",
    to_state: str = "",
    delivery_guid: str | None = None,
    pass_run: int | None = None,
    claim_token: str | None = None,
) -> None:
    """Append one line about one pull request (its Sequence)."""
    line = PullRequestHistory(
        pull_request_sequence=pull_request,
        kind=kind,
        reason=reason,
        actor=actor,
        from_state=from_state,
        to_state=to_state,
        delivery_guid=delivery_guid,
        pass_run_id=pass_run,
        claim_token=claim_token,
    )
    PullRequestHistory.objects.bulk_create([line])


def append_batch(
    states: Iterable[tuple[int, str]],
    kind: HistoryKind,
    *,
    reason: str,
    actor: str = "",
    to_state: ProcessingState | None = ProcessingState.RE_REQUESTED,
    delivery_guid: str | None = None,
) -> None:
    """Append the same line about many pull requests, given as (Sequence, ProcessingState before).

    `to_state` None: the writing left the state alone. A NEW row stays NEW (see pending.new_or).
    """
    lines = [
        PullRequestHistory(
            pull_request_sequence=sequence,
            kind=kind,
            reason=reason,
            actor=actor,
            from_state=before,
            to_state=_after(before, to_state),
            delivery_guid=delivery_guid,
        )
        for sequence, before in states
    ]
    PullRequestHistory.objects.bulk_create(lines, batch_size=BATCH)


def _after(before: str, wanted: ProcessingState | None) -> str:
    if wanted is None or before == ProcessingState.NEW:
        return before
    return wanted.value
