"""What a submission means for the item of its branch: the table, and the door that follows it."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from django.db import connection, connections

from submissions.decisions.upsert import Known, Upsert, content_hash, decide_upsert, files_hash
from submissions.models import PullRequestItem, Submission
from submissions.values import wanted_of
from tests.factories import RepositoryFactory
from tests.github_app import INSTALLATION, REPOSITORY
from tests.submissions.world import World, body, checked, hand_in, item, needs
from webhooks.models import Repository
from workqueue.models import WorkItem
from workqueue.services.working import work
from workqueue.values import Phase, Refused

SAME, OTHER = "a" * 64, "b" * 64
TABLE = [
    (None, SAME, Upsert.CREATED),
    (Known(Phase.ACTIVE, SAME), SAME, Upsert.UNCHANGED),
    (Known(Phase.ACTIVE, OTHER), SAME, Upsert.UPDATED),
    (Known(Phase.FAILED, SAME), SAME, Upsert.RETRIED),
    (Known(Phase.FAILED, OTHER), SAME, Upsert.RETRIED),
    (Known(Phase.COMPLETED, SAME), SAME, Upsert.NEXT_GENERATION),
    (Known(Phase.COMPLETED, OTHER), SAME, Upsert.NEXT_GENERATION),
    (Known(Phase.CANCELLED, SAME), SAME, Upsert.NEXT_GENERATION),
    (Known(Phase.CANCELLED, OTHER), SAME, Upsert.NEXT_GENERATION),
]


@pytest.mark.parametrize("known,sent,outcome", TABLE)
def test_b5_44_every_phase_and_content_has_its_outcome(known, sent, outcome):
    assert decide_upsert(known, sent) is outcome


def test_b5_44_the_table_has_every_phase():
    assert {known.phase for known, _, _ in TABLE if known} == set(Phase)


def test_the_hash_knows_every_member_and_not_the_order_of_json():
    wanted = wanted_of(checked(body()))
    assert content_hash(wanted) == content_hash(wanted_of(checked(dict(reversed(body().items())))))
    others = [
        replace(wanted, base_branch="release"),
        replace(wanted, title="x"),
        replace(wanted, body="x"),
        replace(wanted, labels=("x",)),
        replace(wanted, commit_message="x"),
        replace(wanted, file_actions=(replace(wanted.file_actions[0], mode="100755"),)),
        replace(wanted, options=replace(wanted.options, merge_when_ready=True)),
    ]
    assert len({content_hash(other) for other in [wanted, *others]}) == len(others) + 1


def test_what_the_branch_holds_is_told_apart_from_what_the_pull_request_says():
    wanted = wanted_of(checked(body()))
    assert files_hash(wanted) == files_hash(replace(wanted, title="x", labels=("x",)))
    assert files_hash(wanted) != files_hash(replace(wanted, base_branch="release"))


def test_b5_43_the_key_is_made_here_and_b5_13_the_caller_comes_from_authentication(world: World):
    answer = hand_in()
    stored = item(answer.item)
    assert stored.idempotency_key == "pull_request:800001:auto/bulbs:1"
    assert (stored.caller_identity, stored.phase, stored.item_type) == (
        "token:importer",
        "active",
        "pull_request",
    )
    with pytest.raises(Exception, match="no such field"):
        checked(body(caller_identity="somebody", idempotency_key="mine"))


def test_b5_44_the_same_again_changes_nothing_and_leaves_no_record(world: World):
    first = hand_in()
    world.settle()
    again = hand_in()
    assert (again.item, again.word) == (first.item, "unchanged")
    assert (Submission.objects.count(), needs()["needs_pr"]) == (1, "false")
    since = len(world.github.log)
    world.work()
    assert world.asked(since) == []


def test_b5_44_another_content_sets_needs_pr_and_b5_60_makes_it_actionable(world: World):
    hand_in()
    world.settle()
    hand_in(title="Another")
    assert (needs()["needs_pr"], item().actionable, item().title) == ("true", True, "Another")


def test_b5_10_a_blocked_path_is_refused_and_github_is_never_asked(world: World):
    for path in (".github/workflows/evil.yml", ".GitHub/x", "CODEOWNERS", "docs/CODEOWNERS", ".gitmodules"):
        with pytest.raises(Refused) as refused:
            hand_in(file_actions=[{"action": "create", "path": path, "content": "x"}])
        assert refused.value.code == "blocked_path"
        assert path in str(refused.value)
    with pytest.raises(Refused):
        hand_in(file_actions=[{"action": "move", "path": "x", "previous_path": ".github/workflows/ci.yml"}])
    assert (WorkItem.objects.count(), Submission.objects.count()) == (0, 0)
    world.work()
    assert world.asked() == []


@pytest.mark.parametrize("name", ["account-1/unknown", "nobody/repository-1"])
def test_an_unknown_repository_is_refused(world: World, name: str):
    with pytest.raises(Refused) as refused:
        hand_in(repository=name)
    assert (refused.value.code, world.asked()) == ("unknown_repository", [])


def test_an_archived_repository_is_refused(world: World):
    Repository.objects.update(archived=True, updated_at="2026-03-04T09:00:00Z")
    with pytest.raises(Refused) as refused:
        hand_in()
    assert refused.value.code == "archived"


def test_a_name_that_the_repository_had_before_is_refused(world: World):
    RepositoryFactory(
        github_id=REPOSITORY, owner_login="account-1", name="renamed", installation_id=INSTALLATION
    )
    with pytest.raises(Refused):
        hand_in()
    assert hand_in(repository="Account-1/Renamed").word == "created"


@pytest.mark.django_db(transaction=True)
def test_b5_45_twenty_first_submissions_at_once_leave_one_item_and_one_pull_request(github, known):
    start, answers = threading.Barrier(20), []

    def one(number: int) -> None:
        try:
            start.wait()
            answers.append(hand_in(title="Add a bulb" if number % 2 else "Add the bulb"))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 20
    assert len({answer.item for answer in answers}) == PullRequestItem.objects.count() == 1
    assert [answer.word for answer in answers].count("created") == 1
    assert {answer.word for answer in answers} <= {"created", "unchanged", "updated"}
    _work_in_threads(4)
    assert [pull.head_ref for pull in github.state.pull_requests_of(800_001)] == ["auto/bulbs"]
    connection.close()


def _work_in_threads(count: int) -> None:
    def one() -> None:
        try:
            work()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
