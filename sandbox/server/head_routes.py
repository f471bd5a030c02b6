"""What a bot asks about a pull request's head, and how it moves it: comparison, checks, branch update."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from sandbox import payloads, pulls, resources
from sandbox.resources import WEB, Json, instant
from sandbox.server import answers
from sandbox.server.changer import person
from sandbox.server.messages import NOT_FOUND, Answer, error, ok
from sandbox.server.paging import cut
from sandbox.server.routing import Asked, Routes
from sandbox.server.state import APP_ID
from sandbox.world import BEGINNING, Commit, Installation, PullRequest, Repository, node_id, sha

routes = Routes()

NOT_OURS = error(403, "Resource not accessible by integration")
READ_ONLY = error(403, "Repository was archived so is read-only.")
NO_FORK = error(422, "The head repository of this pull request does not exist.")
NOTHING_NEW = error(422, "There are no new commits on the base branch.")
HEAD_DIFFERS = error(422, "expected head sha didn\u2019t match current head ref.")
CONFLICT = error(422, "merge conflict between base and head")


def refusal_to_write(asked: Asked, repository: Repository) -> Answer | None:
    """Return why an installation may not write here, None if it may."""
    own = repository.installation is not None and repository.installation.id == asked.installation_id
    if not own:
        return NOT_OURS
    return READ_ONLY if repository.archived else None


@routes.on_repository("GET", r"/compare/(?P<range>.+)")
def compare(asked: Asked, repository: Repository) -> Answer:
    """Behind is only who is the head of an open pull request; everybody else is level with the base."""
    base, _, head = unquote(asked.parts["range"]).partition("...")
    if found := _compared_in_git(asked, repository, base, head):
        return found
    pull = _with_head(asked, repository, head)
    if pull is None and head not in asked.state.branches[repository.id]:
        return NOT_FOUND
    behind = asked.state.standing(repository.id, pull.number).behind if pull else 0
    return ok(_comparison(repository, base, head, ahead=int(pull is not None), behind=behind))


@routes.on_repository("GET", r"/commits/(?P<sha>[0-9a-f]{40})/check-runs")
def list_check_runs(asked: Asked, repository: Repository) -> Answer:
    commit = asked.parts["sha"]
    runs = _runs_of(asked, repository, commit)
    page, headers = cut(runs, asked.request, asked.base_url)
    body = list(page)
    return ok({"total_count": len(runs), "check_runs": body}, headers=headers)


@routes.on_repository("GET", r"/commits/(?P<sha>[0-9a-f]{40})/status")
def combined_status(asked: Asked, repository: Repository) -> Answer:
    commit = asked.parts["sha"]
    statuses = sorted(asked.state.statuses.get(commit, {}).items())
    page, headers = cut(statuses, asked.request, asked.base_url)
    states = {state for _, state in statuses}
    bad = bool(states & {"failure", "error"})
    good = states == {"success"}
    url = f"{resources.repository_url(repository)}/commits/{commit}"
    body = {
        # Nothing at all is called pending, too.
        "state": "failure" if bad else "success" if good else "pending",
        "statuses": [_status(repository, commit, context, state) for context, state in page],
        "sha": commit,
        "total_count": len(statuses),
        "repository": resources.repository_lite(repository),
        "commit_url": url,
        "url": f"{url}/status",
    }
    return ok(body, headers=headers)


@routes.on_repository("PUT", r"/pulls/(?P<number>\d+)/update-branch")
def update_branch(asked: Asked, repository: Repository) -> Answer:
    """Merge the base into the head, if it is the expected one and there is anything to merge."""
    pull = asked.state.thing(repository.id, asked.part("number"))
    if not isinstance(pull, PullRequest):
        return NOT_FOUND
    refused = refusal_to_write(asked, repository) or _refusal_to_update(asked, pull)
    if refused:
        return refused
    before, standing = pull.head_sha, asked.state.standing(repository.id, pull.number)
    updated = replace(pull, head_sha=_merged_head(asked, pull), updated_at=asked.now)
    asked.state.add_thing(updated)
    standing.behind = 0
    _tell(asked, updated, before)
    url = pulls.pull_request_url(pull)
    return ok({"message": "Updating pull request branch.", "url": url}, 202)


def _refusal_to_update(asked: Asked, pull: PullRequest) -> Answer | None:
    standing = asked.state.standing(pull.repository.id, pull.number)
    if pull.fork_deleted:
        return NO_FORK
    if asked.request.json().get("expected_head_sha", pull.head_sha) != pull.head_sha:
        return HEAD_DIFFERS
    if not standing.behind:
        return NOTHING_NEW
    return CONFLICT if standing.mergeable is False else None


def _merged_head(asked: Asked, pull: PullRequest) -> str:
    """Return the commit that merges the base into a head: one with a tree where the head has one."""
    objects, branches = asked.state.objects(pull.repository.id), asked.state.branches[pull.repository.id]
    name, base = sha(f"{pull.head_sha} updated"), branches[pull.base_ref or pull.repository.default_branch]
    if pull.head_sha not in objects.commits:
        return name
    tree = objects.merged(base, pull.head_sha)
    return objects.add_commit(tree, [pull.head_sha, base], f"Merge branch '{base}'", sha=name)


def _tell(asked: Asked, pull: PullRequest, before: str) -> None:
    """Send the Events that an update causes, in the name of the App's bot."""
    bot = person(f"{asked.state.app_slug}[bot]")
    asked.hook.emit("pull_request", payloads.pull_request("synchronize", pull, bot))
    commit = Commit(sha=pull.head_sha, message="Merge the base", author=bot, at=asked.now)
    ref = f"refs/heads/{pull.head_ref}"
    asked.hook.emit("push", payloads.push(pull.repository, ref, [commit], bot, before=before))


