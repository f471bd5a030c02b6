"""Two things that happen at GitHub while nobody hears of them: one for the sync to find, one to be redelivered."""

from __future__ import annotations

from datetime import datetime, timedelta

from sandbox import cast
from sandbox.driver import Driver

# After the newest delivery of the past, and long enough ago to be missed for good.
BEFORE_NOW = timedelta(hours=2)
# Nobody listens there, and nobody may: the discard service of old.
NOWHERE = "http://127.0.0.1:9/"


def happen(github: Driver, now: datetime, *, receiver: str) -> None:
    """Merge one pull request while there is no hook, open one while its receiver is down; all is well again after."""
    merged_in, number = cast.MERGED_UNHEARD
    github.move_clock(now - BEFORE_NOW)
    github.send_to(None)
    github.change("close_pull_request", repository_id=merged_in.id, number=number, merged=True)
    github.send_to(NOWHERE)
    opened = {"title": cast.LATE_TITLE, "ref": cast.LATE_REF, "by": cast.AIKO.login}
    github.change("open_pull_request", repository_id=cast.RECIPES.id, **opened)
    github.send_to(receiver)
