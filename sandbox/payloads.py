"""The bodies of GitHub's webhook Events, from a few plain values.

Every builder returns the whole body that GitHub would send, to be signed and sent by `sandbox.sender`.
https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox import pulls, resources
from sandbox.resources import API, WEB, Json, instant
from sandbox.world import (
    BEGINNING,
    NO_COMMIT,
    Commit,
    Installation,
    Issue,
    Person,
    PullRequest,
    Repository,
    node_id,
    sha,
)


def common(repo: Repository, sender: Person | None) -> Json:
    """Return the members that all Events of a repository share; GitHub leaves `sender` out at times."""
    body: Json = {"repository": resources.repository(repo)}
    if repo.owner.type == "Organization":
        body["organization"] = resources.organization(repo.owner)
    if repo.installation:
        body["installation"] = {"id": repo.installation.id, "node_id": repo.installation.node_id}
    if sender:
        body["sender"] = resources.user(sender)
    return body


def pull_request(action: str, pull: PullRequest, sender: Person | None, *, about: Json | None = None) -> Json:
    """Return any `pull_request` Event; `about` adds or replaces the members that its action brings along."""
    extra = _pull_request_extras(action, pull) | (about or {})
    return {
        "action": action,
        "number": pull.number,
        "pull_request": pulls.pull_request(pull),
        **extra,
        **common(pull.repository, sender),
    }


def _pull_request_extras(action: str, pull: PullRequest) -> Json:
    label = {"label": pulls.label("bug", pull.repository)}
    assignee = {"assignee": resources.user(pull.repository.owner)}
    reviewer = {"requested_reviewer": resources.user(pull.repository.owner)}
    milestone = {"milestone": pulls.milestone("Next", pull.repository)}
    reason = {"reason": "MANUAL"}
    extras: dict[str, Json] = {
        "synchronize": {"before": sha(f"{pull.head_sha} before"), "after": pull.head_sha},
        "edited": {"changes": {"title": {"from": f"{pull.title} (draft)"}}},
        **dict.fromkeys(("labeled", "unlabeled"), label),
        **dict.fromkeys(("assigned", "unassigned"), assignee),
        **dict.fromkeys(("review_requested", "review_request_removed"), reviewer),
        **dict.fromkeys(("milestoned", "demilestoned"), milestone),
        **dict.fromkeys(("auto_merge_enabled", "auto_merge_disabled", "dequeued"), reason),
    }
    return extras.get(action, {})


def pull_request_review(action: str, pull: PullRequest, reviewer: Person, *, state: str = "approved") -> Json:
    """Return a review of `state` approved, commented, changes_requested or dismissed."""
    number = int(sha(f"{pull.id} {reviewer.id}")[:8], 16)
    web = f"{WEB}/{pull.repository.full_name}/pull/{pull.number}"
    review = {
        "id": number,
        "node_id": node_id("PRR", pull.repository.id, number),
        "user": resources.user(reviewer),
        "body": None,
        "commit_id": pull.head_sha,
        "submitted_at": instant(pull.updated_at),
        "state": state,
        "html_url": f"{web}#pullrequestreview-{number}",
        "pull_request_url": pulls.pull_request_url(pull),
        "author_association": "MEMBER",
        "_links": {"html": {"href": web}, "pull_request": {"href": pulls.pull_request_url(pull)}},
    }
    return {
        "action": action,
        "review": review,
        "pull_request": pulls.short_pull_request(pull),
        **common(pull.repository, reviewer),
    }


def issues(action: str, item: Issue, sender: Person) -> Json:
    return {"action": action, "issue": pulls.issue(item), **common(item.repository, sender)}


def issue_comment(action: str, item: Issue | PullRequest, author: Person, text: str) -> Json:
    """Return a comment on an issue or, GitHub telling them apart by one member only, on a pull request."""
    number = int(sha(f"{item.id} {text}")[:8], 16)
    issue = pulls.issue(item)
    api = f"{resources.repository_url(item.repository)}/issues/comments/{number}"
    comment = {
        "url": api,
        "html_url": f"{issue['html_url']}#issuecomment-{number}",
        "issue_url": issue["url"],
        "id": number,
        "node_id": node_id("IC", item.repository.id, number),
        "user": resources.user(author),
        "created_at": instant(item.updated_at),
        "updated_at": instant(item.updated_at),
        "author_association": "CONTRIBUTOR",
        "performed_via_github_app": None,
        "body": text,
        "reactions": pulls.reactions(api),
    }
    return {"action": action, "issue": issue, "comment": comment, **common(item.repository, author)}


def push(repo: Repository, ref: str, commits: Sequence[Commit], pusher: Person, *, before: str) -> Json:
    """Return a push of the commits onto a full ref; no commits means that the ref was deleted."""
    after = commits[-1].sha if commits else NO_COMMIT
    listed = [resources.commit_of_push(commit, repo) for commit in commits]
    return {
        "ref": ref,
        "before": before,
        "after": after,
        "created": before == NO_COMMIT,
        "deleted": after == NO_COMMIT,
        "forced": False,
        "base_ref": None,
        "compare": f"{WEB}/{repo.full_name}/compare/{before[:12]}...{after[:12]}",
        "commits": listed,
        "head_commit": listed[-1] if listed else None,
        "pusher": {"name": pusher.login, "email": pusher.email},
        **common(repo, pusher),
    }


def create(repo: Repository, ref: str, sender: Person, *, ref_type: str = "branch") -> Json:
    """Return the creation of a branch or tag; `ref` is the short name here."""
    return {"master_branch": repo.default_branch, "description": repo.description} | delete(
        repo, ref, sender, ref_type=ref_type
    )


def delete(repo: Repository, ref: str, sender: Person, *, ref_type: str = "branch") -> Json:
    return {"ref": ref, "ref_type": ref_type, "pusher_type": "user", **common(repo, sender)}


def repository(action: str, repo: Repository, sender: Person, *, old_name: str | None = None) -> Json:
    """Return a `repository` Event; `old_name` goes with `renamed`."""
    changes = {"changes": {"repository": {"name": {"from": old_name}}}} if old_name else {}
    return {"action": action, **changes, **common(repo, sender)}


def installation(action: str, inst: Installation, sender: Person, repos: Sequence[Repository] = ()) -> Json:
    return {
        "action": action,
        "installation": resources.installation(inst, suspended_by=sender if inst.suspended_at else None),
        "repositories": [resources.repository_hint(repo) for repo in repos],
        "sender": resources.user(sender),
    }


def installation_repositories(
    action: str, inst: Installation, sender: Person, repos: Sequence[Repository]
) -> Json:
    """Return repositories `added` to or `removed` from an installation."""
    hints = [resources.repository_hint(repo) for repo in repos]
    return {
        "action": action,
        "installation": resources.installation(inst),
        "repository_selection": inst.selection,
        "repositories_added": hints if action == "added" else [],
        "repositories_removed": hints if action == "removed" else [],
        "requester": None,
        "sender": resources.user(sender),
    }


def member(action: str, repo: Repository, person: Person, sender: Person) -> Json:
    changes = {"permission": {"to": "write"}} if action == "added" else {}
    return {
        "action": action,
        "member": resources.user(person),
        **({"changes": changes} if changes else {}),
        **common(repo, sender),
    }


def release(action: str, repo: Repository, tag: str, author: Person, *, name: str = "") -> Json:
    number = int(sha(f"{repo.id} {tag}")[:7], 16)
    api = f"{resources.repository_url(repo)}/releases/{number}"
    body = {
        "url": api,
        "assets_url": f"{api}/assets",
        "upload_url": f"{api.replace('//api.', '//uploads.')}/assets{{?name,label}}",
        "html_url": f"{WEB}/{repo.full_name}/releases/tag/{tag}",
        "id": number,
        "node_id": node_id("RE", repo.id, number),
        "tag_name": tag,
        "target_commitish": repo.default_branch,
        "name": name or tag,
        "draft": False,
        "author": resources.user(author),
        "prerelease": False,
        "created_at": instant(repo.updated_at),
        "published_at": instant(repo.updated_at),
        "assets": [],
        "tarball_url": f"{resources.repository_url(repo)}/tarball/{tag}",
        "zipball_url": f"{resources.repository_url(repo)}/zipball/{tag}",
        "body": "",
    }
    return {"action": action, "release": body, **common(repo, author)}


_PROTECTIONS = (
    "signature_requirement",
    "linear_history_requirement",
    "allow_force_pushes",
    "allow_deletions",
    "merge_queue",
    "required_deployments",
    "required_conversation_resolution",
    "pull_request_reviews",
    "required_status_checks",
)


def branch_protection_rule(action: str, repo: Repository, branch: str, sender: Person) -> Json:
    number = int(sha(f"{repo.id} {branch}")[:7], 16)
    flags = ("dismiss_stale_reviews_on_push", "require_code_owner_review", "admin_enforced")
    more_flags = ("authorized_dismissal_actors_only", "ignore_approvals_from_contributors")
    levels = {f"{name}_enforcement_level": "off" for name in _PROTECTIONS}
    level = levels.pop("required_conversation_resolution_enforcement_level")
    rule = {
        "id": number,
        "repository_id": repo.id,
        "name": branch,
        "created_at": instant(BEGINNING),
        "updated_at": instant(repo.updated_at),
        **levels,
        "required_conversation_resolution_level": level,
        **dict.fromkeys(flags + more_flags, False),
        **dict.fromkeys(("strict_required_status_checks_policy", "authorized_actors_only"), True),
        "required_approving_review_count": 1,
        "required_status_checks": ["build"],
        "authorized_actor_names": [sender.login],
    }
    return {"action": action, "rule": rule, **common(repo, sender)}


def ping(repo: Repository, hook_id: int, sender: Person, receiver_url: str) -> Json:
    api = f"{API}/repos/{repo.full_name}/hooks/{hook_id}"
    hook = {
        "type": "Repository",
        "id": hook_id,
        "name": "web",
        "active": True,
        "events": ["*"],
        "config": {
            "content_type": "json",
            "insecure_ssl": "0",
            "secret": "********",
            "url": receiver_url,
        },
        "updated_at": instant(repo.updated_at),
        "created_at": instant(BEGINNING),
        "url": api,
        "test_url": f"{api}/test",
        "ping_url": f"{api}/pings",
        "deliveries_url": f"{api}/deliveries",
        "last_response": {"code": None, "status": "unused", "message": None},
    }
    body = {"zen": "Anything added dilutes everything else.", "hook_id": hook_id, "hook": hook}
    return body | {key: value for key, value in common(repo, sender).items() if key != "installation"}
