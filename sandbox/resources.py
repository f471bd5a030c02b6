"""GitHub's JSON for accounts, repositories, installations and commits, as payloads and answers nest them.

Names, types and address patterns follow the published webhook schemas, address templates in braces included.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sandbox.world import BEGINNING, Commit, Installation, Person, Repository, node_id, sha

Json = dict[str, Any]

API = "https://api.github.com"
WEB = "https://github.com"

_USER_PLACES = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_ORGANIZATION_PLACES = {
    "repos_url": "/repos",
    "events_url": "/events",
    "hooks_url": "/hooks",
    "issues_url": "/issues",
    "members_url": "/members{/member}",
    "public_members_url": "/public_members{/member}",
}
_REPOSITORY_PLACES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


def instant(at: datetime | None) -> str | None:
    """Word an instant as GitHub does, whole seconds in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def user(person: Person) -> Json:
    """Return the account as GitHub's simple user."""
    url = f"{API}/users/{person.login}"
    return {
        "login": person.login,
        "id": person.id,
        "node_id": person.node_id,
        "avatar_url": f"https://avatars.githubusercontent.com/u/{person.id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{WEB}/{person.login}",
        **{key: url + place for key, place in _USER_PLACES.items()},
        "type": person.type,
        "site_admin": False,
    }


def organization(account: Person) -> Json:
    """Return the account as the `organization` member of an Event."""
    url = f"{API}/orgs/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": account.node_id,
        "url": url,
        **{key: url + place for key, place in _ORGANIZATION_PLACES.items()},
        "avatar_url": f"https://avatars.githubusercontent.com/u/{account.id}?v=4",
        "description": "",
    }


def repository_lite(repo: Repository) -> Json:
    """Return what GitHub shows of a repository inside another object."""
    url = repository_url(repo)
    return {
        "id": repo.id,
        "node_id": repo.node_id,
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": user(repo.owner),
        "html_url": f"{WEB}/{repo.full_name}",
        "description": repo.description,
        "fork": repo.fork,
        "url": url,
        **{key: url + place for key, place in _REPOSITORY_PLACES.items()},
    }


def repository(repo: Repository) -> Json:
    """Return the whole repository, as the `repository` member of nearly every Event."""
    address = f"github.com/{repo.full_name}.git"
    return {
        **repository_lite(repo),
        "created_at": instant(repo.created_at),
        "updated_at": instant(repo.updated_at),
        "pushed_at": instant(repo.updated_at),
        "git_url": f"git://{address}",
        "ssh_url": f"git@github.com:{repo.full_name}.git",
        "clone_url": f"https://{address}",
        "svn_url": f"{WEB}/{repo.full_name}",
        **dict.fromkeys(("homepage", "mirror_url", "license")),
        **dict.fromkeys(("size", "forks_count", "open_issues_count", "forks", "open_issues"), 0),
        **dict.fromkeys(("stargazers_count", "watchers_count", "watchers"), 0),
        **dict.fromkeys(("has_issues", "has_projects", "has_downloads", "has_wiki", "allow_forking"), True),
        **dict.fromkeys(("has_pages", "has_discussions", "disabled", "is_template"), False),
        "language": repo.language,
        "archived": repo.archived,
        "default_branch": repo.default_branch,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "web_commit_signoff_required": False,
        "custom_properties": {},
    }


def repository_url(repo: Repository) -> str:
    return f"{API}/repos/{repo.full_name}"


def repository_hint(repo: Repository) -> Json:
    """Return the five keys by which installation Events name a repository."""
    return {key: getattr(repo, key) for key in ("id", "node_id", "name", "full_name", "private")}


def installation(inst: Installation, *, suspended_by: Person | None = None) -> Json:
    """Return the whole installation, as in Events about installations."""
    return {
        "id": inst.id,
        "account": user(inst.account),
        "repository_selection": inst.selection,
        "access_tokens_url": f"{API}/app/installations/{inst.id}/access_tokens",
        "repositories_url": f"{API}/installation/repositories",
        "html_url": f"{WEB}/settings/installations/{inst.id}",
        "app_id": inst.app_id,
        "app_slug": inst.app_slug,
        "target_id": inst.account.id,
        "target_type": inst.account.type,
        "permissions": {"checks": "read", "contents": "write", "metadata": "read", "pull_requests": "write"},
        "events": ["check_suite", "issues", "pull_request", "push", "repository"],
        "created_at": instant(inst.created_at),
        "updated_at": instant(inst.suspended_at or inst.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": user(suspended_by) if suspended_by else None,
        "suspended_at": instant(inst.suspended_at),
    }


def short_commit(commit: Commit) -> Json:
    """Return the form that check suites and workflow runs carry."""
    author = {"name": commit.author.login, "email": commit.author.email}
    return {
        "id": commit.sha,
        "tree_id": sha(f"{commit.sha} tree"),
        "message": commit.message,
        "timestamp": instant(commit.at),
        "author": author,
        "committer": {"name": "GitHub", "email": "noreply@github.com"},
    }


def commit_of_push(commit: Commit, repo: Repository) -> Json:
    author = {"name": commit.author.login, "email": commit.author.email, "username": commit.author.login}
    return {
        **short_commit(commit),
        "distinct": True,
        "url": f"{WEB}/{repo.full_name}/commit/{commit.sha}",
        "author": author,
        "added": [],
        "removed": [],
        "modified": list(commit.modified),
    }


def app(inst: Installation) -> Json:
    return {
        "id": inst.app_id,
        "slug": inst.app_slug,
        "node_id": node_id("A", inst.app_id),
        "owner": user(inst.account),
        "name": inst.app_slug,
        "description": None,
        "external_url": "https://ci.example",
        "html_url": f"{WEB}/apps/{inst.app_slug}",
        "created_at": instant(BEGINNING),
        "updated_at": instant(BEGINNING),
        "permissions": {"checks": "write", "metadata": "read"},
        "events": [],
    }
