"""System checks of the receiver and its tables.

Those about the database run at `manage.py check --database default`, before `migrate` and in `prepare`.
Before the migrations are applied they only say so: an error there would stop the very command that mends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 (Django's name for it)
from django.db import connections

from webhooks.contract.check import find_differences, is_prepared
from webhooks.contract.differences import PREPARE, Kind
from webhooks.contract.states import rows_without_state

IDS = {Kind.TABLE: "webhooks.E002", Kind.COLUMN: "webhooks.E003", Kind.KEY: "webhooks.E004"}
NO_SECRET = "No webhook secret is configured: every Delivery will be refused."  # noqa: S105 (a sentence)
NO_SECRET_HINT = (
    "Set GITHUB_WEBHOOK_SECRETS (or GITHUB_WEBHOOK_SECRETS_FILE) to the secret of the App's webhook."  # noqa: S105
)


@register("webhooks")
def webhook_secret(**_: Any) -> list[CheckMessage]:
    """Say it at every command, and stop none: migrate, createsuperuser and others do not need the secret."""
    if settings.GITHUB_WEBHOOK_SECRETS:
        return []
    return [Warning(NO_SECRET, hint=NO_SECRET_HINT, id="webhooks.W001")]


@register("webhooks", deploy=True)
def webhook_secret_before_going_live(**_: Any) -> list[CheckMessage]:
    """An error at `manage.py check --deploy`: the checks that Django keeps apart from all other commands."""
    if settings.GITHUB_WEBHOOK_SECRETS:
        return []
    return [Error(NO_SECRET, hint=NO_SECRET_HINT, id="webhooks.E001")]


@register(Tags.database, "webhooks")
def table_contract(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The live tables must be the described ones: programs that we do not know write them by hand."""
    return [message for alias in databases or () for message in _table_messages(alias)]


@register(Tags.database, "webhooks")
def states_are_states(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """A row without a ProcessingState is claimed by nobody (acceptance B1.35)."""
    if "default" not in (databases or ()) or not is_prepared(connections["default"]):
        return []
    return [
        Warning(
            f"{table}: {count} row(s) have the ProcessingState ''; nobody will ever claim them.",
            hint="Some writer sent a state that the table does not have, in a session that is not strict."
            " Mend that writer, then set the ProcessingState of these rows to 'RE_REQUESTED'.",
            id="webhooks.W003",
        )
        for table, count in rows_without_state().items()
    ]


def _table_messages(alias: str) -> list[CheckMessage]:
    connection = connections[alias]
    if not is_prepared(connection):
        return [Warning("Not all migrations are applied yet.", hint=PREPARE, id="webhooks.W002")]
    return [
        Error(found.sentence, hint=found.hint, id=IDS[found.kind]) for found in find_differences(connection)
    ]
