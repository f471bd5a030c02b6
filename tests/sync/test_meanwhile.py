"""An Event that comes while a listing is read knows more than the listing: it is never overwritten (F26)."""

from __future__ import annotations

import pytest
from django.db.models import F

from githubapi.client import InstallationClient
from sandbox import payloads
from sandbox.server.worlds import FIRST_REPOSITORY
from sandbox.world import Person
from sync import selectors
from tests.sync.github import REPOSITORIES, rows
from tests.sync.stories import work_pending
from webhooks import models

pytestmark = pytest.mark.django_db
ALICE = Person(id=71, login="alice")


def age(model, **columns):
    model.objects.update(**columns, updated_at=F("updated_at"))


def pull(number: int = 1) -> models.PullRequest:
    return models.PullRequest.objects.get(number=number)


def lines(row, kind="sync") -> list[tuple[str, str, str]]:
    found = models.PullRequestHistory.objects.filter(pull_request_sequence=row.pk, kind=kind).order_by("pk")
    return [(line.from_state, line.to_state, line.reason) for line in found]


@pytest.fixture
def meanwhile(monkeypatch):
    """Let something happen after a listing was read and before what it says is written."""

    def after(listing, happens):
        read = getattr(InstallationClient, listing)

        def read_and_wait(self, *arguments, **named):
            found = read(self, *arguments, **named)
            happens()
            return found

        monkeypatch.setattr(InstallationClient, listing, read_and_wait)

    return after


def test_f26_an_event_that_comes_meanwhile_knows_more(known, meanwhile):
    changes = known.github.changes
    changes.edit_pull_request(FIRST_REPOSITORY, 1, title="Listed")
    known.github.hook.flush()
    known.clock.shift(minutes=1)
    work_pending(known)
    age(models.PullRequest, title="Stored")

    def happens():
        known.clock.shift(seconds=2)
        changes.edit_pull_request(FIRST_REPOSITORY, 1, title="Newer")
        changes.close_pull_request(FIRST_REPOSITORY, 2)
        known.github.hook.flush()

    meanwhile("open_pull_requests", happens)
    run = known.run(REPOSITORIES)
    assert [(row.title, row.state, row.processing_state) for row in rows(models.PullRequest)] == [
        ("Newer", "OPEN", "UPDATED"),
        (known.state.thing(FIRST_REPOSITORY, 2).title, "CLOSED", "UPDATED"),
    ]
    assert (run.counters["moved_meanwhile"], run.counters["updated"], run.counters["re_requested"]) == (
        2,
        0,
        0,
    )


def test_an_echo_that_comes_meanwhile_keeps_updated_at_and_still_knows_more(known, meanwhile):
    bot = f"{known.state.app_slug}[bot]"
    age(models.PullRequest, title="Stored")

    def happens():
        known.clock.shift(seconds=2)
        known.github.changes.edit_pull_request(FIRST_REPOSITORY, 1, title="By our own bot", by=bot)
        known.github.hook.flush()

    meanwhile("open_pull_requests", happens)
    before = pull()
    known.run(REPOSITORIES)
    assert (pull().title, pull().updated_at) == ("By our own bot", before.updated_at)


def test_an_idle_retry_that_comes_meanwhile_is_left_alone(known, meanwhile):
    known.github.changes.close_pull_request(FIRST_REPOSITORY, 1)
    meanwhile(
        "open_pull_requests", lambda: age(models.PullRequest, processing_state="IDLE", idle_retry_count=1)
    )
    known.run(REPOSITORIES)
    assert {(row.processing_state, row.idle_retry_count) for row in rows(models.PullRequest)} == {("IDLE", 1)}


def test_one_that_is_opened_meanwhile_is_known_by_its_event(known, meanwhile):
    def happens():
        known.github.changes.open_pull_request(FIRST_REPOSITORY, "Opened meanwhile")
        known.github.changes.create_branch(FIRST_REPOSITORY, "made-meanwhile")
        known.github.hook.flush()

    meanwhile("repository", happens)
    known.run(REPOSITORIES)
    assert pull(4).delivery_id in {attempt.guid for attempt in known.github.hook.attempts.values()}
    assert models.Branch.objects.get(ref="made-meanwhile").hook_id != 0
    assert lines(pull(4)) == []


def test_of_a_batch_only_what_an_event_was_faster_with_is_left_out(known, settings, monkeypatch):
    known.github.deliver_to(None)
    missed = [known.github.changes.open_pull_request(FIRST_REPOSITORY, f"Missed {n}") for n in range(5)]
    known.connect(settings)
    race = known.state.thing(FIRST_REPOSITORY, missed[2].number)

    def looked_up_too_early(node_ids):
        found = pulls_of(node_ids)
        known.github.hook.emit("pull_request", payloads.pull_request("opened", race, ALICE))
        known.github.hook.flush()
        return found

    # After the last look at the tables, so that only the unique key can tell.
    pulls_of = selectors.pulls_of
    monkeypatch.setattr(selectors, "pulls_of", looked_up_too_early)
    run = known.run(REPOSITORIES)
    assert (run.counters["added"], run.counters["moved_meanwhile"], len(rows(models.PullRequest))) == (
        9,
        1,
        7,
    )
    assert models.PullRequest.objects.get(node_id=race.node_id).hook_id != 0
