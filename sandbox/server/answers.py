"""GitHub's JSON where an answer holds more than an Event does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sandbox import pulls, resources
from sandbox.resources import WEB, Json, instant
from sandbox.server.state import State
from sandbox.world import BEGINNING, Issue, Person, PullRequest, Repository, node_id, sha

# The commits that branches point to were all made by one person, at the beginning.
_AUTHOR = Person(id=32001, login="mira-solano")


def repository(repo: Repository, state: State) -> Json:
    """Return a repository as a listing holds it."""
    open_things = sum(thing.state == "open" for thing in state.things.get(repo.id, {}).values())
    return {
        **resources.repository(repo),
        "has_issues": repo.id not in state.issues_off,
        "open_issues": open_things,
        "open_issues_count": open_things,
        "permissions": {"admin": False, "push": True, "pull": True},
    }


def full_repository(repo: Repository, state: State) -> Json:
    """Return a repository as GitHub shows it alone."""
    methods = state.merging.of_branch(repo.id).methods
    allowed = {
        "allow_merge_commit": "merge" in methods,
        "allow_squash_merge": "squash" in methods,
        "allow_rebase_merge": "rebase" in methods,
    }
    return {**repository(repo, state), **allowed, "network_count": 0, "subscribers_count": 0}


# A page of a hundred is half a megabyte of JSON and more, the same whenever it is read again.
@lru_cache(maxsize=8192)
def listed_pull_request(pull: PullRequest) -> str:
    """Return a pull request as a listing holds it, as text."""
    return json.dumps(pulls.short_pull_request(pull), ensure_ascii=False)


@lru_cache(maxsize=8192)
def listed_issue(thing: Issue | PullRequest) -> str:
    """Return an issue or a pull request as the listing of issues holds it, as text."""
    return json.dumps(pulls.issue(thing), ensure_ascii=False)


def pull_request(pull: PullRequest, state: State) -> Json:
    """Return a pull request as GitHub shows it alone: with what it thinks of merging it."""
    standing = state.standing(pull.repository.id, pull.number)
    is_open = pull.state == "open"
    word = "draft" if pull.draft and standing.mergeable_state == "clean" else standing.mergeable_state
    return {
        **pulls.pull_request(pull),
        "mergeable": standing.mergeable if is_open else None,
        "mergeable_state": word if is_open else "unknown",
    }


def installation(state: State, installation_id: int) -> Json:
    return resources.installation(state.installations[installation_id])


def app(state: State) -> Json:
    """Return the App itself, as it sees itself."""
    return {
        "id": state.app_id,
        "slug": state.app_slug,
        "node_id": node_id("A", state.app_id),
        "client_id": f"Iv1.{sha(str(state.app_id))[:16]}",
        "owner": resources.user(_AUTHOR),
        "name": state.app_slug,
        "description": None,
        "external_url": "https://pullkeeper.example",
        "html_url": f"{WEB}/apps/{state.app_slug}",
        "created_at": instant(BEGINNING),
        "updated_at": instant(BEGINNING),
        "permissions": {"checks": "read", "contents": "write", "metadata": "read", "pull_requests": "write"},
        "events": ["check_suite", "issues", "pull_request", "push", "repository"],
        "installations_count": len(state.installations),
    }


def listed_branch(repo: Repository, name: str, commit: str) -> Json:
    url = f"{resources.repository_url(repo)}/commits/{commit}"
    return {"name": name, "commit": {"sha": commit, "url": url}, "protected": False}


def branch(repo: Repository, name: str, commit: str, demanded: Sequence[Sequence[Any]] = ()) -> Json:
    """Return a branch with its commit and protection; `demanded` checks are pairs of context and App's id or None."""
    checks = [{"context": context, "app_id": app} for context, app in demanded]
    contexts = [context for context, _ in demanded]
    url = f"{resources.repository_url(repo)}/branches/{name}"
    return {
        "name": name,
        "commit": commit_of(repo, commit),
        "_links": {"self": url, "html": f"{WEB}/{repo.full_name}/tree/{name}"},
        "protected": bool(checks),
        "protection": {
            "enabled": bool(checks),
            "required_status_checks": {"contexts": contexts, "checks": checks},
        },
        "protection_url": f"{url}/protection",
    }


def commit_of(repo: Repository, commit: str) -> Json:
    """Return a commit; all of them were made by the same person, at the beginning."""
    api, tree = f"{resources.repository_url(repo)}", sha(f"{commit} tree")
    who = {"name": _AUTHOR.login, "email": _AUTHOR.email, "date": instant(BEGINNING)}
    return {
        "sha": commit,
        "node_id": node_id("C", repo.id, int(commit[:7], 16)),
        "commit": {
            "author": who,
            "committer": who,
            "message": "A change",
            "tree": {"sha": tree, "url": f"{api}/git/trees/{tree}"},
            "url": f"{api}/git/commits/{commit}",
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "url": f"{api}/commits/{commit}",
        "html_url": f"{WEB}/{repo.full_name}/commit/{commit}",
        "comments_url": f"{api}/commits/{commit}/comments",
        "author": resources.user(_AUTHOR),
        "committer": resources.user(_AUTHOR),
        "parents": [],
    }
