"""The line of the hourly sync as people see it."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest

from core.models import PassState, Setting
from monitor.columns import REPOSITORIES
from monitor.selectors import repositories as selectors
from monitor.tables import read_order
from monitor.values import RepositoryStatus
from sync import selectors as sync
from tests import factories
from webhooks.models import Installation, Repository

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository(clock):
    """Make a repository of installation 7, last synced so many hours ago (None: never)."""
    ids = iter(range(1, 1_000))
    factories.InstallationFactory()

    def make(name, synced=None, **columns):
        last = None if synced is None else clock.now - timedelta(hours=synced)
        row = {"github_id": next(ids), "name": name, "last_sync_date": last, **columns}
        return factories.RepositoryFactory(**row)

    return make


def many(count, now, **columns):
    return Repository.objects.bulk_create(
        factories.RepositoryFactory.build(
            github_id=10_000 + n,
            name=f"{'Rr'[n % 2]}{n % 7}",
            owner_login=f"owner{n % 3}",
            last_sync_date=None if n % 3 == 0 else now - timedelta(hours=n // 4),
            **columns,
        )
        for n in range(count)
    )


def walk(form, now, sort):
    """The rows of all pages."""
    found, cursor = [], ""
    line, order = selectors.Line(130, now, now), read_order(REPOSITORIES, sort)
    while True:
        page = selectors.page(form, order, cursor, 50, line=line)
        found += page.rows
        cursor = page.next
        if not cursor:
            return found


def test_the_list_is_the_line_and_the_first_is_whom_the_pass_takes(repository, see, github_app):
    old, new, never = repository("old", 50), repository("new", 2), repository("never")
    page = see("/repositories/")
    assert page.row_ids() == [never.pk, old.pk, new.pk]
    assert sync.next_repository() == never
    assert "3 in line" in page.text
    assert "about every 3 hours" in page.text
    assert "octo/never in line octo never synced 1 at the next tick" in page.text
    assert "2 d ago stale 2 in about 1 h" in page.text
    assert "2 h ago fresh 3 in about 2 h" in page.text


def test_the_turns_count_from_the_next_hour(repository, see, github_app):
    repository("just", 0), repository("old", 5)
    text = see("/repositories/").text
    assert "Next run of the pass sync-repositories : in 1 h" in text
    assert "1 in about 1 h" in text
    assert "2 in about 2 h" in text


def test_only_current_rows_count(repository, see):
    older = repository("tools", 9)
    newer = repository("tools", 3, github_id=older.github_id)
    assert see("/repositories/").row_ids() == [newer.pk]
    gone = repository("gone", 9)
    repository("gone", 9, github_id=gone.github_id, last_action="deleted")
    assert selectors.counts()[RepositoryStatus.IN_LINE] == 1


def test_nobody_knows_a_turn_while_the_pass_cannot_run_or_is_paused(repository, see, github_app, settings):
    repository("tools", 50)
    Setting.objects.update_or_create(name="sync-repositories.enabled", defaults={"value": "off"})
    Setting.objects.update_or_create(name="sync-repositories.pause-reason", defaults={"value": "old bot"})
    text = see("/repositories/").text
    assert "paused old bot" in text
    assert "stale 1 not known" in text
    assert "in about" not in text
    Setting.objects.all().delete()
    settings.GITHUB_APP_ID = ""
    text = see("/repositories/").text
    assert "cannot run GITHUB_APP_ID must be set to talk to GitHub" in text
    assert "in about" not in text


def test_while_the_pass_runs_the_next_turn_is_an_hour_away(repository, see, github_app, clock):
    repository("tools", 5)
    PassState.objects.create(name="sync-repositories", locked_until=clock.now + timedelta(minutes=5))
    text = see("/repositories/").text
    assert "runs now" in text
    assert "1 in about 1 h" in text


def test_those_without_a_turn_come_last_with_their_reason(repository, see, clock):
    later = clock.now + timedelta(minutes=30)
    factories.InstallationFactory(installation_id=8, throttled_until=later, account_login="acme")
    removed = repository("removed", installation_action="removed", installation_action_date=clock.now)
    throttled = repository("throttled", installation_id=8)
    plain = repository("plain", installation_id=None)
    in_line = repository("here", 1, private=True, archived=True)
    page = see("/repositories/")
    assert page.row_ids() == [in_line.pk, removed.pk, throttled.pk, plain.pk]
    assert "octo/here private archived in line" in page.text
    assert "removed taken from its installation now" in page.text
    assert (
        "out of reach its installation used up GitHub's rate limit: asked again in 30 min acme" in page.text
    )
    assert "no installation sees it" in page.text
    assert see("/repositories/?status=removed").row_ids() == [removed.pk]
    assert see("/repositories/?status=out-of-reach").row_ids() == [throttled.pk, plain.pk]
    assert see("/repositories/?status=in-line").row_ids() == [in_line.pk]
    assert "in line 1 out of reach 2 removed 1" in page.text


def test_the_page_and_the_pass_agree_on_who_is_in_line(clock):
    """The page says the rule in words, the pass in SQL: one row for each combination of what they look at."""
    past, future = clock.now, clock.now + timedelta(seconds=1)
    reaches = [None, *product("10", (None, past), (None, past, future))]
    wheres = product(("created", "deleted", "renamed"), ("", "added", "removed"), enumerate(reaches, start=1))
    for key, reach in enumerate(reaches, start=1):
        if reach:
            columns = dict(zip(("status", "suspended_date", "throttled_until"), reach, strict=True))
            factories.InstallationFactory(installation_id=key, **columns)
    rows = [
        factories.RepositoryFactory(
            github_id=n, last_action=action, installation_action=installation_action, installation_id=key
        )
        for n, (action, installation_action, (key, _)) in enumerate(wheres, start=1)
    ]
    shown = []
    for status in RepositoryStatus:
        found = walk({"status": status}, clock.now, "")
        assert {row.standing.status for row in found} == {status}
        shown += [row.repository for row in found]
    assert sorted(row.pk for row in shown) == [row.pk for row in rows]
    counts = selectors.counts()
    assert sum(counts.values()) == len(rows)
    assert counts[RepositoryStatus.IN_LINE] == sync.active_repositories().count() > 0


def test_filters_narrow_it_and_are_part_of_the_address(repository, see):
    tools = repository("tools", 5)
    other = repository("Old_Tools", 4, owner_login="Acme", full_name="Acme/Old_Tools")
    percent = repository("100%", 3, installation_id=8)
    assert see("/repositories/?owner=acme").row_ids() == [other.pk]
    assert see("/repositories/?name=TOOL").row_ids() == [tools.pk, other.pk]
    assert see("/repositories/?name=_").row_ids() == [other.pk]
    assert see("/repositories/?name=%25").row_ids() == [percent.pk]
    assert see("/repositories/?installation=8").row_ids() == [percent.pk]
    page = see("/repositories/?name=tool&sort=name&status=in-line")
    assert page.row_ids() == [other.pk, tools.pk]
    assert "2 not known" in page.text
    chips = [link["href"] for link in page.all("a") if "status=removed" in link["href"]]
    assert chips == ["/repositories/?name=tool&sort=name&status=removed"]
    assert "No repository fits this filter" in see("/repositories/?owner=nobody").text
    assert "cannot be read" in see("/repositories/?status=lost").text


@pytest.mark.parametrize(
    "query", ["", "sort=name", "status=in-line", "status=in-line&sort=name", "status=removed"]
)
def test_pages_follow_each_other_each_row_once_f37(clock, see, query):
    factories.InstallationFactory()
    many(130, clock.now)
    for row in many(70, clock.now, last_action="deleted"):
        Repository.objects.filter(pk=row.pk).update(github_id=20_000 + row.pk, updated_at=clock.now)
    path, shown = f"/repositories/?{query}", []
    while path:
        page = see(path)
        shown += page.row_ids()
        path = page.link("next")
    rows = {row.pk: row for row in Repository.objects.all()}
    wanted = {
        pk
        for pk, row in rows.items()
        if "status" not in query or (row.last_action == "deleted") == ("removed" in query)
    }
    assert sorted(shown) == sorted(wanted)
    if "sort=name" in query:
        assert shown == sorted(shown, key=lambda pk: (rows[pk].owner_login, rows[pk].name.lower(), pk))
    else:
        assert shown == sorted(shown, key=lambda pk: key_of_turn(rows[pk]))


def key_of_turn(row):
    synced = row.last_sync_date
    return (row.last_action == "deleted", synced is not None, synced.timestamp() if synced else 0, row.pk)


@pytest.mark.parametrize(
    "form, sort, rows", [({}, "", 130), ({}, "name", 130), ({}, "-name", 130), ({"owner": "owner1"}, "", 43)]
)
def test_the_places_are_those_of_the_whole_line_on_every_page(clock, form, sort, rows):
    factories.InstallationFactory()
    many(130, clock.now)
    line = sync.active_repositories().order_by("last_sync_date", "pk").values_list("pk", flat=True)
    place_of = {pk: place for place, pk in enumerate(line, start=1)}
    shown = walk(form, clock.now, sort)
    assert len(shown) == rows
    assert [row.place for row in shown] == [place_of[row.repository.pk] for row in shown]
    assert {row.turn - row.place * timedelta(hours=1) for row in shown} == {clock.now - timedelta(hours=1)}


def test_an_empty_line_is_explained(clock, see, github_app):
    text = see("/repositories/").text
    assert "Nobody is in line" in text
    assert "when a repository is in line" in text
    assert "One appears here when its first Event comes in" in text
    assert Installation.objects.count() == 0
