"""Days in the life of many pull requests: every kind that ever flooded a queue, or was merged by mistake."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from merge.services import approving
from merge.services.asking import ask
from tests.github_app import REPOSITORY
from tests.merge.world import CODE, World
from workqueue.values import Refused

# How many of each kind among 200.
SHARES = {
    "held": 60,
    "held, then freed": 10,
    "draft": 35,
    "draft that the search shows": 8,
    "failing": 22,
    "code": 10,
    "code that was asked for": 14,
    "code that was approved": 6,
    "code that was rejected": 4,
    "renamed from code": 3,
    "documents": 6,
    "flapping": 6,
    "conflict, then fixed": 5,
    "moved while approved": 4,
    "changes requested": 1,
    "without checks": 2,
    "not known": 1,
    "blocked by GitHub": 1,
    "demanded to queue": 2,
}
DOCUMENTS = frozenset(
    {"held, then freed", "documents", "flapping", "conflict, then fixed", "moved while approved"}
)
# How often the head of one that was approved moves before the work.
MOVES = 2
RENAMED = [{"filename": "docs/a.md", "previous_filename": "src/a.py", "status": "renamed"}]


@dataclass
class Life:
    """The pull requests by kind, and what happens to them as time goes by, from one seed."""

    world: World
    seed: int
    kinds: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    calls: Counter[int] = field(default_factory=Counter)
    moves: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)

    def begin(self, number: int) -> None:
        """Open so many pull requests, of each kind its share."""
        whole = sum(SHARES.values())
        for kind, share in SHARES.items():
            for _ in range(max(1, round(share * number / whole))):
                self.kinds[_MAKE.get(kind, _documents)(self.world, kind)] = kind
        self._refuse("failing", "Pull Request is not mergeable")
        self._refuse("demanded to queue", "Changes must be made through the merge queue")

    def _refuse(self, kind: str, words: str) -> None:
        """Let GitHub refuse to merge this kind, though everything that can be read speaks for it."""
        pattern = "|".join(map(str, self.of(kind)))
        refusal = {"status": 405, "message": words}
        self.world.github.inject(rf".*/pulls/({pattern})/merge", "status", times=None, **refusal)

    def of(self, kind: str) -> list[int]:
        return [number for number, found in self.kinds.items() if found == kind]

    def before_tick(self, tick: int) -> None:
        """Let things happen at GitHub: checks flap, conflicts are fixed, holds end, people ask and decide."""
        changes = self.world.changes
        for number in self._open("flapping"):
            word = (
                self.draw.choice(["failure", "", "failure", "cancelled", "success"])
                if tick % 7 == 0
                else None
            )
            if word is not None:
                changes.finish_check(REPOSITORY, number, word)
        for number in self._now("conflict, then fixed", tick):
            self.world.push(number)
            changes.judge(REPOSITORY, number, True, "clean")
        for number in self._now("held, then freed", tick):
            changes.edit_pull_request(REPOSITORY, number, title="No longer on hold")
        self._people(tick)

    def after_tick(self, tick: int) -> None:
        """Let heads move between a tick's approval and its execution, twice each."""
        for number in self._open("moved while approved"):
            if self.world.statuses(number)[:1] == ["approved"] and self.moves[number] < MOVES:
                self.moves[number] += 1
                self.world.push(number)

    def count(self) -> None:
        """Take the log of a tick apart, and let it go."""
        for logged in self.world.github.log:
            parts = logged.path.split("/")
            if "pulls" in parts[3:4] and len(parts) > 4:
                self.calls[int(parts[4])] += 1
                self.attempts[int(parts[4])] += logged.verb == "PUT"
        self.world.github.log.clear()
        self.world.github.hook.attempts.clear()

    def _people(self, tick: int) -> None:
        if tick == 3:
            for kind in ("code that was asked for", "code that was approved", "code that was rejected"):
                for number in self.of(kind):
                    ask("account-1", "repository-1", number, caller="mira")
        if tick == 5:
            self._decide("code that was approved", lambda merge: approving.approve(merge, actor="tomas"))
            self._decide(
                "code that was rejected", lambda merge: approving.reject(merge, actor="tomas", reason="No.")
            )
        if tick > 5 and tick % 40 == 0:
            for number in self.of("code that was asked for"):
                self._ask_again(number)

    def _ask_again(self, number: int) -> None:
        try:
            ask("account-1", "repository-1", number, caller="impatient")
        except Refused as refusal:
            raise AssertionError(f"{number}: {refusal}") from refusal

    def _decide(self, kind: str, decide: Callable[[int], None]) -> None:
        for number in self.of(kind):
            decide(self.world.newest(number).pk)

    def _open(self, kind: str) -> list[int]:
        return [number for number in self.of(kind) if self.world.pull(number).state == "open"]

    def _now(self, kind: str, tick: int) -> list[int]:
        """Return those of a kind whose turn it is: one after the other, from the twentieth tick on, ten apart."""
        found = self.of(kind)
        place, rest = divmod(tick - 20, 10)
        return [found[place]] if rest == 0 and 0 <= place < len(found) else []


def _documents(world: World, kind: str) -> int:
    return world.open(f"{kind} {len(world.github.state.things[REPOSITORY])}")


def _code(world: World, kind: str) -> int:
    return world.open(kind, files=CODE)


def _held(world: World, kind: str) -> int:
    return world.open(f"(HELD) {kind}")


def _draft(world: World, kind: str) -> int:
    number = world.open(kind, draft=True)
    if kind != "draft":
        world.github.state.merging.lagging.append([REPOSITORY, number])
    return number


def _conflict(world: World, kind: str) -> int:
    number = _documents(world, kind)
    world.changes.judge(REPOSITORY, number, False, "dirty")
    return number


def _unknown(world: World, kind: str) -> int:
    number = _documents(world, kind)
    world.changes.judge(REPOSITORY, number, None, "unknown")
    return number


def _requested(world: World, kind: str) -> int:
    number = _documents(world, kind)
    world.changes.review(REPOSITORY, number, "CHANGES_REQUESTED")
    return number


def _without_checks(world: World, kind: str) -> int:
    return world.open(kind, green=False)


def _blocked(world: World, kind: str) -> int:
    number = _documents(world, kind)
    world.changes.judge(REPOSITORY, number, True, "blocked")
    return number


_MAKE: dict[str, Callable[[World, str], int]] = {
    "held": _held,
    "held, then freed": _held,
    "draft": _draft,
    "draft that the search shows": _draft,
    "code": _code,
    "code that was asked for": _code,
    "code that was approved": _code,
    "code that was rejected": _code,
    "renamed from code": lambda world, kind: world.open(kind, files=RENAMED),
    "conflict, then fixed": _conflict,
    "changes requested": _requested,
    "without checks": _without_checks,
    "not known": _unknown,
    "blocked by GitHub": _blocked,
}
