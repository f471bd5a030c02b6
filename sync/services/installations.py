"""The monthly pass: all installations of the App, and the repositories of those not listed for three months."""

from __future__ import annotations

from functools import partial

import structlog
from django.db import InterfaceError, OperationalError

from core import registry
from core.models import PassRun
from core.passes import LockLost, PassFailed, Run
from githubapi.client import AppClient
from githubapi.errors import GithubError, Suspended, Throttled
from sync import selectors
from sync.decisions import diff_installations, diff_repositories, diff_surely, months_before
from sync.services import columns
from sync.services.github import NEEDED, app_client, believed, listing_of, record_usage
from sync.services.installation_rows import set_listed, suspend, throttle, write_installations
from sync.services.repository_rows import write_repositories
from sync.services.writing import within_lock
from sync.setting_specs import LAST_RUN
from sync.values import InstallationMetadata, Listing, Remove, RepositoryMetadata
from webhooks.models import Installation

log = structlog.get_logger(__name__)

MONTHS_BETWEEN_LISTINGS = 3
COUNTERS = ("listed", "added", "updated", "removed", "re_requested", "failed", "requests")
# In the record of a run that ran out of time: the Sequence of the installation it came to last.
REACHED = "reached_installation"
# In the record of each run: the Sequence of the installation it began last, and how many runs in a row began it.
BEGUN, TRIES = "begun_installation", "begun_times"
# An installation at which so many runs in a row ended is left out of the pass (field case F08), until next month.
MOST_TRIES = 3


def sync_installations(run: Run) -> None:
    """List the App's installations whole, write what differs, list the repositories that are due.

    Raises PassFailed when the installations cannot be listed whole: nothing is decided then. An installation that
    fails is counted and due again next month; the pass goes on. Only a complete pass is remembered.
    """
    for name in COUNTERS:
        run.count(name, 0)
    with app_client() as app:
        try:
            _sync_rows(run, app)
            complete = _list_due(run, app)
        except GithubError as error:
            raise PassFailed(f"The installations were not listed ({error.reason}): {error}") from error
        finally:
            record_usage(run, app.usage)
    if complete:
        within_lock(run, partial(registry.write, LAST_RUN, run.now.isoformat()))


def _sync_rows(run: Run, app: AppClient) -> None:
    rows = selectors.installations()
    listing = listing_of(app, lambda: map(columns.installation, app.installations()))
    run.count("listed", len(listing.items))

    def exists(change: Remove[InstallationMetadata]) -> bool:
        return bool(app.installation(change.row.facts.installation_id))

    write_installations(run, believed(run, diff_installations(rows, listing), listing, exists))


def _list_due(run: Run, app: AppClient) -> bool:
    """List the repositories of every installation that is due; False when the pass has to go on another time."""
    limit = months_before(run.now, MONTHS_BETWEEN_LISTINGS)
    before = _record_before(run)
    complete, run.counters[REACHED] = True, reached(before)
    for installation in selectors.due_installations(older_than=limit, after=run.counters[REACHED]):
        if run.out_of_time(needed=NEEDED):
            return False
        if begin(run, installation, before):
            complete &= _list_one(run, app, installation)
        if complete:
            run.counters[REACHED] = installation.pk
    for name in (REACHED, BEGUN, TRIES):
        del run.counters[name]
    return complete


def _record_before(run: Run) -> PassRun | None:
    return PassRun.objects.filter(name=run.name, pk__lt=run.record_id).order_by("-pk").first()


def reached(before: PassRun | None) -> int:
    """Return how far the pass came when it was cut off last, 0 when it was not.

    Those it listed have moved their date. Those that failed have not, and would eat up the time of every run anew.
    """
    cut_off = before is not None and before.outcome == PassRun.Outcome.OUT_OF_TIME
    return int(before.counters.get(REACHED, 0)) if before and cut_off else 0


def begin(run: Run, installation: Installation, before: PassRun | None) -> bool:
    """Write down that an installation is begun, so that one which kills its process counts, too; False = left out."""
    tries = tries_of(installation.pk, before)
    if tries >= MOST_TRIES:
        run.count("failed")
        log.error("installation left out", installation=installation.installation_id, tries=tries)
        return False
    run.counters[BEGUN], run.counters[TRIES] = installation.pk, tries + 1
    run.show_progress()
    return True


def tries_of(sequence: int, before: PassRun | None) -> int:
    """Return how many runs in a row ended at that installation, without having done with it."""
    ended_there = (
        before is not None
        and before.outcome in {PassRun.Outcome.LOST, PassRun.Outcome.FAILED}
        and before.counters.get(BEGUN) == sequence
    )
    return int(before.counters.get(TRIES, 0)) if before and ended_there else 0


def _list_one(run: Run, app: AppClient, installation: Installation) -> bool:
    """List one installation's repositories; False when it has to wait for its rate limit."""
    if installation.throttled_until and installation.throttled_until > run.now:
        return False
    try:
        _sync_repositories(run, app, installation.installation_id)
        set_listed(run, installation)
    except Throttled as error:
        throttle(run, installation.installation_id, error)
        _note(installation, error)
        return False
    except GithubError as error:
        if isinstance(error, Suspended):
            suspend(run, installation.installation_id)
        run.count("failed")
        _note(installation, error)
    except (LockLost, OperationalError, InterfaceError):
        raise
    except Exception:
        # A fault of ours at one installation never stops the others.
        run.count("failed")
        log.exception("installation not listed", installation=installation.installation_id)
    return True


def _sync_repositories(run: Run, app: AppClient, installation_id: int) -> None:
    rows = selectors.repositories_of(installation_id)
    client = app.for_installation(installation_id)

    def read() -> Listing[RepositoryMetadata]:
        return listing_of(
            client, lambda: (columns.repository(f, installation_id) for f in client.repositories())
        )

    listing = read()
    run.count("listed", len(listing.items))
    rows += selectors.repositories_by_id(listing.without(rows))
    write_repositories(
        run,
        diff_surely(
            lambda found: diff_repositories(rows, found, installation_id=installation_id), listing, read
        ),
    )


def _note(installation: Installation, error: GithubError) -> None:
    log.warning(
        "installation not listed",
        installation=installation.installation_id,
        account=installation.account_login,
        reason=error.reason,
        detail=str(error),
    )
