"""The columns of every list: what their heads say, what they sort by, and their text in a file.

`indexed` names orders that an index serves. Enums are filtered by, never sorted by: MariaDB sorts them by position.
"""

from __future__ import annotations

from monitor.tables import Column, Table
from monitor.wording import last_line

DELIVERIES = Table(
    name="deliveries",
    columns=(
        Column(
            key="received",
            label="Received",
            text=lambda row: row.received_at,
            order="received_at",
            indexed=True,
        ),
        Column(
            key="event",
            label="Event",
            kind="head",
            text=lambda row: f"{row.event} {row.action}".strip(),
            order="event",
            indexed=True,
        ),
        Column(key="status", label="Status", text=lambda row: row.status),
        Column(
            key="repository",
            label="Repository",
            kind="break",
            text=lambda row: f"{row.repository_owner}/{row.repository_name}" if row.repository_name else "",
            order="repository_owner",
            indexed=True,
        ),
        Column(
            key="sender",
            label="Sender",
            kind="break",
            text=lambda row: row.sender_login,
            order="sender_login",
        ),
        Column(
            key="outcome",
            label="What became of it",
            text=lambda row: last_line(row.error) or row.note,
        ),
        Column(
            key="took",
            label="Took",
            kind="tight",
            text=lambda row: f"{row.duration_ms} ms",
            order="duration_ms",
        ),
        Column(key="guid", label="GUID", kind="tight", text=lambda row: row.guid),
    ),
)

IDLE = Table(
    name="idle-pull-requests",
    columns=(
        Column(key="status", label="Status", text=lambda row: row.idle_status),
        Column(
            key="pull-request",
            label="Pull request",
            kind="head",
            text=str,
            order="repository_owner",
            indexed=True,
        ),
        Column(key="title", label="Title", text=lambda row: row.title),
        Column(
            key="retries",
            label="Retries",
            text=lambda row: f"{row.idle_retry_count} of {row.idle_retry_limit}",
            order="idle_retry_count",
            indexed=True,
            hint="Idle Retries it has had, of how many",
        ),
        Column(
            key="rank",
            label="Rank",
            text=lambda row: row.repository_idle_rank,
            order="repository_idle_rank",
            indexed=True,
            hint="Position among the idle pull requests of its repository",
        ),
        Column(key="next", label="Next retry", text=lambda row: row.next_retry_at),
        Column(
            key="untouched",
            label="Untouched for",
            text=lambda row: row.updated_at,
            order="updated_at",
            indexed=True,
        ),
        Column(
            key="quiet",
            label="Repository quiet for",
            text=lambda row: row.repository_last_pull_request_update,
            order="repository_last_pull_request_update",
            indexed=True,
            hint="The newest write of any pull request of the repository",
        ),
    ),
)

REPOSITORIES = Table(
    name="repositories",
    columns=(
        Column(
            key="name",
            label="Repository",
            kind="head",
            text=lambda row: f"{row.repository.owner_login}/{row.repository.name}",
            order="owner_login",
            indexed=True,
        ),
        Column(
            key="status",
            label="Status",
            text=lambda row: f"{row.standing.status} {row.standing.reason}".strip(),
        ),
        Column(
            key="installation",
            label="Installation",
            kind="break",
            text=lambda row: (
                row.installation.account_login if row.installation else row.repository.installation_id
            ),
        ),
        Column(key="synced", label="Last synced", text=lambda row: row.repository.last_sync_date),
        Column(key="place", label="Place", text=lambda row: row.place),
        Column(
            key="turn",
            label="Next turn",
            text=lambda row: row.turn,
            hint="In about how many hours it is synced",
        ),
    ),
)

INSTALLATIONS = Table(
    name="installations",
    columns=(
        Column(
            key="account",
            label="Account",
            kind="head",
            text=lambda row: row.installation.account_login,
            order="account_login",
        ),
        Column(key="status", label="Status", text=lambda row: row.status),
        Column(
            key="type",
            label="Type",
            text=lambda row: row.installation.account_type,
            order="account_type",
        ),
        Column(key="selection", label="Selection", text=lambda row: row.installation.repository_selection),
        Column(key="repositories", label="Repositories", text=lambda row: row.repositories),
        Column(
            key="listed",
            label="Last listed",
            text=lambda row: row.installation.last_sync_date,
            order="last_sync_date",
            hint="When its repositories were last listed",
        ),
    ),
)

RUNS = Table(
    name="pass-runs",
    columns=(
        Column(key="pass", label="Pass", kind="head", text=lambda run: f"{run.name} #{run.pk}"),
        Column(
            key="started", label="Started", text=lambda run: run.started_at, order="started_at", indexed=True
        ),
        Column(key="outcome", label="Outcome", text=lambda run: run.outcome),
        Column(
            key="took",
            label="Took",
            kind="tight",
            text=lambda run: run.finished_at - run.started_at if run.finished_at else None,
        ),
        Column(
            key="counters",
            label="Counters",
            text=lambda run: ", ".join(f"{name} {number}" for name, number in run.counters.items()),
        ),
        Column(
            key="by",
            label="Started by",
            kind="break",
            text=lambda run: run.actor if run.forced else "schedule",
        ),
        Column(key="error", label="Error", kind="break", text=lambda run: last_line(run.error)),
    ),
)

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
            label="Pull request and head",
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
        Column(key="code", label="Code", kind="break", text=lambda row: row.code),
        Column(key="sentence", label="Why", text=lambda row: row.sentence),
        Column(key="head", label="Head", kind="tight", text=lambda row: row.head_sha),
        Column(key="since", label="Since", text=lambda row: row.since),
        Column(key="judged", label="Judged", text=lambda row: row.judged_at, order="judged_at", indexed=True),
    ),
)
