"""The way from a row to GitHub: through which installation, in which repository."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings

from core.registry import Effective
from core.transactions import patiently, renew_connection
from githubapi.client import AppClient, InstallationClient, Limits
from githubapi.errors import Gone
from githubapi.values import RepositoryFacts
from sync.services import quotas
from webhooks.models import Repository
from webhooks.services import renames
from webhooks.services.renames import Rename
from webhooks.values import Cause, RepositoryRef

# A run of the worker has 180 s and is killed after 240 s: a row's few calls must fit between the two.
LIMITS = Limits(read=8.0, call=10.0, attempts=2, listing=20.0)


@dataclass(frozen=True)
class Bench:
    """What every handler works with: the App's client, and the Settings in force."""

    app: AppClient
    settings: Effective


@dataclass(frozen=True)
class Place:
    """A repository at GitHub, seen through one installation."""

    client: InstallationClient
    repository_id: int


@contextmanager
def app_client() -> Iterator[AppClient]:
    """Yield a client of our App and keep what GitHub said of rate limits meanwhile.

    Raises githubapi.errors.Permanent when the key cannot be used.
    """
    with AppClient.from_settings(settings, limits=LIMITS, after_call=renew_connection) as client:
        try:
            yield client
        finally:
            quotas.keep(client.quotas)


def place_of(row: Any, app: AppClient, cause: Cause) -> Place:
    """Return where GitHub has the repository of a row; raises Gone ("no_installation") and whatever a call raises.

    A row of another program may lack the repository's id: then its name is asked for, and a new one is taken over.
    """
    installation_id = row.installation_id or _installation_of_repository(row)
    if installation_id is None:
        raise Gone("no_installation", f"No installation of our App is known for {name_of(row)}.")
    client = app.for_installation(installation_id)
    if row.repository_id:
        return Place(client, row.repository_id)
    facts = client.repository_named(row.repository_owner, row.repository_name)
    take_name(row, facts, cause)
    return Place(client, facts.id)


def take_name(row: Any, facts: RepositoryFacts, cause: Cause) -> bool:
    """Carry a new name over to all rows of the repository, as its Event would; tell whether it was new."""
    if (facts.owner_login.lower(), facts.name.lower()) == (
        row.repository_owner.lower(),
        row.repository_name.lower(),
    ):
        return False
    ref = RepositoryRef(id=facts.id, owner=facts.owner_login, name=facts.name)
    rename = Rename(repository=ref, old=(row.repository_owner, row.repository_name), cause=cause)
    patiently(partial(renames.carry_over, rename))
    return True


def name_of(row: Any) -> str:
    return f"{row.repository_owner}/{row.repository_name}"


def _installation_of_repository(row: Any) -> int | None:
    """Return what the repository's current row says."""
    key = (
        {"github_id": row.repository_id}
        if row.repository_id
        else {"owner_login": row.repository_owner, "name": row.repository_name}
    )
    found = Repository.objects.filter(**key).order_by("-pk").values_list("installation_id", flat=True).first()
    return int(found) if found else None
