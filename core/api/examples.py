"""Examples in the description of the API: what an endpoint does not give itself is made of one for each member.

So an example can neither be forgotten nor grow old: it has the members that the schema has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

AT = "2026-03-04T09:00:00Z"
BY_TYPE: dict[str, Any] = {"integer": 1, "number": 1.0, "boolean": False, "string": "", "object": {}}
BY_FORMAT = {"date-time": AT, "uri": "https://pullkeeper.example/api/v1/work-items?cursor=4711"}

# Member -> example, whatever it is a member of …
MEMBERS: dict[str, Any] = {
    "accountLogin": "octo",
    "accountType": "Organization",
    "actor": "ada (token laptop)",
    "actor_login": "ada",
    "approved_by": "ada",
    "caller_identity": "ada (token laptop)",
    "claim_token": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "code": "wait_goes_on",
    "commentId": 990011,
    "commentSender": "grace",
    "conclusion": "failure",
    "counters": {"due": 4, "retried": 1, "skipped_out_of_reach": 0, "lost_races": 0},
    "days": 90,
    "description": "Gives the first DUE pull request one Idle Retry.",
    "detail": "The pass runs within a minute.",
    "details": {"repository": "octo/tools", "number": 7},
    "dimension": "needs_pr",
    "display_title": "Add a lamp",
    "email": "ada@example.org",
    "enabled": True,
    "error": "",
    "event": "pull_request",
    "expires_at": "2026-06-02T09:00:00Z",
    "fullName": "octo/tools",
    "gstracciniBotVersion": None,
    "guid": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    "head_sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    "html_url": "https://github.com/octo/tools/releases/tag/v1.3.0",
    "idempotency_key": "merge:octo/tools#7:1",
    "idleRetryCount": 2,
    "idle_retry_count": 2,
    "idle_retry_limit": 10,
    "installationAction": "added",
    "installation_id": 4567,
    "interval_seconds": 3600,
    "item": 4711,
    "item_type": "merge",
    "key": "pk_0123…",
    "kind": "claim",
    "lastAction": "created",
    "limit": 10,
    "login": "ada",
    "memory_limit": None,
    "message": "The failed jobs of the run are started again.",
    "name": "idle",
    "node_id": "PR_kwDOA000000000007",
    "number": 7,
    "outcome": "done",
    "owner": "octo",
    "ownerLogin": "octo",
    "previous": None,
    "prefix": "pk_0123",
    "processingDate": None,
    "processingState": "UPDATED",
    "processing_error": None,
    "processing_state": "UPDATED",
    "pullRequestNumber": 7,
    "reason": "The build machine has no disk left.",
    "received_at": AT,
    "ref": "add-a-lamp",
    "refType": "branch",
    "rejected_by": "",
    "release_created_at": "2026-03-04 09:00:00",
    "release_name": "Version 1.3",
    "repo": "tools",
    "repository": "octo/tools",
    "repositoryName": "tools",
    "repositoryOwner": "octo",
    "repositorySelection": "selected",
    "repository_id": 123456,
    "repository_name": "tools",
    "repository_owner": "octo",
    "revoked_at": None,
    "run_modes": [],
    "sender": "grace",
    "senderLogin": "grace",
    "sender_login": "grace",
    "sentence": "It is merged when its checks are green.",
    "sequence": 4711,
    "status": "completed",
    "subject": "octo/tools#7",
    "systemd_service": None,
    "tag_name": "v1.3.0",
    "target_id": 123456,
    "target_type": "repository",
    "title": "Add a lamp",
    "updated_at": AT,
    "user": "ada",
    "userId": 42,
    "webhooksHandlerVersion": "pullkeeper 0.1.0",
    "webhooksReceiverVersion": "pullkeeper 0.1.0",
    "word": "created",
    "words": "pull_request opened (applied)",
    "worker": "builder 1.2",
    "workflow_run_id": 990022,
}
# … and where the same word means something else: the beginning of the schema's name, the member, the example.
ELSEWHERE: tuple[tuple[str, str, Any], ...] = (
    ("Branches", "event", "create"),
    ("Delivery", "action", "opened"),
    ("Delivery", "status", "applied"),
    ("Identity", "name", "ada (token laptop)"),
    ("Installations", "status", "1"),
    ("FinishInput", "reason", "The branch was updated."),
    ("IdlePullRequestItem", "blocked", None),
    ("Merge", "caller_identity", "merge pass"),
    ("MergeAnswer", "detail", "It is merged when somebody has approved it."),
    ("MergeAnswer", "outcome", "created"),
    ("MergeItem", "ended_at", None),
    ("MergeItem", "reason", "Every check of its head has passed."),
    ("MergeItem", "status", "pending"),
    ("MergeItem", "approved_by", ""),
    ("RejectionInput", "reason", "It waits for the release."),
    ("NewToken", "name", "laptop"),
    ("Pushes", "ref", "refs/heads/add-a-lamp"),
    ("RowState", "attempts", 0),
    ("RowState", "error", None),
    ("RowState", "not_before", None),
    ("RowState", "processing_state", "RE_REQUESTED"),
    ("RunAccepted", "status", "accepted"),
    ("RunAccepted", "worker", "service"),
    ("Token", "name", "laptop"),
    ("Users", "fullName", "Ada Lovelace"),
    ("Users", "senderLogin", None),
    ("WorkItem", "caller_identity", "ada (token laptop)"),
    ("WorkflowRun", "event", "push"),
    ("WorkflowRun", "name", "CI"),
    ("WorkflowRun", "updated_at", "2026-03-04 09:00:00"),
)


def add_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give each input and each good answer an example that has none (drf-spectacular's POSTPROCESSING_HOOKS)."""
    known = result["components"]["schemas"]
    for content in _contents(result["paths"]):
        if "examples" not in content and content.get("schema"):
            content["example"] = example_of(content["schema"], known)
    return result


def _contents(paths: Schema) -> Iterator[dict[str, Any]]:
    for operations in paths.values():
        for operation in operations.values():
            bodies = [operation.get("requestBody", {})]
            bodies += [answer for status, answer in operation["responses"].items() if status.startswith("2")]
            yield from (content for body in bodies for content in body.get("content", {}).values())


def example_of(schema: Schema, known: Mapping[str, Schema], *, owner: str = "", member: str = "") -> Any:
    """Return an example of a schema, which is `member` of the schema named `owner`; `known`: the named schemas."""
    if name := _reference(schema):
        of = name if "properties" in known[name] else owner
        return example_of(known[name], known, owner=of, member=member)
    if "properties" in schema:
        parts = schema["properties"].items()
        return {name: example_of(part, known, owner=owner, member=name) for name, part in parts}
    sample = _sample(owner, member)
    if "enum" in schema:
        return sample if sample in schema["enum"] else schema["enum"][0]
    if sample is not ...:
        return sample
    if schema.get("type") == "array":
        return [example_of(schema["items"], known, owner=owner, member=member)]
    return BY_FORMAT.get(schema.get("format", ""), BY_TYPE[schema.get("type", "object")])


def _sample(owner: str, member: str) -> Any:
    """Return the example of a member; `...` where there is none."""
    for beginning, name, sample in ELSEWHERE:
        if name == member and owner.startswith(beginning):
            return sample
    return MEMBERS.get(member, ...)


def _reference(schema: Schema) -> str:
    """Return the name of the schema that one refers to, the first of several; "" for one that is written out."""
    parts = [schema, *(part for word in ("allOf", "oneOf", "anyOf") for part in schema.get(word, ()))]
    return next((part["$ref"].rpartition("/")[2] for part in parts if "$ref" in part), "")
