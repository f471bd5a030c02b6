"""What happens on GitHub while nobody tells us, what goes wrong in a database, and the bot that works pending rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import ceil
from typing import Any

from django.db.models import F

from sandbox.server import worlds
from sandbox.server.state import State
from sandbox.world import Issue as GithubIssue
from sandbox.world import PullRequest as GithubPull
from tests.sync.github import Pair, rows
from webhooks import models

PAGE = 100


def world(*, installations: int, repositories: int, pull_requests: int) -> State:
    """Return a state of so many pull requests: a tenth in the first repository, the rest in equal parts."""
    state = worlds.regular(installations=installations, repositories=repositories)
    first, *others = state.repositories.values()
    share = int(pull_requests * 0.9 / len(others))
    for repository in others:
        worlds.fill(state, repository, pull_requests=share, issues=2, branches=1)
    worlds.fill(state, first, pull_requests=pull_requests - share * len(others), issues=3, branches=2)
    return state


def least_requests(state: State, repository_id: int, *, page: int = PAGE) -> int:
    """Return the fewest requests that read a repository: a token, the metadata, and each page of each listing."""
    things = [thing for thing in state.things_of(repository_id) if thing.state == "open"]
    pulls = [thing for thing in things if isinstance(thing, GithubPull)]
    listings = (len(pulls), len(things), len(state.branches[repository_id]))
    return 2 + sum(max(1, ceil(number / page)) for number in listings)


def live_on(pair: Pair, chance: random.Random) -> None:
    """Let all kinds of things happen on GitHub, none of them delivered."""
    changes, state = pair.github.changes, pair.state
    for repository_id in list(state.repositories):
        _live_in(pair, repository_id, chance)
    ids = sorted(state.repositories)
    moved, renamed, deleted, archived = chance.sample(ids, 4)
    away = changes.install("new-account")
    changes.create_repository(away.id, "brand-new")
    changes.transfer_repository(moved, "", installation_id=away.id)
    changes.rename_repository(renamed, "under-a-new-name")
    changes.delete_repository(deleted)
    changes.archive_repository(archived)
    lost, suspended, *_ = chance.sample(sorted(set(state.installations) - {away.id}), 2)
    changes.uninstall(lost)
    changes.suspend(suspended)


def _live_in(pair: Pair, repository_id: int, chance: random.Random) -> None:
    changes = pair.github.changes
    things = list(pair.state.things_of(repository_id))
    pulls = [thing for thing in things if isinstance(thing, GithubPull) and thing.state == "open"]
    for pull, act in zip(chance.sample(pulls, min(4, len(pulls))), _pull_acts(changes), strict=False):
        act(repository_id, pull.number)
    for issue in [thing for thing in things if isinstance(thing, GithubIssue)][:1]:
        changes.close_issue(repository_id, issue.number)
    changes.open_pull_request(repository_id, "Opened while nobody listened", draft=chance.random() < 0.5)
    changes.open_issue(repository_id, "Seen by nobody")
    changes.create_branch(repository_id, "feature/a#1%2Fb+c")
    gone = chance.choice([name for name in pair.state.branches[repository_id] if name != "main"])
    changes.delete_branch(repository_id, gone)


def _pull_acts(changes: Any) -> list[Callable[[int, int], Any]]:
    return [
        changes.close_pull_request,
        lambda repository, number: changes.close_pull_request(repository, number, merged=True),
        lambda repository, number: changes.edit_pull_request(
            repository, number, title="Edited", auto_merge=True
        ),
        changes.push,
    ]


def corrupt(chance: random.Random) -> int:
    """Damage every third row of the tables that syncs see to; return how many."""
    damaged = 0
    for model, ways in DAMAGE.items():
        for row in rows(model):
            if chance.random() < 1 / 3:
                chance.choice(ways)(model.objects.filter(pk=row.pk))
                damaged += 1
    return damaged


def setting(**columns: Any) -> Callable[[Any], None]:
    def damage(row: Any) -> None:
        row.update(**columns, updated_at=F("updated_at"))

    return damage


def deleting(row: Any) -> None:
    row.delete()


def doubling(row: Any) -> None:
    copy = row.get()
    copy.pk, copy.sequence = None, None
    copy.save(force_insert=True)


THREAD_DAMAGE = [
    deleting,
    setting(title="garbage"),
    setting(state="CLOSED"),
    setting(repository_id=None),
    setting(repository_id=1, repository_owner="nobody", repository_name="nothing"),
    setting(installation_id=None, sender=""),
]
DAMAGE: dict[Any, list[Callable[[Any], None]]] = {
    models.PullRequest: [
        *THREAD_DAMAGE,
        setting(head_sha="", ref=""),
        setting(draft=True, auto_merge_enabled=True),
    ],
    models.Issue: THREAD_DAMAGE,
    models.Branch: [deleting, setting(event="delete")],
    models.Repository: [
        deleting,
        doubling,
        setting(name="garbage", full_name="gar/bage", owner_login="gar"),
        setting(private=True, archived=True),
        setting(installation_id=None),
        setting(last_action="deleted", installation_action="removed"),
    ],
    models.Installation: [
        deleting,
        doubling,
        setting(account_login="garbage"),
        setting(status="0"),
        setting(status="0", suspended_date="2026-01-01T00:00:00Z"),
    ],
}


def work_pending(pair: Pair) -> None:
    """Play the bot: look every pending pull request and issue up on GitHub, write what is found, finish the row."""
    known = {t.node_id: t for r in pair.state.repositories for t in pair.state.things_of(r)}
    for model in (models.PullRequest, models.Issue):
        for row in rows(model, processing_state__in=("NEW", "UPDATED", "RE_REQUESTED", "IDLE")):
            model.objects.filter(pk=row.pk).update(
                **_looked_up(known.get(row.node_id)), processing_state="PROCESSED", updated_at=F("updated_at")
            )
    for other in (models.Branch, models.Repository, models.Installation):
        other.objects.update(processing_state="PROCESSED", updated_at=F("updated_at"))


def _looked_up(thing: Any) -> dict[str, Any]:
    if thing is None:
        return {"state": "CLOSED"}
    found = {"state": thing.state.upper(), "title": thing.title}
    if isinstance(thing, GithubPull):
        found |= {
            "merged": thing.merged,
            "draft": thing.draft,
            "auto_merge_enabled": thing.auto_merge,
            "ref": thing.head_ref,
            "head_sha": thing.head_sha,
        }
    return found
