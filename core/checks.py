"""System checks of the installation: each with an id and a hint that says what to do.

Checks that need the database carry Django's tag `database`: they run at `manage.py check --database default`,
before `migrate`, and (those of the session) before `prepare`, which is the first step of every start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 (Django's name for it)
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from core.access.loading import access_rules
from core.session import Problem, session_problems

# The longest a finished task may have waited and run beyond its time-out before its message may come again.
MARGIN = 60
# The checks without which nothing may be written: `prepare` refuses to go on when one of them finds an error.
SESSION = "session"


@register()
def queue_limits(**_: Any) -> list[CheckMessage]:
    """The queue must never hand out a message again while its task may still run (field case F04)."""
    main = settings.Q_CLUSTER
    others = {name: main | other for name, other in main.get("ALT_CLUSTERS", {}).items()}
    clusters = {main["name"]: main} | others
    return [message for name, cluster in clusters.items() for message in _cluster_problems(name, cluster)]


@register()
def shared_secret_key(**_: Any) -> list[CheckMessage]:
    """A Redis broker means several machines, and what one of them signs the others must be able to read."""
    if not (settings.Q_BROKER_URL and settings.SECRET_KEY_IS_GENERATED):
        return []
    return [
        Warning(
            "Q_BROKER_URL is set, but SECRET_KEY was generated on this machine alone.",
            hint="Set SECRET_KEY (or SECRET_KEY_FILE) to one value on every machine: the queue's messages and"
            " people's sessions are signed with it.",
            id="core.W002",
        )
    ]


@register()
def access_rules_file(**_: Any) -> list[CheckMessage]:
    """A mistake in the access rules must not turn into an access that is merely missing (B5.20)."""
    try:
        access_rules()
    except ImproperlyConfigured as problem:
        hint = "Mend the file, or unset ACCESS_RULES_FILE to go without rules."
        return [Error(str(problem), hint=hint, id="core.E020")]
    return []


@register(Tags.database, SESSION)
def database_session(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The server and our session on it must be what every statement of ours relies on (field case F27)."""
    return [
        _message(problem) for alias in databases or () for problem in session_problems(connections[alias])
    ]


def _message(problem: Problem) -> CheckMessage:
    kind = Error if problem.severe else Warning
    return kind(problem.sentence, hint=problem.hint, id=problem.id)


def _cluster_problems(name: str, cluster: dict[str, Any]) -> list[CheckMessage]:
    timeout, retry = cluster.get("timeout"), cluster.get("retry", 60)
    problems: list[tuple[str, str]] = []
    if not timeout:
        problems.append(("no time-out", "Set timeout, so that a task that hangs is ended."))
    elif retry <= timeout + MARGIN:
        what = f"retry {retry} s <= timeout {timeout} s + {MARGIN} s"
        problems.append((what, "Raise retry, or lower timeout."))
    if cluster.get("max_attempts", 0) < 1:
        problems.append(("max_attempts is endless", "Set max_attempts to 1: the sweeps try again."))
    if cluster.get("catch_up", True):
        problems.append(
            ("catch_up is on", "Turn it off: after downtime each schedule runs once, not once a slot.")
        )
    return [
        Error(f"django-q2 cluster {name!r}: {what}.", hint=hint, id="core.E001") for what, hint in problems
    ]
