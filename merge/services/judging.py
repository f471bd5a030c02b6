"""Judging one pull request: the classifier, and what is remembered of its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import structlog

from core import clock
from core.functions import CurrentTimestamp, SecondsFromNow
from core.registry import Effective
from core.transactions import patiently
from githubapi.errors import GithubError, Suspended, Throttled
from githubapi.values import PullRequestDetail
from merge import selectors, setting_specs
from merge.decisions import is_named
from merge.models import MergeVerdict
from merge.rules.order import CLASSIFIER, decide_merge
from merge.rules.rule import Rule, refused
from merge.services.evidence import ask_for
from merge.services.notes import note_verdict
from merge.services.places import Place
from merge.services.reporting import report
from merge.values import Part, Snapshot, Standing, Verdict
from sync.services.github import asked

log = structlog.get_logger(__name__)


def judge(
    place: Place,
    detail: PullRequestDetail,
    settings: Effective,
    *,
    rules: Sequence[Rule] = CLASSIFIER,
    pinned_sha: str = "",
) -> Verdict:
    """Judge a pull request that was just read and keep the verdict; an error of GitHub's is a refusal (fails closed).

    Raises Throttled, Suspended, and Permanent ("no_installation", ...): those are about the installation.
    """
    memory = selectors.verdict_of(place.repository_id, detail.facts.number)
    snapshot = snapshot_of(place, detail, memory, settings, pinned_sha=pinned_sha)
    verdict = asked(lambda: _walk(place, snapshot, rules))
    is_news = keep(snapshot, place, verdict)
    if is_news and settings[setting_specs.REPORT]:
        report(place, snapshot, verdict)
    return verdict


def _walk(place: Place, snapshot: Snapshot, rules: Sequence[Rule]) -> Verdict:
    try:
        while isinstance(answer := decide_merge(snapshot, rules), Part):
            snapshot = ask_for(answer, place, snapshot.number, snapshot)
    except (Throttled, Suspended):
        raise
    except GithubError as error:
        log.warning("merge not judged", pull_request=f"{place.full_name}#{snapshot.number}", error=str(error))
        return refused("unanswered", f"GitHub did not answer: {error}")
    return answer


def snapshot_of(
    place: Place,
    detail: PullRequestDetail,
    memory: MergeVerdict | None,
    settings: Effective,
    *,
    pinned_sha: str = "",
) -> Snapshot:
    """Return what is known of a pull request before anything more is asked."""
    facts = detail.facts
    known = memory if memory and memory.head_sha == facts.head_sha else None
    return Snapshot(
        repository=place.full_name,
        number=facts.number,
        title=facts.title,
        state=facts.state,
        merged=facts.merged,
        draft=facts.draft,
        head_sha=facts.head_sha,
        base_ref=facts.base_ref,
        base_sha=facts.base_sha,
        mergeable=detail.mergeable,
        mergeable_state=detail.mergeable_state,
        changed_files=detail.changed_files,
        head_age=clock.now() - known.head_since if known else timedelta(0),
        unknown_reads=_unknown_reads(detail, known),
        pinned_sha=pinned_sha,
        may_lack_checks=is_named(place.full_name, settings[setting_specs.ALLOW_WITHOUT_CHECKS]),
    )


def _unknown_reads(detail: PullRequestDetail, known: MergeVerdict | None) -> int:
    if detail.mergeable is not None and detail.mergeable_state != "unknown":
        return 0
    return (known.unknown_reads if known else 0) + 1


def kept_refusal(detail: PullRequestDetail, repository_id: int) -> Verdict | None:
    """Return the refusal that stands until the head moves or the base is another one."""
    row = selectors.verdict_of(repository_id, detail.facts.number)
    same = row is not None and (row.head_sha, row.base_ref) == (detail.facts.head_sha, detail.facts.base_ref)
    if row is None or not row.kept or not same:
        return None
    return Verdict(standing=Standing(row.standing), code=row.code, sentence=row.sentence, kept=True)


def keep(snapshot: Snapshot, place: Place, verdict: Verdict) -> bool:
    """Keep the newest verdict on a pull request; tell whether it says something new."""
    return patiently(lambda: _keep(snapshot, place, verdict))


def _keep(snapshot: Snapshot, place: Place, verdict: Verdict) -> bool:
    key = {"repository_id": place.repository_id, "number": snapshot.number}
    row = MergeVerdict.objects.select_for_update().filter(**key).first()
    columns = _columns(snapshot, verdict) | {"judged_at": CurrentTimestamp()}
    is_new_head = row is None or row.head_sha != snapshot.head_sha
    is_news = is_new_head or row is None or (row.code, row.sentence) != (verdict.code, verdict.sentence)
    columns |= {"head_since": CurrentTimestamp()} if is_new_head else {}
    columns |= {"since": CurrentTimestamp()} if is_news else {}
    if row is None:
        MergeVerdict.objects.bulk_create([MergeVerdict(**key, **columns)], ignore_conflicts=True)
    else:
        MergeVerdict.objects.filter(pk=row.pk).update(**columns)
    if is_news:
        note_verdict(place.repository_id, snapshot.number, verdict)
    return is_news


def _columns(snapshot: Snapshot, verdict: Verdict) -> dict[str, Any]:
    again = verdict.again
    return {
        "head_sha": snapshot.head_sha,
        "base_ref": snapshot.base_ref,
        "standing": verdict.standing.value,
        "code": verdict.code,
        "sentence": verdict.sentence,
        "kept": verdict.kept,
        "again_at": SecondsFromNow(round(again.total_seconds())) if again else None,
        "unknown_reads": snapshot.unknown_reads,
    }