def _compared_in_git(asked: Asked, repository: Repository, base: str, head: str) -> Answer | None:
    """Compare what both have as commits of their own; None for a head that the made-up world only names."""
    branches, objects = asked.state.branches[repository.id], asked.state.objects(repository.id)
    base_sha, head_sha = branches.get(base, base), branches.get(head, head)
    if head_sha not in objects.commits:
        return None
    ours, theirs = set(objects.history(head_sha)), set(objects.history(base_sha))
    compared = _comparison(repository, base, head, ahead=len(ours - theirs), behind=len(theirs - ours))
    files = [_file(repository, head_sha, *changed) for changed in objects.changed(base_sha, head_sha).items()]
    return ok(compared | {"files": files})


def _file(repository: Repository, commit: str, path: str, status: str) -> Json:
    api, web = resources.repository_url(repository), f"{WEB}/{repository.full_name}"
    return {
        "sha": sha(f"{commit} {path}"),
        "filename": path,
        "status": status,
        "additions": 1,
        "deletions": 0,
        "changes": 1,
        "blob_url": f"{web}/blob/{commit}/{path}",
        "raw_url": f"{web}/raw/{commit}/{path}",
        "contents_url": f"{api}/contents/{path}?ref={commit}",
        "patch": "@@ -0,0 +1 @@",
    }


def _with_head(asked: Asked, repository: Repository, head: str) -> PullRequest | None:
    found = (pull for pull in asked.state.pull_requests_of(repository.id) if pull.state == "open")
    return next((pull for pull in found if head in {pull.head_sha, pull.head_ref}), None)


def _comparison(repo: Repository, base: str, head: str, *, ahead: int, behind: int) -> Json:
    web = f"{WEB}/{repo.full_name}/compare/{base}...{head}"
    words = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    commit = answers.commit_of(repo, sha(f"{repo.id} base"))
    return {
        "url": f"{resources.repository_url(repo)}/compare/{base}...{head}",
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": commit,
        "merge_base_commit": commit,
        "status": words.get((ahead > 0, behind > 0), "identical"),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [],
        "files": [],
    }


def _runs_of(asked: Asked, repository: Repository, commit: str) -> list[Json]:
    """Return the check runs of a commit, repetitions and other Apps' included."""
    first = sorted(asked.state.check_runs.get(commit, {}).items())
    more = asked.state.merging.runs.get(commit, ())
    return [check_run(repository, commit, name, conclusion) for name, conclusion in first] + [
        check_run(repository, commit, run.name, run.conclusion, app_id=run.app_id) | {"id": run.number}
        for run in more
    ]


def check_run(repo: Repository, commit: str, name: str, conclusion: str, *, app_id: int = APP_ID) -> Json:
    """Return a check run; a conclusion of "" is none yet."""
    installation = repo.installation or Installation(id=1, account=repo.owner)
    number = int(sha(f"{commit} {name}")[:8], 16)
    api = f"{resources.repository_url(repo)}/check-runs/{number}"
    output = {**dict.fromkeys(("title", "summary", "text")), "annotations_count": 0}
    return {
        "id": number,
        "head_sha": commit,
        "node_id": node_id("CR", repo.id, number),
        "external_id": "",
        "url": api,
        "html_url": f"{WEB}/{repo.full_name}/runs/{number}",
        "details_url": "https://ci.example",
        "status": "completed" if conclusion else "in_progress",
        "conclusion": conclusion or None,
        "started_at": instant(BEGINNING),
        "completed_at": instant(BEGINNING) if conclusion else None,
        "output": {**output, "annotations_url": f"{api}/annotations"},
        "name": name,
        "check_suite": {"id": int(sha(f"{commit} suite")[:8], 16)},
        "app": resources.app(replace(installation, app_id=app_id)),
        "pull_requests": [],
    }


def _status(repo: Repository, commit: str, context: str, state: str) -> Json:
    number = int(sha(f"{commit} {context} {state}")[:8], 16)
    return {
        "url": f"{resources.repository_url(repo)}/statuses/{commit}",
        "id": number,
        "node_id": node_id("SC", repo.id, number),
        **dict.fromkeys(("avatar_url", "description", "target_url")),
        "state": state,
        "context": context,
        "created_at": instant(BEGINNING),
        "updated_at": instant(BEGINNING),
    }
