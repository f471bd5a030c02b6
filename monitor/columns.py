"""The columns of every list: what their heads say, what they sort by, and their text in a file.

`indexed` names orders that an index serves. Enums are filtered by, never sorted by: MariaDB sorts them by position.
"""

from __future__ import annotations

from monitor.selectors.processing import title_of
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
            label="Outcome",
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
            key="quota",
            label="GitHub quota",
            text=lambda row: f"{row.quota.remaining} of {row.quota.limit}" if row.quota else "",
            hint="Requests that GitHub has left for it, as it last said",
        ),
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

ROWS = Table(
    name="rows",
    columns=(
        Column(key="row", label="Row", kind="head", text=str),
        Column(key="title", label="Title or ref", text=title_of),
        Column(
            key="written", label="Written", text=lambda row: row.updated_at, order="updated_at", indexed=True
        ),
        Column(key="claimed", label="Claimed", text=lambda row: row.processing_date),
        Column(
            key="attempts",
            label="Attempts",
            text=lambda row: row.processing_attempts,
            order="processing_attempts",
        ),
        Column(
            key="version",
            label="By",
            kind="break",
            text=lambda row: row.gstraccini_bot_version or "",
            hint="The version of the bot that claimed it last",
        ),
        Column(key="error", label="Error", kind="break", text=lambda row: last_line(row.processing_error)),
    ),
)

FAILED = Table(
    name="given-up",
    columns=(
        Column(key="row", label="Row", kind="head", text=lambda failure: str(failure.row)),
        Column(key="title", label="Title or ref", text=lambda failure: title_of(failure.row)),
        Column(key="since", label="Given up", text=lambda failure: failure.since),
        Column(key="attempts", label="Attempts", text=lambda failure: failure.attempts),
        Column(key="chance", label="Next chance", text=lambda failure: failure.chance),
        Column(key="error", label="Error", kind="break", text=lambda failure: last_line(failure.error)),
    ),
)
