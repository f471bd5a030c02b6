"""The pass `merge`: every open pull request is looked at again, so that one that turned green late still merges."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from core.passes import PassFailed, Run
from githubapi.client import AppClient
from githubapi.errors import GithubError, Throttled
from merge import selectors
from merge.services import turns
from merge.services.candidates import Candidate, candidates_of
from merge.services.considering import Considered, Ending, consider
from merge.values import PastMerge
from sync.services.github import app_client, record_usage
from webhooks.models import Installation
from webhooks.services.limits import note_limit

log = structlog.get_logger(__name__)

# Whoever looks at the record finds every counter there, so that a quiet run can be told from a broken one.
COUNTERS = ("accounts", "accounts_failed", "seen", *Ending)
# One consideration takes a dozen calls at most.
NEEDED = 30.0
# Candidates between two writes of the counters to the record.
SHOWN_EVERY = 20


def poll(run: Run) -> None:
    """Consider the open pull requests of every account, those first whose last turn is the oldest.

    Raises PassFailed when an account or a pull request failed, after all the others had their turn.
    """
    for name in COUNTERS:
        run.count(str(name), 0)
    failures: list[str] = []
    with app_client() as app:
        for account in turns.in_line(selectors.accounts(), _key_of_account):
            if run.out_of_time(needed=NEEDED):
                break
            run.count("accounts")
            try:
                _consider_all(run, app, account, failures)
            except GithubError as error:
                failures.append(_skipped(run, account, error))
        record_usage(run, app.usage)
    turns.forget_old()
    if failures:
        raise PassFailed(f"Skipped: {'; '.join(failures)}.")


def _key_of_account(account: Installation) -> str:
    return turns.account_key(account.installation_id)


def _consider_all(run: Run, app: AppClient, account: Installation, failures: list[str]) -> None:
    """Consider an account's pull requests as far as the time goes; raises GithubError when it cannot be asked."""
    turns.take(_key_of_account(account))
    for candidates in candidates_of(app, account):
        _consider_in_turn(run, candidates, failures)
        if run.out_of_time(needed=NEEDED):
            return


def _consider_in_turn(run: Run, candidates: list[Candidate], failures: list[str]) -> None:
    past = selectors.past_merges_of(candidate.key for candidate in candidates)
    in_order = sorted(candidates, key=lambda candidate: candidate.key)
    for place, candidate in enumerate(turns.in_line(in_order, lambda one: one.identity)):
        if run.out_of_time(needed=NEEDED):
            return
        _consider(run, candidate, past.get(candidate.key, []), failures)
        if place % SHOWN_EVERY == 0:
            run.show_progress()


def _consider(run: Run, candidate: Candidate, past: Sequence[PastMerge], failures: list[str]) -> None:
    """Consider one pull request; raises GithubError. One bad pull request never stops the others."""
    run.count("seen")
    if candidate.draft:
        run.count(Ending.DRAFT)
        return
    try:
        _count(run, consider(candidate.place, candidate.number, candidate.title, run.settings, past))
    except GithubError:
        raise
    except Exception:
        log.exception("pull request failed", pull_request=candidate.name)
        run.count("failed")
        failures.append(f"{candidate.name} (a fault of ours, the log has it)")


def _count(run: Run, considered: Considered) -> None:
    run.count(considered.ending)
    if considered.ending in {Ending.REFUSED, Ending.WAITING}:
        run.count(f"{considered.ending}: {considered.verdict.code}")


def _skipped(run: Run, account: Installation, error: GithubError) -> str:
    """Leave an account that cannot be asked, and return its line in the record; the others go on."""
    if isinstance(error, Throttled):
        note_limit(account.installation_id, error)
    run.count("accounts_failed")
    log.warning("account skipped", account=account.account_login, reason=error.reason, error=str(error))
    return f"{account.account_login} ({error})"
