"""GitHub's JSON for pull requests and issues: a pull request has three forms, each Event carries its own."""

from __future__ import annotations

from sandbox.resources import WEB, Json, instant, repository, repository_url, user
from sandbox.world import Issue, PullRequest, Repository, node_id, sha


def label(name: str, repo: Repository) -> Json:
    number = int(sha(f"{repo.id} {name}")[:7], 16)
    return {
        "id": number,
        "node_id": node_id("LA", repo.id, number),
        "url": f"{repository_url(repo)}/labels/{name}",
        "name": name,
        "color": "d73a4a",
        "default": False,
        "description": None,
    }


def milestone(title: str, repo: Repository) -> Json:
    number = int(sha(f"{repo.id} {title}")[:7], 16)
    api = f"{repository_url(repo)}/milestones/1"
    return {
        "url": api,
        "html_url": f"{WEB}/{repo.full_name}/milestone/1",
        "labels_url": f"{api}/labels",
        "id": number,
        "node_id": node_id("MI", repo.id, number),
        "number": 1,
        "title": title,
        "creator": user(repo.owner),
        **dict.fromkeys(("description", "due_on", "closed_at")),
        **dict.fromkeys(("open_issues", "closed_issues"), 1),
        "state": "open",
        "created_at": instant(repo.created_at),
        "updated_at": instant(repo.updated_at),
    }


def short_pull_request(pull: PullRequest) -> Json:
    """Return the form that reviews carry: without `merged` and the counts."""
    api, web = pull_request_url(pull), f"{WEB}/{pull.repository.full_name}/pull/{pull.number}"
    links = _links(pull, api)
    closed_at = instant(pull.closed_at or pull.updated_at) if pull.state == "closed" else None
    return {
        **links,
        "id": pull.id,
        "node_id": pull.node_id,
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "number": pull.number,
        "state": pull.state,
        "locked": False,
        "title": pull.title,
        "user": user(pull.author) if pull.author else None,
        "body": pull.body,
        "created_at": instant(pull.created_at),
        "updated_at": instant(pull.updated_at),
        "closed_at": closed_at,
        "merged_at": closed_at if pull.merged else None,
        "merge_commit_sha": sha(f"{pull.head_sha} merge"),
        "assignee": None,
        **{key: [] for key in ("assignees", "requested_reviewers", "requested_teams")},
        "labels": [label(name, pull.repository) for name in pull.labels],
        "milestone": milestone(pull.milestone, pull.repository) if pull.milestone else None,
        "draft": pull.draft,
        "head": _side(pull, pull.head_ref, pull.head_sha, gone=pull.fork_deleted),
        "base": _side(pull, pull.base_ref or pull.repository.default_branch, pull.base_sha, gone=False),
        "_links": {**_hrefs(links), "html": {"href": web}},
        "author_association": "CONTRIBUTOR",
        "auto_merge": _auto_merge(pull) if pull.auto_merge else None,
        "active_lock_reason": None,
    }


def pull_request(pull: PullRequest) -> Json:
    """Return the whole pull request, as `pull_request` Events carry it."""
    return {
        **short_pull_request(pull),
        "merged": pull.merged,
        "mergeable": None,
        "rebaseable": None,
        "mergeable_state": "unknown",
        "merged_by": user(pull.repository.owner) if pull.merged else None,
        "maintainer_can_modify": not pull.fork_deleted,
        "changed_files": pull.changed_files,
        **dict.fromkeys(("comments", "review_comments"), 0),
        "commits": 1,
        "additions": 12,
        "deletions": 3,
    }


def pull_request_url(pull: PullRequest) -> str:
    return f"{repository_url(pull.repository)}/pulls/{pull.number}"


def _links(pull: PullRequest, api: str) -> Json:
    repo = repository_url(pull.repository)
    return {
        "url": api,
        "issue_url": f"{repo}/issues/{pull.number}",
        "commits_url": f"{api}/commits",
        "review_comments_url": f"{api}/comments",
        "review_comment_url": f"{repo}/pulls/comments{{/number}}",
        "comments_url": f"{repo}/issues/{pull.number}/comments",
        "statuses_url": f"{repo}/statuses/{pull.head_sha}",
    }


def _hrefs(links: Json) -> Json:
    return {"self" if key == "url" else key.removesuffix("_url"): {"href": url} for key, url in links.items()}


def _side(pull: PullRequest, ref: str, commit: str, *, gone: bool) -> Json:
    owner = pull.repository.owner
    return {
        "label": None if gone else f"{owner.login}:{ref}",
        "ref": ref,
        "sha": commit,
        "user": None if gone else user(owner),
        "repo": None if gone else repository(pull.repository),
    }


def _auto_merge(pull: PullRequest) -> Json:
    return {
        "enabled_by": user(pull.repository.owner),
        "merge_method": "squash",
        "commit_title": pull.title,
        "commit_message": pull.body or "",
    }


def issue(item: Issue | PullRequest) -> Json:
    """Return the issue; a pull request is the issue that has a `pull_request` member."""
    api = f"{repository_url(item.repository)}/issues/{item.number}"
    place = "pull" if isinstance(item, PullRequest) else "issues"
    body = {
        "url": api,
        "repository_url": repository_url(item.repository),
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "html_url": f"{WEB}/{item.repository.full_name}/{place}/{item.number}",
        "id": item.id,
        "node_id": item.node_id,
        "number": item.number,
        "title": item.title,
        "user": user(item.author) if item.author else None,
        "labels": [label(name, item.repository) for name in item.labels],
        "state": item.state,
        "state_reason": "completed" if item.state == "closed" else None,
        "locked": False,
        **dict.fromkeys(("assignee", "milestone", "active_lock_reason")),
        "assignees": [],
        "comments": 1,
        "created_at": instant(item.created_at),
        "updated_at": instant(item.updated_at),
        "closed_at": instant(item.updated_at) if item.state == "closed" else None,
        "author_association": "CONTRIBUTOR",
        "performed_via_github_app": None,
        "body": item.body,
        "reactions": reactions(api),
    }
    return body | ({"pull_request": _pull_request_hint(item)} if isinstance(item, PullRequest) else {})


def _pull_request_hint(pull: PullRequest) -> Json:
    web = f"{WEB}/{pull.repository.full_name}/pull/{pull.number}"
    return {
        "url": pull_request_url(pull),
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "merged_at": instant(pull.updated_at) if pull.merged else None,
    }


def reactions(subject_url: str) -> Json:
    kinds = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{subject_url}/reactions", "total_count": 0, **dict.fromkeys(kinds, 0)}
