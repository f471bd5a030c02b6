"""The pass `merge`: every open pull request is looked at again, so that one that turned green late still merges."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil

import structlog

from core.passes import PassFailed, Run
from githubapi.client import AppClient
from githubapi.errors import GithubError, Throttled
from merge import selectors
from merge.services.candidates import Candidate, candidates_of
from merge.services.considering import Considered, Ending, consider
from merge.values import PastMerge
from sync.services.github import app_client, record_usage
from webhooks.services.finishing import throttle_installation

log = structlog.get_logger(__name__)

# Whoever looks at the record finds every counter there, so that a quiet run can be told from a broken one.
COUNTERS = ("accounts", "accounts_failed", "seen", *Ending)
# One consideration takes a dozen calls at most.
NEEDED = 30.0
# Candidates between two writes of the counters to the record.
SHOWN_EVERY = 20
NEVER = datetime.min.replace(tzinfo=UTC)


def poll(run: Run) -> None:
    """Consider the open pull requests of every account, those first that were judged longest ago.

    Raises PassFailed when an account could not be asked, after all the others had their turn.
    """
    for name in COUNTERS:
        run.count(str(name), 0)
    with app_client() as app:
        failures: dict[int, str] = {}
        candidates = _candidates(run, app, failures)
        past = selectors.past_merges_of(candidate.key for candidate in candidates)
        for place, candidate in enumerate(_longest_unseen_first(candidates)):
            if run.out_of_time(needed=NEEDED):
                break
            _consider(run, candidate, past.get(candidate.key, []), failures)
            if place % SHOWN_EVERY == 0:
                run.show_progress()
        record_usage(run, app.usage)
    if failures:
        raise PassFailed(f"Skipped: {'; '.join(failures.values())}.")


def _candidates(run: Run, app: AppClient, failures: dict[int, str]) -> list[Candidate]:
    found: list[Candidate] = []
    for account in selectors.accounts():
        if run.out_of_time(needed=NEEDED):
            break
        run.count("accounts")
        try:
            found += candidates_of(app, account)
        except GithubError as error:
            _skip(run, account.installation_id, account.account_login, error, failures)
    return found


def _longest_unseen_first(candidates: list[Candidate]) -> list[Candidate]:
    """A run that is cut short goes on where it ended: what was judged is last the next time."""
    judged = selectors.judged_at({candidate.place.repository_id for candidate in candidates})
    return sorted(candidates, key=lambda candidate: (judged.get(candidate.key, NEVER), candidate.key))


def _consider(run: Run, candidate: Candidate, past: Sequence[PastMerge], failures: dict[int, str]) -> None:
    installation_id = candidate.place.client.installation_id
    if installation_id in failures:
        return
    run.count("seen")
    if candidate.draft:
        run.count(Ending.DRAFT)
        return
    try:
        _count(run, consider(candidate.place, candidate.number, candidate.title, run.settings, past))
    except GithubError as error:
        _skip(run, installation_id, candidate.place.owner, error, failures)


def _count(run: Run, considered: Considered) -> None:
    run.count(considered.ending)
    if considered.ending in {Ending.REFUSED, Ending.WAITING}:
        run.count(f"{considered.ending}: {considered.verdict.code}")


def _skip(run: Run, installation_id: int, account: str, error: GithubError, failures: dict[int, str]) -> None:
    """Leave an account that cannot be asked; the others go on."""
    if isinstance(error, Throttled):
        throttle_installation(installation_id, max(1, ceil(error.wait.total_seconds())))
    failures[installation_id] = f"{account} ({error})"
    run.count("accounts_failed")
    log.warning("account skipped", account=account, reason=error.reason, error=str(error))
