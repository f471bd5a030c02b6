"""The bodies of the Events that continuous integration causes: check suites, statuses and workflow runs."""

from __future__ import annotations

from datetime import datetime

from sandbox import pulls, resources
from sandbox.payloads import common
from sandbox.resources import WEB, Json, instant
from sandbox.world import BEGINNING, Commit, Installation, Person, PullRequest, Repository, node_id, sha


def check_suite(action: str, pull: PullRequest, inst: Installation, *, conclusion: str | None) -> Json:
    """Return a check suite of a pull request's head; `conclusion` is None until it completed."""
    number = int(sha(f"{pull.head_sha} suite")[:8], 16)
    api = f"{resources.repository_url(pull.repository)}/check-suites/{number}"
    suite = {
        "id": number,
        "node_id": node_id("CS", pull.repository.id, number),
        "head_branch": pull.head_ref,
        "head_sha": pull.head_sha,
        "status": "completed" if conclusion else "in_progress",
        "conclusion": conclusion,
        "url": api,
        "before": pull.base_sha,
        "after": pull.head_sha,
        "pull_requests": _of_pull_request(pull),
        "app": resources.app(inst),
        "created_at": instant(pull.updated_at),
        "updated_at": instant(pull.updated_at),
        "rerequestable": True,
        "runs_rerequestable": False,
        "latest_check_runs_count": 1,
        "check_runs_url": f"{api}/check-runs",
        "head_commit": resources.short_commit(_head(pull)),
    }
    return {"action": action, "check_suite": suite, **common(pull.repository, _author(pull))}


def status(pull: PullRequest, state: str, at: datetime, *, context: str = "ci/build") -> Json:
    """Return a commit status of `state` pending, success, failure or error on a pull request's head."""
    repo, commit = pull.repository, pull.head_sha
    place = {"sha": commit, "url": f"{resources.repository_url(repo)}/commits/{commit}"}
    branch = {"name": pull.head_ref, "commit": place, "protected": False}
    return {
        "id": int(sha(f"{commit} {context} {state}")[:8], 16),
        "sha": commit,
        "name": repo.full_name,
        "avatar_url": None,
        "target_url": None,
        "context": context,
        "description": None,
        "state": state,
        "commit": _commit_of_status(pull, at),
        "branches": [branch],
        "created_at": instant(at),
        "updated_at": instant(at),
        **common(repo, _author(pull)),
    }


def workflow_run(
    action: str, pull: PullRequest, *, conclusion: str | None, name: str = "CI", attempt: int = 1
) -> Json:
    """Return the Event of a workflow run of a pull request's head.

    `action` is requested, in_progress or completed.
    """
    run = workflow_run_itself(action, pull, conclusion=conclusion, name=name, attempt=attempt)
    workflow, repo = _workflow(pull.repository, name), pull.repository
    return {"action": action, "workflow_run": run, "workflow": workflow, **common(repo, _author(pull))}


def workflow_run_id(pull: PullRequest, name: str = "CI") -> int:
    """Return the id of a workflow's run on a pull request's head."""
    return int(sha(f"{pull.head_sha} {name}")[:8], 16)


def workflow_run_itself(
    action: str, pull: PullRequest, *, conclusion: str | None, name: str, attempt: int
) -> Json:
    """Return a run as its Events and GitHub's REST API show it."""
    repo = pull.repository
    number = workflow_run_id(pull, name)
    return {
        "id": number,
        "node_id": node_id("WFR", repo.id, number),
        "name": name,
        "display_title": pull.title,
        "event": "pull_request",
        "status": "completed" if conclusion else action.replace("requested", "queued"),
        "conclusion": conclusion,
        **_of_workflow(repo, name),
        **_suite_of_run(pull),
        **_addresses_of_run(repo, number),
        "run_number": pull.number,
        "run_attempt": attempt,
        "run_started_at": instant(pull.updated_at),
        "created_at": instant(pull.updated_at),
        "updated_at": instant(pull.updated_at),
        **_head_of_run(pull),
        "repository": resources.repository_lite(repo),
        "pull_requests": _of_pull_request(pull),
        "referenced_workflows": [],
        "actor": resources.user(_author(pull)),
        "triggering_actor": resources.user(_author(pull)),
    }


