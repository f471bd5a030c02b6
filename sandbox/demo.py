"""Play the demo's story at a pretended GitHub, for a running receiver: `python -m sandbox.demo --help`."""

from __future__ import annotations

import argparse
import http.client
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sandbox import cast, external_bot, outage, scenario
from sandbox.ageing import age_database
from sandbox.demo_database import NotTheDemoError, mark_database, note_played, open_demo, played_at
from sandbox.driver import Driver, RefusedError
from sandbox.scenario import Step
from sandbox.send import RECEIVER
from sandbox.sender import Answer, Sender
from sandbox.server import worlds

_FORGERS_KEY = "not the secret of this receiver"


class UnexpectedAnswerError(Exception):
    """The receiver answered otherwise than a right one does; the message shows both sides."""


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.demo",
        description="Have the demo's story delivered and make the rows old, once per database file.",
    )
    parser.add_argument("--database", type=Path, required=True, help="the demo's own SQLite file")
    parser.add_argument("--github", help="address of `python -m sandbox.server`, which delivers to --url")
    parser.add_argument("--url", default=RECEIVER, help="the receiver (default: %(default)s)")
    parser.add_argument(
        "--app-slug",
        default=os.environ.get("GITHUB_APP_SLUG", ""),
        help="slug of the receiver's own App (default: GITHUB_APP_SLUG; empty: no echo is sent)",
    )
    parser.add_argument("--mark", action="store_true", help="only mark a migrated, empty file as the demo's")
    options = parser.parse_args(argv)
    if not options.mark and not options.github:
        parser.error("--github is required to tell the story")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if all went as it should, else print one sentence and return 1."""
    options = arguments(argv)
    try:
        if options.mark:
            mark_database(options.database)
        else:
            play(options)
    except (NotTheDemoError, UnexpectedAnswerError, RefusedError, ValueError) as error:
        return _failed(str(error))
    except (OSError, http.client.HTTPException) as error:
        return _failed(f"No answer from {options.github} or {options.url}: {error or type(error).__name__}.")
    except sqlite3.Error as error:
        return _failed(f"The database {options.database} refused: {error}.")
    return 0


def play(options: argparse.Namespace) -> None:
    """Have the past delivered, let the external bot finish it, make it old, then have today delivered.

    Raises NotTheDemoError before anything is sent if the file is not the demo's; UnexpectedAnswerError, RefusedError.
    """
    with Driver(options.github) as github:
        if was_played(options.database, github):
            return
        tell(github, options)


def was_played(database: Path, github: Driver) -> bool:
    """Tell, and say, whether the story was told already; raises NotTheDemoError when it cannot be told here."""
    with closing(open_demo(database, cast.known_names())) as connection:
        when = played_at(connection)
        if when is None:
            _refuse_half_played(connection)
            return False
    if not github.knows_anything():
        raise NotTheDemoError(
            f"The story was played in {database}, and GitHub knows nothing of it: "
            "start with a new one (make demo FRESH=1)."
        )
    print(f"The story was played in this database at {when} UTC already; nothing was sent.")
    return True


def tell(github: Driver, options: argparse.Namespace) -> None:
    """Tell the whole story, all of it dated from the one present."""
    now = datetime.now(UTC).replace(microsecond=0)
    github.know(worlds.of_the_demo(now))
    github.send_to(options.url)
    tally = Tally()
    with Sender(options.url, _FORGERS_KEY) as forger:
        for step, at in scenario.dated(now, options.url):
            github.move_clock(at)
            tally.add(step, deliver(step, github, forger))
        outage.happen(github, now, receiver=options.url)
        _make_old(options.database)
        github.move_clock(datetime.now(UTC))
        for step in scenario.today(now, app_slug=options.app_slug):
            tally.add(step, deliver(step, github, forger))
    _finish(options.database)
    print(tally.table())


def deliver(step: Step, github: Driver, forger: Sender) -> Answer:
    """Have one Step delivered; raises UnexpectedAnswerError when the answer is not expected."""
    if step.forged:
        answer = forger.send(step.event, step.payload, guid=step.guid, form=step.form)
    else:
        answer = github.deliver(step)
    if answer.status not in step.expected:
        raise UnexpectedAnswerError(_complaint(step, answer))
    return answer


class Tally:
    """What was sent and what was answered, for a person to read."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, int]] = Counter()
        self._special: list[tuple[str, str, int]] = []

    def add(self, step: Step, answer: Answer) -> None:
        self._answers[step.event, answer.status] += 1
        if step.note and (step.event, step.note, answer.status) not in self._special:
            self._special.append((step.event, step.note, answer.status))

    def table(self) -> str:
        statuses = sorted({status for _, status in self._answers})
        events = sorted({event for event, _ in self._answers})
        lines = [f"{'event':28}" + "".join(f"{status:>6}" for status in statuses)]
        lines += [
            f"{event:28}" + "".join(f"{self._answers[event, status] or '':>6}" for status in statuses)
            for event in events
        ]
        special = [f"  {status}  {event}: {note}" for event, note, status in self._special]
        return "\n".join([*lines, f"{self._answers.total()} deliveries, among them:", *special])


def _refuse_half_played(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM webhook_deliveries LIMIT 1").fetchone():
        raise NotTheDemoError(
            "The story was begun in this database and not finished: start with a new one (make demo FRESH=1)."
        )


def _make_old(database: Path) -> None:
    with closing(open_demo(database, cast.known_names())) as connection:
        external_bot.work_off(connection)
        age_database(connection)


def _finish(database: Path) -> None:
    """Leave one claim open, for the processing page to show, and remember that the story was told."""
    with closing(open_demo(database, cast.known_names())) as connection:
        external_bot.claim(connection, "github_pull_requests", 1)
        note_played(connection)


def _complaint(step: Step, answer: Answer) -> str:
    expected = " or ".join(str(status) for status in sorted(step.expected))
    about = f" ({step.note})" if step.note else ""
    return (
        f"The delivery {step.event}{about} was answered {answer.status}, not {expected}: {answer.body[:300]}"
    )


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
