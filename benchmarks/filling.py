"""The made-up rows of benchmarks: as many as wanted, by one statement a table, the same on every database.

Numbers that look random are made of the row's own number. Most pull requests belong to few repositories; 70 % are
closed, 25 % open and PROCESSED, 5 % pending; ages go up to 60 days, and stay hours away from full days, so that no
status changes while the questions are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate

from benchmarks.dialects import Dialect, dialect

REPOSITORIES = 10_000
# Of so many repositories a row is known, several for each.
KNOWN_REPOSITORIES = 4_000
REPOSITORY_ROWS = 20_000
INSTALLATIONS = 500
# Words, with how many of a hundred rows have them. State and ProcessingState are of one throw, so that what is closed
# is PROCESSED.
OPEN = {"CLOSED": 70, "OPEN": 30}
STATES = {"PROCESSED": 95, "NEW": 3, "UPDATED": 2}
STATUSES = {"applied": 80, "ignored": 15, "stale": 4, "failed": 1}
HISTORY = {"event": 60, "claim": 19, "finalize": 19, "idle_retry": 2}
MOST_RETRIES = 10
# Of a hundred rows with k Idle Retries so many get another one.
RETRIED_AGAIN = 0.6
DAYS, HOUR = 60, 3600

# Odd factors of 32 bits: times the row's number, modulo 2^32, each looks like a throw of dice of its own.
DICE = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 2869860233, 3624381081)
SIDES = 2**32

# Column -> SQL of its value; `n` is the row's number.
Columns = Mapping[str, str]


def fill(rows: int) -> None:
    """Write pull requests, their repositories and installations, and let the planner look at them."""
    words = dialect()
    put("github_installations", _installations(words), INSTALLATIONS)
    put("github_repositories", _repositories(words), REPOSITORY_ROWS)
    put("github_pull_requests", _pull_requests(words), rows)
    words.analyze("github_installations", "github_repositories", "github_pull_requests")


def fill_around(rows: int) -> None:
    """Write as many rows into the other tables that grow with what happens, and a quarter as many Deliveries."""
    words = dialect()
    tables = _others(words)
    for table, columns in tables.items():
        put(table, columns, rows)
    put("webhook_deliveries", _deliveries(words, rows // 4), rows // 4)
    words.analyze(*tables, "webhook_deliveries")


def put(table: str, columns: Columns, rows: int) -> None:
    """Insert so many rows, the columns left out to their defaults."""
    words = dialect()
    named, values = ", ".join(columns), ", ".join(columns.values())
    with _indexes_made_afterwards(table, words):
        words.run(f"INSERT INTO {table} ({named}) {words.numbered(values, rows)}")


@contextmanager
def _indexes_made_afterwards(table: str, words: Dialect) -> Iterator[None]:
    """Keep a table without its plain indexes: to sort each once is far faster than a place in it for each row."""
    indexes = words.plain_indexes(table)
    if indexes:
        words.run(f"ALTER TABLE {table} {', '.join(f'DROP INDEX {name}' for name in indexes)}")
    yield
    if indexes:
        added = ", ".join(f"ADD INDEX {name} ({columns})" for name, columns in indexes.items())
        words.run(f"ALTER TABLE {table} {added}")


# --- dice -------------------------------------------------------------------------------------------------------------
def _below(most: int, die: int, words: Dialect) -> str:
    """Return a whole number from 0 to below `most`."""
    return f"((n * {DICE[die]}) % {SIDES} {words.div} {SIDES // most + 1})"


def _one_of(shares: Mapping[str, float], die: int, words: Dialect) -> str:
    """Return one of some words, each as often as its share of a hundred says."""
    bounds = list(accumulate(shares.values()))
    throw = _below(1000, die, words)
    cases = [f"WHEN {throw} < {bound * 10} THEN '{word}'" for word, bound in zip(shares, bounds, strict=True)]
    return f"CASE {' '.join(cases[:-1])} ELSE '{list(shares)[-1]}' END"


def _repository(words: Dialect) -> str:
    """Return the number of a repository: the product of two dice is small far more often than large."""
    first, second = _below(REPOSITORIES, 0, words), _below(REPOSITORIES, 1, words)
    return f"({first} * {second} {words.div} {REPOSITORIES})"


def _owner_and_name(number: str, words: Dialect) -> tuple[str, str]:
    return words.joined("'owner-'", f"{number} % 300"), words.joined("'repository-'", number)


def _age(words: Dialect) -> str:
    return words.ago(f"{_below(DAYS, 2, words)} * {24 * HOUR} + {2 * HOUR} + {_below(20 * HOUR, 3, words)}")


# --- rows -------------------------------------------------------------------------------------------------------------
def _installations(words: Dialect) -> Columns:
    gone = "CASE WHEN n % 50 = 0 THEN '0' ELSE '1' END"
    return {"DeliveryId": words.sixteen_bytes, "InstallationId": "n - 1", "Status": gone}


def _repositories(words: Dialect) -> Columns:
    number = _below(KNOWN_REPOSITORIES, 0, words)
    owner, name = _owner_and_name(number, words)
    return {
        "DeliveryId": words.sixteen_bytes,
        "Id": number,
        "OwnerLogin": owner,
        "Name": name,
        "FullName": words.joined(owner, "'/'", name),
        "Private": f"{number} % 2",
        "Archived": f"CASE WHEN {number} % 40 = 0 THEN 1 ELSE 0 END",
        "InstallationId": f"{number} % {INSTALLATIONS}",
        "ProcessingState": "'PROCESSED'",
    }


def _in_repository(words: Dialect) -> dict[str, str]:
    number = _repository(words)
    owner, name = _owner_and_name(number, words)
    return {
        "DeliveryId": words.sixteen_bytes,
        "RepositoryOwner": owner,
        "RepositoryName": name,
        "RepositoryId": number,
        "InstallationId": f"{number} % {INSTALLATIONS}",
    }


def _pull_requests(words: Dialect) -> Columns:
    return _in_repository(words) | {
        "Number": "n",
        "NodeId": words.joined("'PR_kwDOA'", words.padded("n", 12)),
        "Sender": "'somebody'",
        "Title": words.joined(
            "'Bump a dependency with a middling long name from 1.2.'", "n % 100", "' to 1.3.0'"
        ),
        "Ref": words.joined("'dependabot/pip/something-'", "n"),
        "HeadSha": words.padded("n", 40),
        "State": _one_of(OPEN, 4, words),
        "ProcessingState": _one_of(STATES, 4, words),
        "IdleRetryCount": _retries(words),
        "UpdatedAt": _age(words),
    }


def _retries(words: Dialect) -> str:
    left, shares = 100.0, {}
    for count in range(MOST_RETRIES):
        shares[str(count)] = round(left * (1 - RETRIED_AGAIN), 1)
        left *= RETRIED_AGAIN
    return _one_of({**shares, str(MOST_RETRIES): left}, 5, words)


def _others(words: Dialect) -> dict[str, Columns]:
    row = _in_repository(words) | {"ProcessingState": _one_of(STATES, 4, words), "UpdatedAt": _age(words)}
    user = {key: row[key] for key in ("DeliveryId", "ProcessingState", "UpdatedAt")}
    sha, ref = words.padded("n", 40), words.joined("'branch-'", "n")
    return {
        "github_issues": row | {"Number": "n", "NodeId": sha, "Title": "'An issue with a title'"},
        "github_comments": row | {"CommentId": "n", "PullRequestNumber": "n", "CommentBody": "'Looks good'"},
        "github_branches": row | {"Ref": ref},
        "github_pushes": row | {"Ref": words.joined("'refs/heads/'", ref), "HeadCommitId": sha},
        "github_users": user | {"UserId": "n", "Login": words.joined("'user-'", "n")},
        "pull_request_history": {
            "PullRequestSequence": "n",
            "Kind": _one_of(HISTORY, 4, words),
            "Reason": "'opened by somebody'",
            "At": _age(words),
        },
    }


def _deliveries(words: Dialect, rows: int) -> Columns:
    owner, name = _owner_and_name(_repository(words), words)
    return {
        "Guid": words.padded("n", 36),
        "Event": _one_of({"check_run": 40, "push": 30, "pull_request": 30}, 5, words),
        "RepositoryOwner": owner,
        "RepositoryName": name,
        "SenderLogin": words.joined("'user-'", _below(2000, 6, words)),
        "Status": _one_of(STATUSES, 4, words),
        "Body": words.joined("'x'", words.padded("n", 600)),
        "ReceivedAt": words.ago(f"({rows} - n) * {DAYS * 24 * HOUR // max(rows, 1)}"),
    }
