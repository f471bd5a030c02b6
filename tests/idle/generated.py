"""Databases made up by Hypothesis: few repositories, few ages, many ties, every boundary second."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from itertools import count

from hypothesis import strategies as st

from webhooks.models import Installation, PullRequest, Repository

# The same three repositories and two look-alikes, in the letter cases that GitHub takes for one.
NAMES = [
    ("octo", "tools"),
    ("Octo", "TOOLS"),
    ("octo", "site"),
    ("OCTO", "Site"),
    ("oct", "otools"),
    ("mona", "a.b-c_d"),
]
INSTALLATIONS = [None, 1, 2, 3]
MANY = 2_000_000_000

ages = st.builds(
    lambda days, seconds: timedelta(days=days, seconds=seconds),
    st.integers(min_value=0, max_value=12),
    st.sampled_from([-1, 0, 0, 1, 40_000]),
).filter(lambda age: age >= timedelta(0))

pull_requests = st.fixed_dictionaries(
    {
        "full_name": st.sampled_from(NAMES),
        "age": ages,
        "state": st.sampled_from([*["OPEN"] * 7, "CLOSED"]),
        "processing_state": st.sampled_from(
            [*["PROCESSED"] * 25, "NEW", "UPDATED", "RE_REQUESTED", "IDLE", "PROCESSING"]
        ),
        "idle_retry_count": st.sampled_from([0, 0, 0, 1, 1, 2, 3, 8, 9, 10, 11, MANY]),
        "installation_id": st.sampled_from(INSTALLATIONS),
    }
)
repositories = st.fixed_dictionaries(
    {
        "full_name": st.sampled_from(NAMES),
        "private": st.booleans(),
        "archived": st.sampled_from([False, False, True]),
        "last_action": st.sampled_from(["created", "edited", "deleted"]),
        "installation_action": st.sampled_from(["", "added", "removed"]),
        "installation_id": st.sampled_from(INSTALLATIONS),
    }
)
installations = st.fixed_dictionaries(
    {
        "installation_id": st.sampled_from(INSTALLATIONS[1:]),
        "status": st.sampled_from(["0", "1", "1"]),
        "suspended": st.booleans(),
    }
)
# Not fewer than these: rules about neighbours need neighbours.
databases = st.tuples(
    st.lists(pull_requests, min_size=12, max_size=30),
    st.lists(repositories, min_size=2, max_size=6),
    st.lists(installations, min_size=2, max_size=5),
)


def store(database: tuple[list[dict], list[dict], list[dict]], now: datetime) -> None:
    """Write a generated database's rows."""
    pull_request_rows, repository_rows, installation_rows = database
    numbers = count(1)
    PullRequest.objects.bulk_create(_pull_request(row, now, next(numbers)) for row in pull_request_rows)
    Repository.objects.bulk_create(_repository(row) for row in repository_rows)
    Installation.objects.bulk_create(_installation(row, now) for row in installation_rows)


def _pull_request(row: dict, now: datetime, number: int) -> PullRequest:
    rest = {key: value for key, value in row.items() if key not in {"full_name", "age"}}
    return PullRequest(
        delivery_id=uuid.uuid4(),
        repository_owner=row["full_name"][0],
        repository_name=row["full_name"][1],
        repository_id=7 if number % 2 else None,
        number=number,
        node_id=f"PR_{number}",
        title=f"Title {number} 🚀",
        ref=f"branch-{number}",
        draft=number % 3 == 0,
        auto_merge_enabled=number % 5 == 0,
        processed_date=now - timedelta(days=number),
        updated_at=now - row["age"],
        **rest,
    )


def _repository(row: dict) -> Repository:
    rest = {key: value for key, value in row.items() if key != "full_name"}
    owner, name = row["full_name"]
    return Repository(
        delivery_id=uuid.uuid4(), owner_login=owner, name=name, full_name=f"{owner}/{name}", **rest
    )


def _installation(row: dict, now: datetime) -> Installation:
    return Installation(
        delivery_id=uuid.uuid4(),
        installation_id=row["installation_id"],
        status=row["status"],
        suspended_date=now if row["suspended"] else None,
    )
