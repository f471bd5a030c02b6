"""Taking in a submission: all rules are checked before anything is written, and nobody asks GitHub here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from core import registry
from submissions import selectors
from submissions.decisions.paths import blocked_by, patterns_in
from submissions.decisions.upsert import Known, Upsert, content_hash, decide_upsert
from submissions.models import Submission
from submissions.setting_specs import BLOCKED_PATHS
from submissions.values import ITEM_TYPE, Need, Wanted, wanted_of
from webhooks.models import Repository
from workqueue.registry import TYPES
from workqueue.services import submitting
from workqueue.services.holding import Held
from workqueue.values import Changes, DimensionUpdate, Phase, Refused, Submitted

_SENTENCES = {
    Upsert.CREATED: "A branch and a pull request will be made.",
    Upsert.UNCHANGED: "This is what was submitted before; nothing changes.",
    Upsert.UPDATED: "The pull request will be brought to the new state.",
    Upsert.RETRIED: "It had failed, and is tried again with this.",
    Upsert.NEXT_GENERATION: "The one before has ended; a new pull request will be made.",
}


@dataclass(frozen=True)
class Request:
    """One submission on its way in."""

    repository: Repository
    head_branch: str
    wanted: Wanted
    caller: str

    @property
    def identity(self) -> str:
        return f"{self.repository.github_id}:{self.head_branch}"


def submit(data: Mapping[str, Any], caller: str) -> Submitted:
    """Take in the desired state of a pull request, as submissions.api.serializers has read it.

    `caller` comes from authentication. Raises Refused: "unknown_repository", "archived", "blocked_path", "own_base".
    """
    wanted = wanted_of(data)
    _refuse_blocked(wanted)
    request = Request(_repository(data["repository"]), data["head_branch"], wanted, caller)
    return submitting.in_one_step(partial(_upsert, request))


def _refuse_blocked(wanted: Wanted) -> None:
    patterns = patterns_in(registry.effective()[BLOCKED_PATHS])
    for path in (path for action in wanted.file_actions for path in action.paths):
        if pattern := blocked_by(path, patterns):
            raise Refused("blocked_path", f"No submission may touch {path}: the pattern {pattern} blocks it.")


def _repository(full_name: str) -> Repository:
    found = selectors.repository_named(full_name)
    if found is None or not found.installation_id:
        raise Refused("unknown_repository", f"No installation of this App reaches {full_name}.")
    if found.archived:
        raise Refused("archived", f"{full_name} is archived: nothing can be written there.")
    return found


def _upsert(request: Request) -> Submitted:
    """Find the branch's newest item, decide, write: in one transaction, the item's row locked."""
    item_type = TYPES[ITEM_TYPE]
    found = submitting.newest(item_type, request.identity, actor=request.caller)
    digest = content_hash(request.wanted)
    known = Known(found.phase, found.item.content_hash) if found else None
    outcome = decide_upsert(known, digest)
    if found is None or outcome is Upsert.NEXT_GENERATION:
        changes = _first(request, _recorded(request, outcome, digest))
        made = submitting.create(item_type, request.identity, changes, caller=request.caller, after=found)
        return _answer(made, outcome)
    if outcome is not Upsert.UNCHANGED:
        _bring_to(found, request, _recorded(request, outcome, digest))
    return _answer(found, outcome)


def _bring_to(found: Held, request: Request, submission: Submission) -> None:
    changes = Changes(
        columns=_desired(request, submission), dimensions=[DimensionUpdate(Need.PULL_REQUEST, needed=True)]
    )
    bring = submitting.revive if found.phase is Phase.FAILED else submitting.change
    bring(found, changes, f"submitted by {request.caller or 'nobody known'}: {submission.outcome}")


def _first(request: Request, submission: Submission) -> Changes:
    """A new item lacks the rows of its needs, which says that they are to be met; only no run can have failed yet."""
    place = {"repository_id": request.repository.github_id, "head_branch": request.head_branch}
    return Changes(
        columns=_desired(request, submission) | place,
        dimensions=[DimensionUpdate(Need.CI_RETRY, needed=False)],
    )


def _desired(request: Request, submission: Submission) -> dict[str, Any]:
    return {
        "installation_id": request.repository.installation_id,
        "repository_owner": request.repository.owner_login,
        "repository_name": request.repository.name,
        "base_branch": request.wanted.base_branch,
        "title": request.wanted.title,
        "submission_id": submission.pk,
        "content_hash": submission.content_hash,
    }


def _recorded(request: Request, outcome: Upsert, digest: str) -> Submission:
    return Submission.objects.create(
        repository_id=request.repository.github_id,
        head_branch=request.head_branch,
        caller_identity=request.caller[: Submission._meta.get_field("caller_identity").max_length],
        outcome=outcome.value,
        content_hash=digest,
        content=asdict(request.wanted),
    )


def _answer(held: Held, outcome: Upsert) -> Submitted:
    return Submitted(held.item.pk, outcome.value, _SENTENCES[outcome])
