"""Ten thousand pending rows of all eight tables: those that need work at GitHub, and cheap ones."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from core import clock
from tests.bot.world import World
from tests.github_app import INSTALLATION, REPOSITORY
from tests.webhooks.hook import SLUG
from webhooks import models
from webhooks.models import CLAIMED
from webhooks.values import PENDING, STATES_WITHOUT_IDLE

REPOSITORIES, PULLS, ISSUES = 40, 10, 8


def fill(world: World, number: int) -> None:
    """Store that many pending rows: all that the forty repositories hold, and cheap ones of every table."""
    since = clock.now() - timedelta(days=1)
    for repository in range(REPOSITORY, REPOSITORY + REPOSITORIES):
        world.changes.move_base(repository)
        for place in range(1, PULLS + 1):
            world.row(place, repository, processing_state=PENDING[place % len(PENDING)], updated_at=since)
    models.Issue.objects.bulk_create(list(_issues(world, since)))
    models.Comment.objects.bulk_create([_comment(world, place, since) for place in range(100)])
    left = number - sum(model.objects.exclude(processing_state="PROCESSED").count() for model in CLAIMED)
    for model, rows in itertools.groupby(sorted(range(left), key=_kind), key=_kind):
        made = [CHEAP[model][0](**_common(n, since), **CHEAP[model][1](n)) for n in rows]
        CHEAP[model][0].objects.bulk_create(made, batch_size=1_000)


def _common(number: int, since: datetime) -> dict[str, Any]:
    waiting = [state for state in STATES_WITHOUT_IDLE if state in PENDING]
    state = waiting[number % len(waiting)]
    return {"delivery_id": uuid.uuid4(), "processing_state": state, "updated_at": since}


def _issues(world: World, since: datetime) -> Iterable[models.Issue]:
    places = itertools.product(
        range(REPOSITORY, REPOSITORY + REPOSITORIES), range(PULLS + 1, PULLS + ISSUES + 1)
    )
    for repository, number in places:
        thing = world.github.state.thing(repository, number)
        yield models.Issue(
            **_common(number, since),
            **_at(world, repository),
            github_id=thing.id,
            number=number,
            node_id=thing.node_id,
        )


def _comment(world: World, place: int, since: datetime) -> models.Comment:
    """Return the row of a comment that asks for help, below one pull request in four."""
    repository, number = REPOSITORY + place % REPOSITORIES, 1 + place // REPOSITORIES
    world.changes.permit(repository, "mira", "write")
    body = f"@{SLUG} help"
    return models.Comment(
        **_common(place, since),
        **_at(world, repository),
        comment_id=world.changes.comment(repository, number, body, by="mira"),
        comment_sender="mira",
        comment_body=body,
        pull_request_number=number,
    )


def _at(world: World, repository_id: int) -> dict[str, Any]:
    repository = world.pull(1, repository_id).repository
    return {
        "repository_owner": repository.owner.login,
        "repository_name": repository.name,
        "repository_id": repository_id,
        "installation_id": INSTALLATION,
    }


# Rows that are acknowledged without asking GitHub.
CHEAP: list[tuple[Any, Callable[[int], dict[str, Any]]]] = [
    (models.Push, lambda n: {"head_commit_id": f"{n:040x}"}),
    (models.Branch, lambda n: {"ref": f"branch-{n}", "repository_id": n}),
    (models.Repository, lambda n: {"github_id": 10**7 + n}),
    (models.User, lambda n: {"user_id": n}),
    (models.Comment, lambda n: {"comment_id": 10**7 + n, "comment_body": "no command"}),
    (models.Installation, lambda n: {"installation_id": 10**7 + n}),
]


def _kind(number: int) -> int:
    return number % len(CHEAP)
