"""A person or an agent asks for a merge: the classifier answers at that instant (merge.md 4)."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings as django_settings

from core import registry
from core.registry import Effective
from githubapi.client import AppClient, Limits
from githubapi.errors import Gone
from merge import selectors, setting_specs
from merge.services.enqueueing import Wish, backoff_of, enqueue_for
from merge.services.judging import judge
from merge.services.places import Place, place_of_repository
from merge.values import Standing
from sync.services.github import asked
from webhooks.services.limits import within_limits
from workqueue.values import Refused

WAITING = "waiting"
# Somebody waits for the answer: a dozen calls, and none of them for long.
LIMITS = Limits(read=5.0, call=8.0, attempts=2, listing=15.0)


class Unknown(Exception):
    """There is no such repository within our reach, or no such pull request in it."""


@dataclass(frozen=True)
class Answer:
    """What came of it: a word (created, unchanged, updated, retried, waiting), a sentence, the merge or None."""

    word: str
    sentence: str
    merge: int | None


def ask(owner: str, name: str, number: int, *, caller: str) -> Answer:
    """Judge a pull request now and make a merge of it, approved, or pending where a person must approve.

    Where only time is missing nothing is stored: the poller looks again. Raises Unknown, Refused with the verdict, and
    githubapi.errors.GithubError when GitHub cannot be asked.
    """
    row = selectors.repository_named(owner, name)
    if row is None:
        raise Unknown(f"No repository {owner}/{name} is within our reach.")
    with (
        AppClient.from_settings(django_settings, limits=LIMITS) as app,
        within_limits(row.installation_id or 0),
    ):
        return _ask(place_of_repository(app, row), number, caller)


def _ask(place: Place, number: int, caller: str) -> Answer:
    settings = registry.effective()
    try:
        detail = asked(lambda: place.client.pull_request_detail(place.repository_id, number))
    except Gone:
        raise Unknown(f"{place.full_name} has no pull request {number}.") from None
    verdict = judge(place, detail, settings)
    if verdict.standing is Standing.REFUSED:
        raise Refused(verdict.code, verdict.sentence)
    if verdict.standing is Standing.WAITING:
        return Answer(WAITING, f"{verdict.sentence} {_who_looks_again(settings)}", None)
    wish = Wish(place=place, facts=detail.facts, verdict=verdict, caller=caller)
    made = enqueue_for(wish, backoff_of(settings))
    return Answer(made.word, made.sentence, made.item)


def _who_looks_again(settings: Effective) -> str:
    if settings[setting_specs.SWITCH.enabled]:
        return "The pass merge looks again by itself; nothing is stored meanwhile."
    return "The pass merge is switched off (merge.enabled): ask again later."
