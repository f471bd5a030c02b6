"""The columns of the lists of work: work items, merges and their verdicts, acts on many rows, who did what."""

from __future__ import annotations

from monitor.tables import Column, Table

WORK_ITEMS = Table(
    name="work-items",
    columns=(
        Column(key="item", label="Work item", kind="head", text=lambda row: row.item.subject),
        Column(key="type", label="Type", text=lambda row: row.item.item_type),
        Column(key="phase", label="Phase", text=lambda row: row.item.phase),
        Column(
            key="next",
            label="Next",
            kind="break",
            text=lambda row: f"{row.next.action} {row.next.sentence}".strip(),
        ),
        Column(
            key="dimensions",
            label="Dimensions",
            kind="break",
            text=lambda row: ", ".join(map(str, row.dimensions)),
        ),
        Column(
            key="attempts",
            label="Failures",
            text=lambda row: row.item.attempts,
            order="attempts",
            hint="In a row; a success counts from 0 again",
        ),
        Column(key="lease", label="Lease ends", text=lambda row: row.item.leased_until if row.leased else ""),
        Column(key="updated", label="Updated", text=lambda row: row.item.updated_at, order="updated_at"),
    ),
)

ACTIONS = Table(
    name="actions",
    columns=(
        Column(key="at", label="When", text=lambda entry: entry.action_time),
        Column(key="who", label="Who", kind="head", text=lambda entry: entry.user.get_username()),
        Column(key="what", label="What", kind="break", text=lambda entry: entry.get_change_message()),
        Column(
            key="target",
            label="To what",
            kind="break",
            text=lambda entry: entry.object_repr,
            order="object_repr",
        ),
    ),
)

MERGES = Table(
    name="merges",
    columns=(
        Column(key="status", label="Status", text=lambda row: str(row.status)),
        Column(
            key="pull-request",
            label="Pull request",
            kind="head",
            text=lambda row: f"{row.place} at {row.head_sha}",
        ),
        Column(key="title", label="Title", text=lambda row: row.title or ""),
        Column(key="why", label="Why", text=lambda row: row.why),
        Column(key="asked", label="Asked by", kind="break", text=lambda row: row.caller_identity),
        Column(key="created", label="Asked", text=lambda row: row.created_at),
        Column(key="ended", label="Ended", text=lambda row: row.ended_at),
    ),
)

VERDICTS = Table(
    name="merge-verdicts",
    columns=(
        Column(key="standing", label="Standing", text=lambda row: row.standing),
        Column(
            key="pull-request",
            label="Pull request",
            kind="head",
            text=lambda row: f"{row.repository_owner}/{row.repository_name}#{row.number}",
        ),
        Column(key="code", label="Code", kind="tight", text=lambda row: row.code),
        Column(key="sentence", label="Why", text=lambda row: row.sentence),
        Column(key="head", label="Head", kind="tight", text=lambda row: row.head_sha),
        Column(key="since", label="Since", text=lambda row: row.since),
        Column(key="judged", label="Judged", text=lambda row: row.judged_at, order="judged_at", indexed=True),
    ),
)

BULK_JOBS = Table(
    name="bulk-jobs",
    columns=(
        Column(key="what", label="What", kind="head", text=lambda job: job.kind),
        Column(
            key="filter",
            label="Of what",
            kind="break",
            text=lambda job: ", ".join(f"{name} {value}" for name, value in job.criteria.items()),
        ),
        Column(key="state", label="State", text=lambda job: job.state),
        Column(
            key="progress",
            label="Progress",
            kind="tight",
            text=lambda job: f"{job.done + job.failed} of {job.total}",
        ),
        Column(key="failed", label="Failed", text=lambda job: job.failed),
        Column(key="who", label="Who", kind="break", text=lambda job: job.actor, order="actor"),
        Column(key="started", label="Started", text=lambda job: job.started_at, order="started_at"),
        Column(key="finished", label="Ended", text=lambda job: job.finished_at),
    ),
)