def _of_workflow(repo: Repository, name: str) -> Json:
    workflow = _workflow(repo, name)
    return {"path": workflow["path"], "workflow_id": workflow["id"], "workflow_url": workflow["url"]}


def _suite_of_run(pull: PullRequest) -> Json:
    suite = int(sha(f"{pull.head_sha} suite")[:8], 16)
    return {
        "check_suite_id": suite,
        "check_suite_node_id": node_id("CS", pull.repository.id, suite),
        "check_suite_url": f"{resources.repository_url(pull.repository)}/check-suites/{suite}",
    }


def _head_of_run(pull: PullRequest) -> Json:
    return {
        "head_branch": pull.head_ref,
        "head_sha": pull.head_sha,
        "head_commit": resources.short_commit(_head(pull)),
        "head_repository": resources.repository_lite(pull.repository),
    }


def _addresses_of_run(repo: Repository, number: int) -> Json:
    api = f"{resources.repository_url(repo)}/actions/runs/{number}"
    parts = ("jobs", "logs", "artifacts", "cancel", "rerun")
    return {
        "url": api,
        "html_url": f"{WEB}/{repo.full_name}/actions/runs/{number}",
        **{f"{part}_url": f"{api}/{part}" for part in parts},
        "previous_attempt_url": None,
    }


def _author(pull: PullRequest) -> Person:
    return pull.author or pull.repository.owner


def _head(pull: PullRequest) -> Commit:
    return Commit(sha=pull.head_sha, message=pull.title, author=_author(pull), at=pull.updated_at)


def _of_pull_request(pull: PullRequest) -> list[Json]:
    """Return the list that names the pull request; like GitHub's it is empty for a head in a fork."""
    repo = pull.repository
    place = {"id": repo.id, "url": resources.repository_url(repo), "name": repo.name}
    named = {
        "url": pulls.pull_request_url(pull),
        "id": pull.id,
        "number": pull.number,
        "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": place},
        "base": {"ref": repo.default_branch, "sha": pull.base_sha, "repo": place},
    }
    return [] if pull.fork_deleted else [named]


def _workflow(repo: Repository, name: str) -> Json:
    number = int(sha(f"{repo.id} {name}")[:7], 16)
    path = f".github/workflows/{name.lower()}.yml"
    return {
        "id": number,
        "node_id": node_id("W", repo.id, number),
        "name": name,
        "path": path,
        "state": "active",
        "created_at": instant(BEGINNING),
        "updated_at": instant(BEGINNING),
        "url": f"{resources.repository_url(repo)}/actions/workflows/{number}",
        "html_url": f"{WEB}/{repo.full_name}/blob/{repo.default_branch}/{path}",
        "badge_url": f"{WEB}/{repo.full_name}/workflows/{name}/badge.svg",
    }


def _commit_of_status(pull: PullRequest, at: datetime) -> Json:
    repo, author = pull.repository, _author(pull)
    api = f"{resources.repository_url(repo)}/commits/{pull.head_sha}"
    by = {"name": author.login, "email": author.email, "date": instant(at)}
    tree = sha(f"{pull.head_sha} tree")
    return {
        "sha": pull.head_sha,
        "node_id": f"C_{pull.head_sha}",
        "commit": {
            "author": by,
            "committer": by,
            "message": pull.title,
            "tree": {"sha": tree, "url": f"{resources.repository_url(repo)}/git/trees/{tree}"},
            "url": api.replace("/commits/", "/git/commits/"),
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
            },
        },
        "url": api,
        "html_url": f"{WEB}/{repo.full_name}/commit/{pull.head_sha}",
        "comments_url": f"{api}/comments",
        "author": resources.user(author),
        "committer": resources.user(author),
        "parents": [],
    }
