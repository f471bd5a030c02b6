"""Names that change and owners that change (field case F20), known to us by listings alone."""

from __future__ import annotations

import uuid

import pytest
from django.db.models import F

from sandbox.server import worlds
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from sync import selectors
from tests.sync.github import INSTALLATIONS, REPOSITORIES, differences, dump, rows
from tests.sync.stories import work_pending
from webhooks import models
from webhooks.models import REPOSITORY_SCOPED

pytestmark = pytest.mark.django_db
OTHER_INSTALLATION = FIRST_INSTALLATION + 1


@pytest.fixture
def two_accounts(pair_with):
    """Two installations with two repositories each, a few things in them, all of it known and PROCESSED."""
    pair = pair_with(installations=2, repositories=2, pull_requests=2, issues=1)
    pair.sync_everything()
    work_pending(pair)
    pair.clock.shift(days=100)
    return pair


def names(model=models.PullRequest, **condition) -> set[str]:
    return {f"{row.repository_owner}/{row.repository_name}" for row in rows(model, **condition)}


def one_row_everywhere(repository: models.Repository) -> None:
    """Put a row of the repository into every table that carries its name, once with its id and once without."""
    place = {"repository_owner": repository.owner_login, "repository_name": repository.name}
    for model in REPOSITORY_SCOPED:
        for repository_id in (repository.github_id, None):
            unique = {
                "delivery_id": uuid.uuid4(),
                "node_id": uuid.uuid4().hex,
                "ref": uuid.uuid4().hex,
                "comment_id": uuid.uuid4().int >> 66,
                "workflow_run_id": uuid.uuid4().int >> 66,
                "release_id": uuid.uuid4().int >> 66,
                "state": "CLOSED",
            }
            columns = {field.name for field in model._meta.get_fields()}
            row = {name: value for name, value in unique.items() if name in columns} | place
            if model is models.PendingAction:
                row["notification"] = models.Notification.objects.all()[0]
            model.objects.create(**row, repository_id=repository_id)


@pytest.mark.parametrize("seen_by", [INSTALLATIONS, REPOSITORIES])
def test_a_rename_seen_only_by_a_listing_reaches_every_table(two_accounts, seen_by):
    pair = two_accounts
    repository = models.Repository.objects.get(github_id=FIRST_REPOSITORY)
    one_row_everywhere(repository)
    pair.clock.shift(hours=1)
    before = {
        model: list(model.objects.order_by("pk").values("pk", "processing_state", "updated_at"))
        for model in (models.PullRequest, models.Issue)
    }
    pair.github.changes.rename_repository(FIRST_REPOSITORY, "renamed")
    run = pair.run(seen_by)
    assert run.counters["updated"] >= 1
    for model in REPOSITORY_SCOPED:
        assert names(model, repository_id=FIRST_REPOSITORY) == {"account-1/renamed"}, model
        assert not model.objects.filter(repository_owner="account-1", repository_name="repository-1").exists()
        assert not model.objects.filter(repository_id=None).exists()
    for model, states in before.items():
        assert list(model.objects.order_by("pk").values("pk", "processing_state", "updated_at")) == states
    row = models.Repository.objects.get(github_id=FIRST_REPOSITORY)
    assert (row.full_name, row.last_action, row.last_action_date) == (
        "account-1/renamed",
        "renamed",
        run.started_at,
    )
    assert (row.processing_state, row.updated_at) == ("UPDATED", run.started_at)
    reasons = models.PullRequestHistory.objects.filter(kind="rename").values_list("reason", "pass_run_id")
    assert set(reasons) == {("the repository is now account-1/renamed", run.pk)}


@pytest.mark.parametrize("first", [FIRST_INSTALLATION, OTHER_INSTALLATION])
def test_a_transfer_to_another_installation_seen_by_their_listings(two_accounts, first):
    """Whichever of the two is listed first."""
    pair = two_accounts
    if first == OTHER_INSTALLATION:
        models.Installation.objects.filter(installation_id=FIRST_INSTALLATION).update(
            sequence=100, updated_at=F("updated_at")
        )
    pair.github.changes.transfer_repository(FIRST_REPOSITORY, "", installation_id=OTHER_INSTALLATION)
    pair.run(INSTALLATIONS)
    current = selectors.current_repository(FIRST_REPOSITORY)
    assert (current.full_name, current.installation_id) == ("account-2/repository-1", OTHER_INSTALLATION)
    assert names(repository_id=FIRST_REPOSITORY) == {"account-2/repository-1"}
    assert {row.installation_id for row in rows(models.PullRequest, repository_id=FIRST_REPOSITORY)} == {
        OTHER_INSTALLATION
    }
    assert selectors.active_repositories().count() == 4
    pair.sync_everything()
    assert differences(pair.state) == {}
    before = dump()
    pair.clock.shift(days=100)
    pair.sync_everything()
    assert dump() == before


