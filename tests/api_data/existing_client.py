"""What the existing dashboard does with the API, call by call: `python -m tests.api_data.existing_client URL TOKEN`.

It knows the API by the shapes that it reads and by nothing else: no schema, no error handling beyond `error`, no
redirects on writes, and every string goes into the page as it came. Prints the page with its eight tables.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import requests

ENTITIES = {
    "pull-requests": [
        "repositoryOwner",
        "repositoryName",
        "number",
        "sender",
        "ref",
        "title",
        "idleRetryCount",
    ],
    "branches": ["repositoryOwner", "repositoryName", "ref", "refType", "event"],
    "comments": ["repositoryOwner", "repositoryName", "pullRequestNumber", "commentId", "commentSender"],
    "installations": ["accountLogin", "accountType", "repositorySelection", "status"],
    "issues": ["repositoryOwner", "repositoryName", "number"],
    "pushes": ["repositoryOwner", "repositoryName", "ref"],
    "repositories": ["fullName", "ownerLogin", "lastAction", "installationAction"],
    "users": ["login", "fullName", "email", "userId"],
}
COMMON = [
    "sequence",
    "senderLogin",
    "processingState",
    "processingDate",
    "webhooksReceiverVersion",
    "webhooksHandlerVersion",
    "gstracciniBotVersion",
]
STATES = ["NEW", "RE_REQUESTED", "UPDATED", "IDLE", "PROCESSING", "PROCESSED"]
ARRAYS = [
    "statistics",
    "statistics_github",
    "events",
    "senders",
    "repositories",
    "installation_repositories",
    "branches",
    "pull_requests",
    "workflow_runs",
    "feed",
]
WORKERS = ["service", "cleanup", "database-service", "maintenance"]


@dataclass
class Dashboard:
    """One browser's worth of calls to one server."""

    url: str
    token: str
    timezone: str = "America/Sao_Paulo"
    session: requests.Session = field(default_factory=requests.Session)

    def call(self, verb: str, path: str, expected: int = 200, **body: Any) -> Any:
        """Make a call and return its JSON; raises AssertionError for any other status."""
        headers = {"Authorization": f"token {self.token}", "X-Timezone": self.timezone}
        answer = self.session.request(
            verb, f"{self.url}/api/v1/{path}", headers=headers, allow_redirects=False, timeout=30, **body
        )
        assert answer.status_code == expected, f"{verb} {path}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    # --- pages -----------------------------------------------------------------------------------------------

    def processing_page(self) -> str:
        """Return the page of the counts and the eight tables."""
        states = self.call("GET", "processing-state")
        header = ["State", *states["NEW"]]
        counts = [[state, *(states[state][table] for table in states["NEW"])] for state in STATES]
        tables = [_table("processing-state", header, counts)]
        for entity, own in ENTITIES.items():
            columns = [*COMMON, *own]
            rows = self.call("GET", f"{entity}-processing")
            assert rows == self.call("GET", f"{entity}/processing/")
            tables.append(_table(entity, columns, [[row[name] for name in columns] for row in rows]))
        return f"<!DOCTYPE html><html><body>{''.join(tables)}</body></html>"

    def github_page(self) -> str:
        """Return the page of what came in lately: every array is drawn as it is."""
        bundle = self.call("GET", "github?feedOptionsFilter=all")
        assert self.call("GET", "github?feedOptionsFilter=mine").keys() == bundle.keys()
        for number in ("total", "total_workflow_runs", "installations", "installation_repositories_count"):
            assert isinstance(bundle[number], int), number
        for feed_line in bundle["feed"][1:2]:
            assert self.call("GET", f"github/{feed_line[0]}")["sequence"] == feed_line[0]
        drawn = [_table(name, bundle[name][0], bundle[name][1:]) for name in ARRAYS if bundle[name]]
        return f"<!DOCTYPE html><html><body>{''.join(drawn)}</body></html>"

    def lists_page(self) -> str:
        """Return the page of workflow runs and releases."""
        runs, releases = self.call("GET", "workflow-runs/"), self.call("GET", "releases/")
        drawn = [
            _table(name, list(rows[0]), [list(row.values()) for row in rows])
            for name, rows in (("workflow-runs", runs), ("releases", releases))
            if rows
        ]
        return f"<!DOCTYPE html><html><body>{''.join(drawn)}</body></html>"

    # --- buttons ---------------------------------------------------------------------------------------------

    def run_workers(self) -> list[str]:
        """Press "run" of each worker listed whose name the dashboard knows; return what was accepted."""
        listed = {worker["name"] for worker in self.call("GET", "workers")}
        known = [name for name in WORKERS if name in listed]
        accepted = [self.call("POST", f"workers/{name}/run", 202, json=None) for name in known]
        return [answer["worker"] for answer in accepted if answer["status"] == "accepted"]

    def retry(self, run_id: int) -> str:
        """Press "retry" of a run; return how it was started again."""
        answer = self.call("POST", f"workflow-runs/{run_id}/retry", 202, data="null")
        assert answer["workflow_run_id"] == run_id
        return str(answer["retry_type"])

    def delete(self, run_id: int) -> str:
        return str(self.call("DELETE", f"workflow-runs/{run_id}")["message"])

    def retry_row(self, sequence: int) -> None:
        """The older way, as a form."""
        self.call("POST", "github/workflow", 201, data={"sequence": sequence})

    def refresh_row(self, sequence: int) -> None:
        self.call("PUT", "github/workflow", 202, data={"sequence": sequence})

    def delete_row(self, sequence: int) -> None:
        self.call("DELETE", f"github/workflow/{sequence}", 202)

    def failure_of(self, verb: str, path: str, expected: int) -> str:
        """Return the sentence that the dashboard shows for a call that fails."""
        return str(self.call(verb, path, expected)["error"])


def _table(name: str, header: list[str], rows: list[list[Any]]) -> str:
    """Draw a table as the dashboard does: cells are put together without any escaping."""
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table id="{name}"><tr>{head}</tr>{body}</table>'


if __name__ == "__main__":
    sys.stdout.write(Dashboard(*sys.argv[1:3]).processing_page())
