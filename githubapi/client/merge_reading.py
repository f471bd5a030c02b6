"""From GitHub's JSON about merging to our values; `reading.item` words what cannot be read."""

from __future__ import annotations

from githubapi.client.members import flag, integer, login, text
from githubapi.client.reading import Json
from githubapi.merging_values import (
    BranchDemands,
    ChangedFile,
    MergeAnswer,
    MergeMethod,
    MergeOutcome,
    RequiredCheck,
    Review,
    SearchHit,
    TreeEntry,
)

_ALLOWED = {
    MergeMethod.SQUASH: "allow_squash_merge",
    MergeMethod.MERGE: "allow_merge_commit",
    MergeMethod.REBASE: "allow_rebase_merge",
}


def merge(data: Json) -> MergeAnswer:
    merged = flag(data["merged"])
    outcome = MergeOutcome.MERGED if merged else MergeOutcome.REFUSED
    return MergeAnswer(outcome, text(data["message"]), text(data["sha"]) if merged else "")


def search_hit(data: Json) -> SearchHit:
    owner, repository = text(data["repository_url"]).rsplit("/", 2)[1:]
    return SearchHit(
        owner=owner,
        repository=repository,
        number=integer(data["number"]),
        title=text(data["title"]),
        draft=flag(data.get("draft", False)),
    )


def changed_file(data: Json) -> ChangedFile:
    previous = data.get("previous_filename")
    return ChangedFile(
        path=text(data["filename"]),
        status=text(data["status"]),
        previous_path=None if previous is None else text(previous),
    )


def tree(data: Json) -> tuple[TreeEntry, ...]:
    """Return a folder's entries; raises ValueError where GitHub has left some out."""
    if flag(data["truncated"]):
        raise ValueError("the folder is too large to be listed")
    return tuple(
        TreeEntry(text(part["path"]), text(part["mode"]), text(part["sha"])) for part in data["tree"]
    )


def review(data: Json) -> Review:
    return Review(login(data["user"]), text(data["state"]))


def branch_demands(data: Json) -> BranchDemands:
    """Return what the `rules` of rulesets demand together."""
    rules = data["rules"]
    required = (
        RequiredCheck(text(check["context"]), check.get("integration_id"))
        for rule in rules
        if rule["type"] == "required_status_checks"
        for check in rule["parameters"]["required_status_checks"]
    )
    return BranchDemands(tuple(required), any(rule["type"] == "merge_queue" for rule in rules))


def protection(data: Json) -> BranchDemands | None:
    """Return what the older branch protection demands, as the branch itself tells it; None if it hides that."""
    if "protection" not in data:
        return None if flag(data["protected"]) else BranchDemands(())
    known = data["protection"]["required_status_checks"]
    checks = [RequiredCheck(text(check["context"]), check["app_id"]) for check in known.get("checks", ())]
    named = {check.context for check in checks}
    older = [RequiredCheck(text(context), None) for context in known["contexts"] if context not in named]
    return BranchDemands((*checks, *older))


def merge_methods(data: Json) -> tuple[MergeMethod, ...]:
    """Return the allowed methods, in our order; all of them where GitHub does not tell."""
    return tuple(method for method, member in _ALLOWED.items() if data.get(member, True))
