"""What holds for every page."""

from __future__ import annotations

import zlib

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from core.access.values import ROLES
from core.actions import note
from core.models import Heartbeat, PassRun, Setting
from monitor.models import BulkJob
from monitor.urls import urlpatterns
from tests import factories
from tests.monitor.conftest import HOSTILE, parse
from webhooks.models import Delivery, Installation, PullRequest, Repository
from workqueue.models import WorkItem

OPEN_TO_ALL = {"login", "logout", "healthz", "readyz", "healthz-worker", "metrics", "badge", "counts-json"}
EXAMPLE = {
    "processing-rows": {"table": "pull_requests"},
    "delivery": {"sequence": 1},
    "delivery-replay": {"sequence": 1},
    "pass-run": {"name": "idle"},
    "pass-pause": {"name": "idle"},
    "pass-resume": {"name": "idle"},
    "repository": {"github_id": 4242},
    "bulk-prepare": {"kind": "replay"},
    "bulk-cancel": {"sequence": 1},
    "work-item": {"sequence": 1},
    "work-item-retry": {"sequence": 1},
    "work-item-cancel": {"sequence": 1},
    "pull-request": {"owner": "octo", "name": "tools", "number": 7},
    "pull-request-re-request": {"sequence": 1},
    "pull-request-reset": {"sequence": 1},
    "merge-approve": {"sequence": 1},
    "merge-reject": {"sequence": 1},
    "merge-retry": {"sequence": 1},
}
PROTECTED = {
    reverse(p.name, kwargs=EXAMPLE.get(p.name)): p.callback.permission
    for p in urlpatterns
    if p.name not in OPEN_TO_ALL
}
# Queries a page may take, session, user and role (4) included. What is given up on takes one for each of eight tables
# and one for looks, because each stops counting at its bound.
CEILINGS = {
    "/": 32,
    "/trends/": 29,
    "/processing/": 17,
    "/processing/failed/?table=pull_requests": 17,
    "/processing/pull_requests/": 9,
    "/idle/": 9,
    "/idle/next/": 6,
    "/pull-requests/": 5,
    "/pull-requests/octo/tools/7/": 26,
    "/repositories/": 16,
    "/repositories/?sort=name": 16,
    "/repositories/4242/": 18,
    "/installations/": 15,
    "/deliveries/": 7,
    "/deliveries/{delivery}/": 8,
    "/passes/": 14,
    "/merges/": 9,
    "/merges/verdicts/": 7,
    "/bulk/": 7,
    "/actions/": 8,
    "/work-items/": 11,
    "/work-items/{item}/": 11,
}


@pytest.fixture
def delivery(now, monkeypatch):
    """A little of everything, named by somebody hostile; returns a Delivery."""
    name = {"repository_owner": HOSTILE[:200], "repository_name": "<svg/onload=1>"}
    old = {**name, "title": HOSTILE, "ref": "<svg/onload=1>", "sender": HOSTILE[:39]}
    factories.PullRequestFactory(**old)
    PullRequest.objects.update(updated_at=now.replace(month=1))
    factories.PullRequestFactory(
        **old, processing_state="NEW", processing_error=HOSTILE, processing_attempts=2
    )
    factories.PullRequestFactory(**old, processing_state="IDLE")
    factories.PullRequestFactory(
        number=7, title=HOSTILE, processing_error=HOSTILE, ref=HOSTILE, sender=HOSTILE[:39]
    )
    factories.IssueFactory(**name, title="W" * 5_000, processing_state="NEW")
    PassRun.objects.create(name="idle", outcome="failed", error=HOSTILE, actor=HOSTILE, counters={HOSTILE: 1})
    Setting.objects.update_or_create(name="idle.enabled", defaults={"value": "off"})
    Setting.objects.update_or_create(name="idle.pause-reason", defaults={"value": HOSTILE})
    whose = {"owner_login": HOSTILE[:200], "name": "<svg/onload=1>"}
    factories.RepositoryFactory(**whose)
    factories.RepositoryFactory(**whose, github_id=4243, installation_action=HOSTILE[:50], private=True)
    factories.InstallationFactory(
        account_login=HOSTILE[:200], account_type=HOSTILE[:50], repository_selection=HOSTILE[:50]
    )
    Heartbeat.objects.create(name="worker")
    BulkJob.objects.create(kind="replay", criteria={HOSTILE: HOSTILE}, actor=HOSTILE, bound=9, total=9)
    note(User.objects.create(username="<svg>"), HOSTILE, HOSTILE)
    told = {"item_type": "torch", "identity": HOSTILE, "subject": HOSTILE, "caller_identity": HOSTILE}
    item = WorkItem.objects.create(**told, phase="failed", error=HOSTILE)
    item.dimensions.create(dimension=HOSTILE[:64], variant=HOSTILE, status="true")
    item.audit.create(kind="outcome", sentence=HOSTILE, actor=HOSTILE)
    body = zlib.compress(b'{"title": "<script>alert(3)</script>", "html_url": "javascript:alert(1)"}')
    return factories.DeliveryFactory(
        **name, action=HOSTILE[:50], status="failed", error=HOSTILE, note=HOSTILE, body=body
    )


