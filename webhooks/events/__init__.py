"""Which Event is written by whom.

Three answers to an Event: it has a writer, it is ignored by name with a reason, or nobody knows it (recorded and
counted, never an error). A writer gets one `Incoming` and returns an `Outcome`; it runs inside the Delivery's
transaction.
"""

from __future__ import annotations

from collections.abc import Callable

from webhooks.events import accounts, checks, issues, pull_requests, refs, repositories, rules, runs
from webhooks.events.incoming import Incoming, Outcome

Writer = Callable[[Incoming], Outcome]

WRITERS: dict[str, Writer] = {
    "pull_request": pull_requests.write_pull_request,
    "pull_request_review": pull_requests.write_review,
    "branch_protection_rule": rules.write_rules,
    "branch_protection_configuration": rules.write_rules,
    "repository_ruleset": rules.write_rules,
    "push": refs.write_push,
    "create": refs.write_ref,
    "delete": refs.write_ref,
    "check_suite": checks.write_check_suite,
    "status": checks.write_status,
    "workflow_run": runs.write_workflow_run,
    "release": runs.write_release,
    "issues": issues.write_issue,
    "issue_comment": issues.write_comment,
    "repository": repositories.write_repository,
    "installation": accounts.write_installation,
    "installation_repositories": accounts.write_installation_repositories,
    "member": accounts.write_member,
}

IGNORED = {
    "ping": "GitHub says hello",
    "check_run": checks.WHY_NOT,
}
