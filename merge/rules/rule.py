"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from merge.values import Part, Snapshot, Standing, Verdict

Judge = Callable[[Snapshot], Verdict | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A function that returns a verdict, or None when nothing speaks against merging; and the parts it reads."""

    judge: Judge
    needs: tuple[Part, ...] = ()


def refused(code: str, sentence: str) -> Verdict:
    return Verdict(standing=Standing.REFUSED, code=code, sentence=sentence)


def out_of_scope(code: str, sentence: str) -> Verdict:
    return Verdict(standing=Standing.SCOPE, code=code, sentence=sentence, kept=True)


def waiting(code: str, sentence: str, again: timedelta) -> Verdict:
    return Verdict(standing=Standing.WAITING, code=code, sentence=sentence, again=again)
