"""What is read for submissions."""

from __future__ import annotations

from collections.abc import Sequence

from submissions.decisions.pushing import Made
from submissions.models import PullRequestItem, SubmissionCommit
from webhooks.models import Repository


def repository_named(full_name: str) -> Repository | None:
    """Return the current row of the repository that is called so ("owner/name", any letter case)."""
    owner, _, name = full_name.partition("/")
    named = Repository.objects.filter(owner_login=owner, name=name).order_by("-pk").first()
    if named is None:
        return None
    current = Repository.objects.filter(github_id=named.github_id).order_by("-pk").first()
    # It may have been renamed, and the name be free or taken by nobody yet.
    same = current and (current.owner_login.lower(), current.name.lower()) == (owner.lower(), name.lower())
    return current if same else None


def item_of(repository_id: int, number: int) -> PullRequestItem | None:
    """Return the newest work item that opened a pull request, None when no submission did."""
    return PullRequestItem.objects.filter(repository_id=repository_id, number=number).order_by("-pk").first()


def made_commits(item: PullRequestItem, files_hash: str) -> Sequence[Made]:
    """Return the commits that the item has for its present files, the newest first."""
    rows = SubmissionCommit.objects.filter(work_item_id=item.pk, files_hash=files_hash).order_by("-pk")
    return [Made(sha=row.sha, upon=row.upon_sha) for row in rows]


def commit_of_ours(item: PullRequestItem, sha: str) -> SubmissionCommit | None:
    """Return the commit if this product made it for the item's branch, in whatever generation."""
    return SubmissionCommit.objects.filter(
        repository_id=item.repository_id, head_branch=item.head_branch, sha=sha
    ).first()


def shas_of(item: PullRequestItem) -> frozenset[str]:
    """Return all commits that were made for the item."""
    return frozenset(SubmissionCommit.objects.filter(work_item_id=item.pk).values_list("sha", flat=True))
