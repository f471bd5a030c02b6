"""Play the demo's story against a running receiver: `python -m sandbox.demo --help`."""

from __future__ import annotations

import argparse
import http.client
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sandbox import cast, external_bot, scenario
from sandbox.ageing import age_database
from sandbox.demo_database import NotTheDemoError, mark_database, note_played, open_demo, played_at
from sandbox.scenario import Step
from sandbox.send import RECEIVER
from sandbox.sender import Answer, Sender, first_secret

_FORGERS_KEY = "not the secret of this receiver"


class UnexpectedAnswerError(Exception):
    """The receiver answered otherwise than a right one does; the message shows both sides."""


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.demo",
        description="Send the demo's deliveries and make the rows old, once per database file.",
    )
    parser.add_argument("--database", type=Path, required=True, help="the demo's own SQLite file")
    parser.add_argument("--url", default=RECEIVER, help="the receiver (default: %(default)s)")
    parser.add_argument("--secret-file", type=Path, help="file with the receiver's webhook secret")
    parser.add_argument(
        "--app-slug",
        default=os.environ.get("GITHUB_APP_SLUG", ""),
        help="slug of the receiver's own App (default: GITHUB_APP_SLUG; empty: no echo is sent)",
    )
    parser.add_argument("--mark", action="store_true", help="only mark a migrated, empty file as the demo's")
    options = parser.parse_args(argv)
    if not options.mark and not options.secret_file:
        parser.error("--secret-file is required to send")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if all went as it should, else print one sentence and return 1."""
    options = arguments(argv)
    try:
        if options.mark:
            mark_database(options.database)
        else:
            play(options)
    except (NotTheDemoError, UnexpectedAnswerError, ValueError) as error:
        return _failed(str(error))
    except (OSError, http.client.HTTPException) as error:
        return _failed(f"No answer from {options.url}: {error or type(error).__name__}.")
    except sqlite3.Error as error:
        return _failed(f"The database {options.database} refused: {error}.")
    return 0


def play(options: argparse.Namespace) -> None:
    """Send the past, let the external bot finish it, make it old, then send today's deliveries.

    Raises NotTheDemoError before anything is sent if the file is not the demo's; UnexpectedAnswerError.
    """
    with closing(open_demo(options.database, cast.known_names())) as connection:
        if when := played_at(connection):
            print(f"The story was played in this database at {when} UTC already; nothing was sent.")
            return
        _refuse_half_played(connection)
    secret = first_secret(options.secret_file)
    tally = Tally()
    tally.add(deliver(scenario.past(datetime.now(UTC), options.url), options.url, secret))
    _make_old(options.database)
    tally.add(deliver(scenario.today(datetime.now(UTC), app_slug=options.app_slug), options.url, secret))
    _finish(options.database)
    print(tally.table())


def deliver(steps: Iterable[Step], url: str, secret: str) -> list[tuple[Step, Answer]]:
    """Send the Steps in order; raise UnexpectedAnswerError at the first answer that is not expected."""
    answers = []
    with Sender(url, secret) as sender, Sender(url, _FORGERS_KEY) as forger:
        for step in steps:
            hook = forger if step.forged else sender
            answer = hook.send(step.event, step.payload, guid=step.guid, form=step.form)
            if answer.status not in step.expected:
                raise UnexpectedAnswerError(_complaint(step, answer))
            answers.append((step, answer))
    return answers


class Tally:
    """What was sent and what was answered, for a person to read."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, int]] = Counter()
        self._special: list[tuple[str, str, int]] = []

    def add(self, answers: Iterable[tuple[Step, Answer]]) -> None:
        for step, answer in answers:
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
        raise NotTheDemoError("The story was begun in this database and not finished: start with a new one.")


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
