"""From GitHub's JSON to our values; what is not as documented raises Transient ("malformed_answer")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from githubapi.client.members import flag as _flag
from githubapi.client.members import integer as _integer
from githubapi.client.members import login as _login
from githubapi.client.members import moment as _moment
from githubapi.client.members import moment_or_none as _moment_or_none
from githubapi.client.members import state as _state
from githubapi.client.members import text as _text
from githubapi.client.members import text_or_empty as _text_or_empty
from githubapi.errors import Transient
from githubapi.values import (
    GHOST,
    BranchFacts,
    CheckRun,
    CommitStatus,
    Comparison,
    HookDelivery,
    InstallationFacts,
    IssueFacts,
    PullRequestDetail,
    PullRequestFacts,
    RepositoryFacts,
    WorkflowRunFacts,
)

Json = dict[str, Any]
T = TypeVar("T")
Reader = Callable[[Json], T]


def item(read: Callable[[Json], T], data: Any) -> T:
    """Read one object; raises Transient if a member is missing or of another type than documented."""
    try:
        return read(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        word = read.__name__.replace("_", " ")
        name = type(error).__name__
        raise Transient("malformed_answer", f"GitHub's {word} cannot be read ({name}: {error}).") from None


def token(data: Json) -> tuple[str, datetime]:
    """Return an installation token and when it ends. An error never quotes the token."""
    return item(_token, data)


def installation(data: Json) -> InstallationFacts:
    account = data["account"] or {}  # null once the account is deleted
    return InstallationFacts(
        id=_integer(data["id"]),
        account_id=_integer(account.get("id", data["target_id"])),
        account_login=_text(account.get("login") or account.get("slug") or GHOST),
        account_type=_text(data["target_type"]),
        account_node_id=_text(account.get("node_id", "")),
        repository_selection=_text(data["repository_selection"]),
        suspended_at=_moment_or_none(data["suspended_at"]),
    )


def repository(data: Json) -> RepositoryFacts:
    owner = data["owner"]
    return RepositoryFacts(
        id=_integer(data["id"]),
        node_id=_text(data["node_id"]),
        name=_text(data["name"]),
        full_name=_text(data["full_name"]),
        private=_flag(data["private"]),
        archived=_flag(data["archived"]),
        has_issues=_flag(data["has_issues"]),
        default_branch=_text(data["default_branch"]),
        owner_id=_integer(owner["id"]),
        owner_login=_text(owner["login"]),
        owner_node_id=_text(owner["node_id"]),
        updated_at=_moment_or_none(data["updated_at"]),
    )


def pull_request(data: Json) -> PullRequestFacts:
    head, base = data["head"], data["base"]
    return PullRequestFacts(
        id=_integer(data["id"]),
        node_id=_text(data["node_id"]),
        number=_integer(data["number"]),
        repository_id=_integer(base["repo"]["id"]),
        title=_text(data["title"]),
        state=_state(data["state"]),
        # A listing leaves `merged` out, but never the date.
        merged=data["merged_at"] is not None,
        draft=_flag(data.get("draft", False)),
        auto_merge_enabled=data["auto_merge"] is not None,
        author_login=_login(data["user"]),
        head_ref=_text(head["ref"]),
        head_sha=_text(head["sha"]),
        head_repository_id=_integer(head["repo"]["id"]) if head["repo"] else None,
        base_ref=_text(base["ref"]),
        base_sha=_text(base["sha"]),
        created_at=_moment(data["created_at"]),
        updated_at=_moment(data["updated_at"]),
        closed_at=_moment_or_none(data["closed_at"]),
    )


def pull_request_detail(data: Json) -> PullRequestDetail:
    mergeable = data["mergeable"]
    return PullRequestDetail(
        facts=pull_request(data),
        labels=tuple(_text(label["name"]) for label in data["labels"]),
        mergeable=None if mergeable is None else _flag(mergeable),
        mergeable_state=_text(data["mergeable_state"]),
    )


def comparison(data: Json) -> Comparison:
    return Comparison(ahead_by=_integer(data["ahead_by"]), behind_by=_integer(data["behind_by"]))


def check_run(data: Json) -> CheckRun:
    return CheckRun(
        id=_integer(data["id"]),
        name=_text(data["name"]),
        status=_text(data["status"]),
        conclusion=None if data["conclusion"] is None else _text(data["conclusion"]),
    )


def commit_status(data: Json) -> CommitStatus:
    return CommitStatus(context=_text(data["context"]), state=_text(data["state"]))


def workflow_run(data: Json) -> WorkflowRunFacts:
    """Read a run; GitHub knows no name, branch or status of some, and `actor` is null when the account is gone."""
    return WorkflowRunFacts(
        id=_integer(data["id"]),
        name=_text_or_empty(data.get("name")),
        display_title=_text(data["display_title"]),
        run_number=_integer(data["run_number"]),
        run_attempt=_integer(data.get("run_attempt", 1)),
        event=_text(data["event"]),
        status=_text_or_empty(data["status"]),
        conclusion=None if data["conclusion"] is None else _text(data["conclusion"]),
        actor_login=_login(data.get("actor")),
        head_branch=_text_or_empty(data["head_branch"]),
        head_sha=_text(data["head_sha"]),
        html_url=_text(data["html_url"]),
        updated_at=_moment(data["updated_at"]),
    )


def permission(data: Json) -> str:
    """Return "admin", "write", "read" or "none"; GitHub words maintain as write and triage as read here."""
    return _text(data["permission"])


def issue(data: Json) -> IssueFacts:
    return IssueFacts(
        id=_integer(data["id"]),
        node_id=_text(data["node_id"]),
        number=_integer(data["number"]),
        title=_text(data["title"]),
        state=_state(data["state"]),
        author_login=_login(data["user"]),
        is_pull_request=data.get("pull_request") is not None,
        created_at=_moment(data["created_at"]),
        updated_at=_moment(data["updated_at"]),
        closed_at=_moment_or_none(data["closed_at"]),
    )


def branch(data: Json) -> BranchFacts:
    return BranchFacts(
        name=_text(data["name"]), head_sha=_text(data["commit"]["sha"]), protected=_flag(data["protected"])
    )


def hook_delivery(data: Json) -> HookDelivery:
    return HookDelivery(
        id=_integer(data["id"]),
        guid=UUID(data["guid"]),
        event=_text(data["event"]),
        action=None if data["action"] is None else _text(data["action"]),
        delivered_at=_moment(data["delivered_at"]),
        redelivery=_flag(data["redelivery"]),
        status=_text(data["status"]),
        status_code=_integer(data["status_code"]),
        installation_id=None if data["installation_id"] is None else _integer(data["installation_id"]),
        repository_id=None if data["repository_id"] is None else _integer(data["repository_id"]),
    )


def _token(data: Json) -> tuple[str, datetime]:
    text = data["token"]
    if not isinstance(text, str) or not text:
        raise TypeError("no token")
    return text, _moment(data["expires_at"])
