"""One repository: where it stands, what of it waits, its own idle order; and what GitHub has left for it."""

from __future__ import annotations

from datetime import timedelta

from django.db import DatabaseError

from bot.services import reach
from githubapi.values import Quota
from sandbox.server import SandboxGithub
from sandbox.server.state import APP_ID
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY, regular
from sync.models import InstallationQuota
from sync.services import quotas
from sync.services.github import app_client
from tests import factories
from tests.github_app import private_key

TOOLS = {"repository_owner": "octo", "repository_name": "tools"}


def quota(now, remaining=4_200, minutes=30):
    return Quota(limit=5_000, remaining=remaining, resets_at=now + timedelta(minutes=minutes))


def test_it_shows_its_own_pool_in_the_order_of_the_line(clock, see, github_app):
    factories.InstallationFactory()
    factories.RepositoryFactory(last_sync_date=clock.now - timedelta(minutes=20))
    rows = [
        factories.PullRequestFactory(updated_at=clock.now - timedelta(days=days), idle_retry_count=retries)
        for days, retries in ((60, 10), (5, 0), (2, 3))
    ]
    factories.PullRequestFactory(processing_state="NEW")
    factories.PullRequestFactory(
        repository_owner="acme", repository_name="ledger", updated_at=clock.now - timedelta(days=9)
    )
    page = see("/repositories/4242/")
    assert page.row_ids() == [rows[1].pk, rows[2].pk, rows[0].pk]
    assert "1 NEW" in page.text
    assert "3 PROCESSED" in page.text
    assert "place 1 in line" in page.text
    assert "/processing/pull_requests/?state=NEW&repository=octo%2Ftools" in {
        a["href"] for a in page.all("a")
    }
    assert "/repositories/4242/" in {a["href"] for a in see("/repositories/").all("a")}


def test_a_repository_that_nobody_knows_is_a_404(viewer):
    assert viewer.get("/repositories/7/").status_code == 404
    assert viewer.get("/repositories/99999999999999999999999/").status_code == 404


def test_deliveries_of_a_day_are_counted_with_the_failed(clock, see):
    factories.RepositoryFactory()
    for status, hours in (("applied", 1), ("failed", 2), ("failed", 25)):
        factories.DeliveryFactory(status=status, received_at=clock.now - timedelta(hours=hours), **TOOLS)
    assert "Deliveries in 24 h 2 , 1 failed" in see("/repositories/4242/").text


def test_what_github_has_left_is_kept_for_each_installation(clock, see):
    factories.InstallationFactory()
    quotas.keep({7: quota(clock.now), 8: quota(clock.now, remaining=0)})
    quotas.keep({7: quota(clock.now, remaining=4_000)})
    assert InstallationQuota.objects.get(pk=8).remaining == 0
    assert "4,000 of 5,000 as of now , anew in 30 min" in see("/installations/").text
    clock.shift(minutes=31)
    assert "5,000 (started anew)" in see("/installations/").text


def test_the_syncs_and_the_bot_keep_it_when_they_are_done(transactional_db, settings):
    with SandboxGithub(regular(pull_requests=1)) as github:
        settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = APP_ID, private_key()
        settings.GITHUB_API_URL = github.url
        for door in (app_client, reach.app_client):
            InstallationQuota.objects.all().delete()
            with door() as app:
                app.for_installation(FIRST_INSTALLATION).repository(FIRST_REPOSITORY)
            kept = InstallationQuota.objects.get()
            assert (kept.pk, kept.limit) == (FIRST_INSTALLATION, 5_000)
            assert 0 < kept.remaining < kept.limit


def test_a_quota_that_cannot_be_kept_spoils_no_work(transactional_db, monkeypatch, clock):
    def away(*_):
        raise DatabaseError

    monkeypatch.setattr(quotas, "_store", away)
    quotas.keep({7: quota(clock.now)})
    assert not InstallationQuota.objects.exists()