def paths(delivery):
    states = [f"/processing/pull_requests/?state={state}" for state in ("NEW", "IDLE", "PROCESSED")]
    fixed = ["/", "/trends/", "/processing/", "/processing/issues/", "/idle/", "/deliveries/", "/passes/"]
    fixed += ["/idle/next/", "/bulk/", "/actions/", "/bulk/new/re-request/?table=pull_requests&state=NEW"]
    fixed += ["/pull-requests/?q=%3Csvg%3E", "/pull-requests/octo/tools/7/"]
    fixed += ["/merges/", "/merges/verdicts/"]
    synced = [
        "/repositories/",
        "/repositories/?sort=name&owner=%3Csvg",
        "/installations/",
        "/repositories/4242/",
    ]
    work = ["/work-items/", f"/work-items/{WorkItem.objects.get().pk}/"]
    return [*fixed, *synced, *states, *work, f"/deliveries/{delivery.pk}/"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", PROTECTED)
def test_a_stranger_is_sent_to_the_login_page(path):
    for response in (Client().get(path), Client().post(path)):
        assert response.status_code in {302, 405}
        assert response.status_code == 405 or response["Location"].startswith("/login/?next=")


def refused(client, path):
    """Tell whether a page turned somebody away, whichever way it is used."""
    return {client.get(path).status_code, client.post(path).status_code} <= {403, 405}


@pytest.mark.parametrize("role", ["", *ROLES])
@pytest.mark.parametrize("path", PROTECTED)
def test_every_page_opens_to_its_roles_and_to_nobody_else(path, role, person):
    may = PROTECTED[path] in ROLES.get(role, ())
    assert refused(person(role=role), path) is not may


@pytest.fixture
def see(person):
    """Open a page as an operator, who sees everything that there is to see."""
    client = person(role="operator", name="olga")

    def get(path):
        response = client.get(path)
        assert response.status_code == 200, (path, response.status_code)
        return parse(response.content.decode())

    return get


def test_outside_text_stays_text_on_every_page_f37(delivery, see):
    for path in paths(delivery):
        page = see(path)
        icons = {image["src"] for image in page.all("img")}
        assert icons == {"/static/monitor/icon.svg"}, path
        assert not page.all("svg"), path
        assert not page.inline_script, path


def test_every_page_is_fit_for_a_strict_content_security_policy(delivery, see):
    for path in paths(delivery):
        for tag, attributes in see(path).tags:
            inline = [name for name in attributes if name == "style" or name.startswith("on")]
            assert not inline, (path, tag, inline)


def test_links_lead_to_our_own_pages_or_to_https_github_f37(delivery, see):
    for path in paths(delivery):
        for _, attributes in see(path).tags:
            for name in ("href", "src", "action", "hx-get"):
                target = attributes.get(name, "/")
                assert target.startswith(("/", "#", "?", "https://github.com/")), (path, target)
                assert not target.startswith("//"), (path, target)
                assert not set("<>\"' ") & set(target), (path, target)


@pytest.mark.parametrize("path", CEILINGS)
def test_a_page_takes_few_queries_however_many_rows(
    path, delivery, viewer, github_app, django_assert_max_num_queries
):
    PullRequest.objects.bulk_create(factories.PullRequestFactory.build_batch(60, processing_state="NEW"))
    Delivery.objects.bulk_create(factories.DeliveryFactory.build_batch(60))
    PassRun.objects.bulk_create(PassRun(name="idle") for _ in range(60))
    Installation.objects.bulk_create(
        factories.InstallationFactory.build(installation_id=n) for n in range(100, 160)
    )
    Repository.objects.bulk_create(
        factories.RepositoryFactory.build(github_id=n, installation_id=n) for n in range(100, 160)
    )
    address = path.format(delivery=delivery.pk, item=WorkItem.objects.get().pk)
    with django_assert_max_num_queries(CEILINGS[path]):
        assert viewer.get(address).status_code == 200


def test_every_page_has_a_title_one_heading_and_a_skip_link(delivery, see):
    for path in paths(delivery):
        page = see(path)
        assert len(page.all("title")) == 1, path
        assert len(page.all("h1")) == 1, path
        assert page.all("a")[0]["href"] == "#main", path
        assert [main["id"] for main in page.all("main")] == ["main"], path


def test_no_cache_may_keep_a_page(delivery, person):
    viewer = person(role="operator", name="olga")
    for path in paths(delivery):
        assert "no-store" in viewer.get(path)["Cache-Control"], path


@pytest.mark.parametrize(
    "path", ["/", "/processing/", "/idle/", "/repositories/", "/installations/", "/deliveries/", "/passes/"]
)
def test_an_empty_installation_says_what_will_appear(path, see):
    assert see(path).text


def test_an_address_that_was_altered_is_a_400_or_404_never_a_500(viewer):
    wrong = {
        "/processing/nowhere/": 404,
        "/processing/pull_requests/?state=DONE": 404,
        "/processing/pull_requests/?cursor=x": 400,
        "/processing/pull_requests/?cursor=99999999999999999-1": 400,
        "/processing/pull_requests/?cursor=-": 400,
        "/deliveries/?cursor=-1": 400,
        "/deliveries/?cursor=²": 400,
        "/deliveries/99999999999999999999/": 404,
        "/deliveries/7/": 404,
        "/passes/?name=nowhere": 404,
        "/passes/?cursor=" + "9" * 400: 400,
        "/passes/?cursor=" + "0" * 30 + "9" * 400: 400,
        "/repositories/?cursor=x": 400,
        "/repositories/?cursor=0": 400,
        "/repositories/?cursor=0-never": 400,
        "/repositories/?cursor=9-never-1": 400,
        "/repositories/?cursor=1-99999999999999999-1": 400,
        "/repositories/?sort=name&cursor=7": 400,
        "/repositories/?sort=size": 400,
        "/deliveries/?sort=status": 400,
        "/deliveries/?sort=received&cursor=7": 400,
        "/repositories/?status=lost&installation=x": 200,
        "/repositories/?owner=a%00b&name=%25": 200,
        "/repositories/?installation=" + "9" * 400: 200,
        "/installations/?cursor=7": 400,
        "/installations/?cursor=-": 400,
        "/idle/?cursor=0": 200,
        "/idle/?cursor=x": 400,
        "/idle/?cursor=" + "9" * 400: 400,
        "/idle/?status=MAYBE": 200,
        "/deliveries/?guid=x&repository=y&status=z": 200,
        "/idle/?repository=a%00b/c": 200,
    }
    for path, status in wrong.items():
        assert viewer.get(path).status_code == status, path


def test_a_person_logs_in_and_out(person):
    person()
    client = Client()
    assert "csrfmiddlewaretoken" in client.get("/login/").content.decode()
    answer = client.post(
        "/login/?next=/idle/", {"username": "ada", "password": "not-asked-for", "next": "/idle/"}
    )
    assert answer["Location"] == "/idle/"
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/").status_code == 302


def test_a_wrong_password_is_said_plainly(db):
    page = parse(Client().post("/login/", {"username": "ada", "password": "x"}).content.decode())
    assert "correct username and password" in page.text