def test_a_transfer_seen_by_the_hourly_pass(two_accounts):
    """A public repository still answers to the installation that it left."""
    pair = two_accounts
    pair.github.changes.transfer_repository(FIRST_REPOSITORY, "", installation_id=OTHER_INSTALLATION)
    pair.github.changes.open_pull_request(FIRST_REPOSITORY, "Opened there")
    run = pair.run(REPOSITORIES)
    assert (run.counters["updated"], run.counters["removed"], run.counters["added"]) == (1, 0, 2)
    current = selectors.current_repository(FIRST_REPOSITORY)
    assert (current.full_name, current.installation_id) == ("account-2/repository-1", OTHER_INSTALLATION)
    assert current.last_action == "transferred"
    assert names(repository_id=FIRST_REPOSITORY) == {"account-2/repository-1"}
    assert {row.installation_id for row in rows(models.PullRequest, repository_id=FIRST_REPOSITORY)} == {
        OTHER_INSTALLATION
    }


def test_a_private_one_is_gone_until_the_other_installation_lists_it(two_accounts):
    pair, private = two_accounts, FIRST_REPOSITORY + 1
    pair.github.changes.transfer_repository(private, "", installation_id=OTHER_INSTALLATION)
    pair.run(REPOSITORIES)
    assert pair.run(REPOSITORIES).counters["removed"] == 1
    pair.run(INSTALLATIONS)
    current = selectors.current_repository(private)
    assert (current.full_name, current.installation_id, current.last_sync_date) == (
        "account-2/repository-2",
        OTHER_INSTALLATION,
        None,
    )
    assert names(repository_id=private) == {"account-2/repository-2"}


def test_an_app_installed_anew_sees_its_repositories_under_its_new_id(two_accounts):
    pair = two_accounts
    repositories = pair.state.of_installation(FIRST_INSTALLATION)
    pair.github.changes.uninstall(FIRST_INSTALLATION)
    anew = pair.github.changes.install("account-1")
    for repository in repositories:
        pair.github.changes.add_repository(anew.id, repository.id)
    pair.clock.shift(hours=1)
    pair.sync_everything()
    assert differences(pair.state) == {}
    assert {row.installation_id for row in rows(models.PullRequest)} == {anew.id, OTHER_INSTALLATION}
    assert len(rows(models.PullRequest)) == 8


@pytest.mark.parametrize("at_once", [False, True])
def test_f20_names_are_no_identity(pair_with, at_once):
    """id 1 o/a, id 2 o/b; 2 becomes o/c, then 1 becomes o/b; 1 is deleted; 3 is made as o/b; 2 moves to p/c."""
    pair = pair_with(installations=2, repositories=0)
    changes, state = pair.github.changes, pair.state
    one = changes.create_repository(FIRST_INSTALLATION, "a")
    two = changes.create_repository(FIRST_INSTALLATION, "b")
    for repository in (one, two):
        for number in range(1, 6):
            changes.open_pull_request(repository.id, f"{number} of {repository.name}")
    pair.sync_everything()
    work_pending(pair)

    def look() -> None:
        pair.clock.shift(days=100)
        if not at_once:
            pair.sync_everything()

    changes.rename_repository(two.id, "c")
    look()
    changes.rename_repository(one.id, "b")
    look()
    changes.delete_repository(one.id)
    look()
    three = changes.create_repository(FIRST_INSTALLATION, "b")
    for number in range(1, 6):
        changes.open_pull_request(three.id, f"{number} of the third")
    look()
    changes.transfer_repository(two.id, "", installation_id=OTHER_INSTALLATION)
    pair.clock.shift(days=100)
    pair.sync_everything()

    assert differences(state) == {}
    current = {row.github_id: row for row in selectors.current_repositories()}
    assert {key: row.full_name for key, row in current.items() if key != one.id} == {
        two.id: "account-2/c",
        three.id: "account-1/b",
    }
    assert (current[one.id].last_action, current[one.id].installation_action) == ("deleted", "removed")
    fives = {row.repository_id: row for row in rows(models.PullRequest, number=5)}
    assert {key: row.title for key, row in fives.items()} == {
        one.id: "5 of a",
        two.id: "5 of b",
        three.id: "5 of the third",
    }
    assert len({row.node_id for row in fives.values()}) == 3
    before = dump()
    pair.clock.shift(days=100)
    pair.sync_everything()
    assert dump() == before


def test_an_installation_that_lists_a_repository_twice_says_nothing(two_accounts, monkeypatch):
    pair = two_accounts
    of_installation = pair.state.of_installation
    twice = {FIRST_INSTALLATION: [pair.state.repositories[FIRST_REPOSITORY]]}
    monkeypatch.setattr(
        pair.state, "of_installation", lambda one: [*of_installation(one), *twice.get(one, [])]
    )
    before, clock = dump(), pair.clock.now
    assert pair.run(INSTALLATIONS).counters["failed"] == 1
    assert dump() == before
    assert models.Installation.objects.get(installation_id=FIRST_INSTALLATION).last_sync_date < clock


def test_letter_case_is_a_new_name_and_no_new_repository(two_accounts):
    pair = two_accounts
    pair.github.changes.rename_repository(FIRST_REPOSITORY, "Repository-1")
    pair.run(REPOSITORIES)
    assert names(repository_id=FIRST_REPOSITORY) == {"account-1/Repository-1"}
    assert len(rows(models.Repository)) == 4


def test_the_pull_requests_of_forks_belong_to_the_repository_they_are_made_to(pair_with):
    pair = pair_with(pull_requests=22)
    assert any(pull.fork_deleted for pull in pair.state.pull_requests_of(worlds.FIRST_REPOSITORY))
    pair.sync_everything()
    assert names() == {"account-1/repository-1"}
    assert len(rows(models.PullRequest)) == 22
