"""Merging a pull request: the merge itself, and what a bot asks before: files, reviews, the branch's rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sandbox import payloads, resources
from sandbox.resources import WEB, Json, instant
from sandbox.server.changer import person
from sandbox.server.head_routes import check_run, refusal_to_write
from sandbox.server.merge_world import BranchDemands, ChangedFile
from sandbox.server.messages import NOT_FOUND, Answer, error, ok
from sandbox.server.paging import cut
from sandbox.server.routing import Asked, Routes
from sandbox.world import Commit, PullRequest, Repository, node_id, sha

routes = Routes()

STILL_DRAFT = error(405, "Pull Request is still a draft")
NOT_MERGEABLE = error(405, "Pull Request is not mergeable")
QUEUE_ONLY = error(405, "Repository rule violations found: Changes must be made through the merge queue")
HEAD_MODIFIED = error(409, "Head branch was modified. Review and try the merge again.")

MOST_FILES = 3000
GOOD = {"success", "neutral", "skipped"}

PullHandler = Callable[[Asked, PullRequest], Answer]


def on_pull_request(verb: str, rest: str) -> Callable[[PullHandler], PullHandler]:
    """Enter a handler for a part of a pull request."""

    def enter(handler: PullHandler) -> PullHandler:
        def found(asked: Asked, repository: Repository) -> Answer:
            thing = asked.state.thing(repository.id, asked.part("number"))
            return handler(asked, thing) if isinstance(thing, PullRequest) else NOT_FOUND

        routes.on_repository(verb, rf"/pulls/(?P<number>\d+){rest}")(found)
        return handler

    return enter


@on_pull_request("PUT", "/merge")
def merge(asked: Asked, pull: PullRequest) -> Answer:
    """Merge, if the head is still the one that was sent and nothing speaks against it."""
    refused = refusal_to_write(asked, pull.repository) or _refusal_to_merge(asked, pull)
    if refused:
        return refused
    merge_commit = sha(f"{pull.head_sha} merge")
    merged = replace(pull, state="closed", merged=True, closed_at=asked.now, updated_at=asked.now)
    asked.state.add_thing(merged)
    _land(asked, pull, merge_commit)
    _move_base(asked, merged, merge_commit)
    return ok({"sha": merge_commit, "merged": True, "message": "Pull Request successfully merged"})


def _refusal_to_merge(asked: Asked, pull: PullRequest) -> Answer | None:
    demands, body = asked.state.merging.of_branch(pull.repository.id), asked.request.json()
    method = body.get("merge_method", "merge")
    standing = asked.state.standing(pull.repository.id, pull.number)
    unwanted = error(405, f"{method.capitalize()} merges are not allowed on this repository.")
    refusals = (
        (pull.state != "open", NOT_MERGEABLE),
        (pull.draft, STILL_DRAFT),
        (body.get("sha", pull.head_sha) != pull.head_sha, HEAD_MODIFIED),
        (standing.mergeable is not True, NOT_MERGEABLE),
        (demands.merge_queue, QUEUE_ONLY),
        (method not in demands.methods, unwanted),
    )
    first = next((answer for applies, answer in refusals if applies), None)
    return first or _missing_check(asked, pull, demands)


def _missing_check(asked: Asked, pull: PullRequest, demands: BranchDemands) -> Answer | None:
    runs = asked.state.check_runs.get(pull.head_sha, {})
    statuses = asked.state.statuses.get(pull.head_sha, {})
    good = {name for found in (runs, statuses) for name, word in found.items() if word in GOOD}
    for context, _ in demands.required + demands.protected:
        if context not in good:
            return error(405, f'Required status check "{context}" is expected.')
    return None


def _land(asked: Asked, pull: PullRequest, merge_commit: str) -> None:
    """Give the merge commit the content of both sides where Git has the head: a squash, with one parent."""
    objects, branches = asked.state.objects(pull.repository.id), asked.state.branches[pull.repository.id]
    base = branches[pull.repository.default_branch]
    if pull.head_sha in objects.commits:
        objects.add_commit(objects.merged(base, pull.head_sha), [base], pull.title, sha=merge_commit)


def _move_base(asked: Asked, pull: PullRequest, merge_commit: str) -> None:
    """Move the base branch on, everybody else falls behind, and send the Events that a merge causes."""
    repository, bot = pull.repository, person(f"{asked.state.app_slug}[bot]")
    branches = asked.state.branches[repository.id]
    before = branches[repository.default_branch]
    branches[repository.default_branch] = merge_commit
    for other in asked.state.pull_requests_of(repository.id):
        if other.state == "open":
            asked.state.standing(repository.id, other.number).behind += 1
    asked.hook.emit("pull_request", payloads.pull_request("closed", pull, bot))
    commit = Commit(sha=merge_commit, message=pull.title, author=bot, at=asked.now)
    ref = f"refs/heads/{repository.default_branch}"
    asked.hook.emit("push", payloads.push(repository, ref, [commit], bot, before=before))


@on_pull_request("GET", "/files")
def list_files(asked: Asked, pull: PullRequest) -> Answer:
    """At most 3000 files are listed, however many there are."""
    world = asked.state.merging
    files = world.changed_files(pull.repository.id, pull.number, pull.changed_files)[:MOST_FILES]
    page, headers = cut(files, asked.request, asked.base_url)
    return ok([_file(pull, changed) for changed in page], headers=headers)


@on_pull_request("GET", "/reviews")
def list_reviews(asked: Asked, pull: PullRequest) -> Answer:
    reviews = asked.state.merging.reviews.get(pull.repository.id, {}).get(pull.number, [])
    numbered = [(number, login, word) for number, (login, word) in enumerate(reviews, 1)]
    page, headers = cut(numbered, asked.request, asked.base_url)
    return ok([_review(pull, *review) for review in page], headers=headers)


@routes.on_repository("GET", r"/rules/branches/(?P<branch>.+)")
def list_branch_rules(asked: Asked, repository: Repository) -> Answer:
    rules = _rules(asked.state.merging.of_branch(repository.id), repository)
    page, headers = cut(rules, asked.request, asked.base_url)
    return ok(list(page), headers=headers)


@routes.on_repository("POST", "/check-runs")
def create_check_run(asked: Asked, repository: Repository) -> Answer:
    refused = refusal_to_write(asked, repository)
    if refused:
        return refused
    sent = asked.request.json()
    commit, name, conclusion = sent["head_sha"], sent["name"], sent.get("conclusion", "")
    asked.state.check_runs.setdefault(commit, {})[name] = conclusion
    return ok(check_run(repository, commit, name, conclusion), 201)


def _file(pull: PullRequest, changed: ChangedFile) -> Json:
    blob, web = sha(f"{pull.head_sha} {changed.filename}"), f"{WEB}/{pull.repository.full_name}"
    api = resources.repository_url(pull.repository)
    body: Json = {
        "sha": blob,
        "filename": changed.filename,
        "status": changed.status,
        "additions": 1,
        "deletions": 1,
        "changes": 2,
        "blob_url": f"{web}/blob/{pull.head_sha}/{changed.filename}",
        "raw_url": f"{web}/raw/{pull.head_sha}/{changed.filename}",
        "contents_url": f"{api}/contents/{changed.filename}?ref={pull.head_sha}",
        "patch": "@@ -1 +1 @@",
    }
    return body | ({"previous_filename": changed.previous_filename} if changed.previous_filename else {})


def _review(pull: PullRequest, number: int, login: str, word: str) -> Json:
    web = f"{WEB}/{pull.repository.full_name}/pull/{pull.number}"
    api = f"{resources.repository_url(pull.repository)}/pulls/{pull.number}"
    review_id = int(sha(f"{pull.id} review {number}")[:7], 16)
    links = {"html": {"href": f"{web}#review-{review_id}"}, "pull_request": {"href": api}}
    return {
        "id": review_id,
        "node_id": node_id("PRR", pull.repository.id, review_id),
        "user": resources.user(person(login)),
        "body": "",
        "state": word,
        "html_url": links["html"]["href"],
        "pull_request_url": api,
        "_links": links,
        "submitted_at": instant(pull.updated_at),
        "commit_id": pull.head_sha,
        "author_association": "MEMBER",
    }


def _rules(demands: BranchDemands, repository: Repository) -> list[Json]:
    ruleset = {"ruleset_source_type": "Repository", "ruleset_source": repository.full_name, "ruleset_id": 1}
    rules: list[Json] = []
    if demands.required:
        checks = [
            {"context": context} | ({"integration_id": app} if app else {})
            for context, app in demands.required
        ]
        parameters = {"strict_required_status_checks_policy": False, "required_status_checks": checks}
        rules.append({"type": "required_status_checks", "parameters": parameters, **ruleset})
    if demands.merge_queue:
        rules.append({"type": "merge_queue", "parameters": _QUEUE, **ruleset})
    return rules


_QUEUE: Json = {
    "check_response_timeout_minutes": 60,
    "grouping_strategy": "ALLGREEN",
    "max_entries_to_build": 5,
    "max_entries_to_merge": 5,
    "merge_method": "SQUASH",
    "min_entries_to_merge": 1,
    "min_entries_to_merge_wait_minutes": 5,
}
