"""The executor `reconcile`: one fetch, the cheap corrections always, the dear one when it is due, and the merge."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from githubapi.merging_values import MergeAnswer, MergeMethod, MergeOutcome
from githubapi.pull_values import OwnPullRequest
from submissions.decisions import reconciling as decisions
from submissions.decisions.reconciling import Corrections, Verdict, Way
from submissions.services.ensuring import NOTHING_LEFT
from submissions.services.place import Place, again_in, handled, next_empty_check, place_of, tip_of
from submissions.values import Need
from workqueue.registry import Job
from workqueue.values import Changes, DimensionUpdate, Done, Outcome, Phase

SOON = timedelta(seconds=30)
# GitHub is asked so often whether it can be merged; after that at the next event or regular look.
MOST_UNKNOWN_READS = 5
_NOTHING_TO_SEE = (handled(Need.RECONCILE), handled(Need.EMPTY_CHECK))


def reconcile(job: Job) -> Outcome:
    """Bring the pull request to what was submitted, close it when it is empty, merge it when that is wanted."""
    place = place_of(job)
    if place.item.number is None:
        # Its opening is put off, and asks for a look when it is done.
        return Done("there is no pull request yet", Changes(dimensions=_NOTHING_TO_SEE))
    seen = place.client.own_pull_request(place.repository_id, place.item.number)
    if end := decisions.decide_end(seen, emptied=place.item.emptied):
        return _ended(end)
    corrected = _correct(place, decisions.corrections(place.wanted, seen))
    checked = job.snapshot.needs(Need.EMPTY_CHECK)
    if checked and _is_emptied(place, seen):
        return _close_empty(place)
    marks = [next_empty_check(place)] if checked else []
    return _merged_or_not(place, seen, corrected, marks)


def _ended(end: Verdict) -> Done:
    phase = Phase.COMPLETED if end.way is Way.COMPLETE else Phase.CANCELLED
    return Done(end.reason, Changes(dimensions=[handled(Need.RECONCILE)], phase=phase))


def _correct(place: Place, wanted: Corrections) -> str:
    """Put right what differs and return in words what it was, "" for nothing."""
    number = int(place.item.number or 0)
    if wanted.members:
        place.client.edit_pull_request(place.repository_id, number, wanted.members)
    if wanted.labels:
        place.client.add_labels(place.repository_id, number, wanted.labels)
    return ", ".join([*wanted.members, *(["labels"] if wanted.labels else [])])


def _is_emptied(place: Place, seen: OwnPullRequest) -> bool:
    facts = seen.detail.facts
    return not place.client.changed_files(place.repository_id, facts.base_ref, facts.head_sha)


def _close_empty(place: Place) -> Done:
    """Close it, never merge it. Written down before: the Event of the closing must not take it for a person's."""
    place.job.write(Changes(columns={"emptied": True}))
    place.client.close_pull_request(place.repository_id, int(place.item.number or 0))
    return _ended(Verdict(Way.COMPLETE, f"closed #{place.item.number}: {NOTHING_LEFT}"))


def _merged_or_not(
    place: Place, seen: OwnPullRequest, corrected: str, marks: Sequence[DimensionUpdate]
) -> Outcome:
    told = f"; corrected: {corrected}" if corrected else ""
    if "base" in corrected:
        # What GitHub said about merging was about the other base.
        soon = again_in(place, Need.RECONCILE, SOON)
        return Done(f"looked at{told}", Changes(dimensions=[*marks, soon]))
    head_sha = _head_of_ours(place, seen)
    verdict = decisions.why_not_merge(place.wanted, seen, head_sha) or _checked(place, head_sha)
    columns = {"head_sha": head_sha}
    if verdict.way is Way.MERGE:
        return _merge(place, head_sha, [*marks], verdict.reason + told)
    if verdict.way is Way.ASK_AGAIN:
        return _ask_again(place, columns, marks, verdict.reason + told)
    settled = Changes(columns=columns | {"unknown_reads": 0}, dimensions=[*marks, handled(Need.RECONCILE)])
    return Done(verdict.reason + told, settled)


def _head_of_ours(place: Place, seen: OwnPullRequest) -> str:
    """Return the pull request's head if it is a commit of ours, or one into which only the base was merged since."""
    head = seen.detail.facts.head_sha
    known = place.item.head_sha
    return head if head == known or tip_of(place, head).own else known


def _checked(place: Place, head_sha: str) -> Verdict:
    return decisions.judge_checks(place.client.head_checks(place.repository_id, head_sha))


def _ask_again(place: Place, columns: dict[str, str], marks: Sequence[DimensionUpdate], reason: str) -> Done:
    """Ask a few times in half a minute's distance, then leave it to the next event (field case F14)."""
    reads = place.item.unknown_reads + 1
    again = reads < MOST_UNKNOWN_READS
    mark = again_in(place, Need.RECONCILE, SOON) if again else handled(Need.RECONCILE)
    changes = Changes(columns={**columns, "unknown_reads": reads if again else 0}, dimensions=[*marks, mark])
    return Done(reason, changes)


def _merge(place: Place, head_sha: str, marks: list[DimensionUpdate], reason: str) -> Outcome:
    """Merge the head that was judged and no other (field case F05)."""
    method = MergeMethod(place.wanted.options.merge_method.value)
    number = int(place.item.number or 0)
    answer = place.client.merge_pull_request(place.repository_id, number, head_sha, method)
    return _after_merge(place, answer, marks, reason)


def _after_merge(place: Place, answer: MergeAnswer, marks: list[DimensionUpdate], reason: str) -> Outcome:
    if answer.outcome is MergeOutcome.MERGED:
        return _ended(Verdict(Way.COMPLETE, f"merged #{place.item.number}: {reason}"))
    words = f"not merged: {answer.outcome}" + (f" ({answer.message})" if answer.message else "")
    judge_anew = answer.outcome in {MergeOutcome.HEAD_MOVED, MergeOutcome.BASE_MOVED}
    mark = again_in(place, Need.RECONCILE, SOON) if judge_anew else handled(Need.RECONCILE)
    return Done(words, Changes(dimensions=[*marks, mark]))
