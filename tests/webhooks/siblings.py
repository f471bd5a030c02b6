"""Payloads for the events and actions that the published examples lack, made from a sibling example."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tests.npm import Example

# event -> (the event whose example it is made from, its missing actions)
MISSING = {
    "pull_request": (
        "pull_request",
        "auto_merge_disabled auto_merge_enabled demilestoned dequeued edited enqueued milestoned",
    ),
    "pull_request_review": ("pull_request_review", "edited"),
    "issues": ("issues", "closed typed untyped"),
    "member": ("member", "removed"),
    "repository": ("repository", "archived unarchived deleted"),
    "workflow_run": ("workflow_run", "in_progress"),
    "branch_protection_configuration": ("branch_protection_rule", "enabled disabled"),
    "repository_ruleset": ("branch_protection_rule", "created edited deleted"),
    "installation_target": ("installation", "renamed"),
}


def made(examples: list[Example]) -> Iterator[Example]:
    """Yield the missing payloads; the last example of an event is its most modern one."""
    newest = dict(examples)
    for event, (sibling, actions) in MISSING.items():
        for action in actions.split():
            payload = copy.deepcopy(newest[sibling]) | {"action": action}
            yield event, _adapted(event, action, payload)
    organizations = copy.deepcopy(newest["branch_protection_rule"])
    del organizations["repository"]
    yield "repository_ruleset", organizations | {"action": "created"}


def _adapted(event: str, action: str, payload: dict[str, Any]) -> dict[str, Any]:
    if event == "issues":
        payload["issue"]["state"] = "closed" if action == "closed" else "open"
    if event == "workflow_run":
        payload["workflow_run"] |= {"status": "in_progress", "conclusion": None}
    if event == "repository_ruleset":
        payload["repository_ruleset"] = payload.pop("rule")
    return payload
