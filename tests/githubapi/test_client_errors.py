"""What GitHub's refusals mean: the error, its reason, and what to do next."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from githubapi.client.answers import Answer, Call, read_reply
from githubapi.errors import (
    Disabled,
    Forbidden,
    GithubError,
    Gone,
    Moved,
    Permanent,
    Suspended,
    Throttled,
    Transient,
)
from sandbox.server import SandboxGithub, worlds
from tests.github_app import INSTALLATION, REPOSITORY, app_client

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
CALL = Call(verb="GET", path="/repositories/1", shape=dict)
PAGE = Call(verb="GET", path="/repositories/1/issues", shape=list, listing=True)


def meaning(status: int, message: str = "", *, call: Call = CALL, **headers: str) -> GithubError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = f'{{"message": "{message}"}}'.encode() if message else b""
    with pytest.raises(GithubError) as caught:
        read_reply(call, Answer(status, names, body), NOW)
    return caught.value


@pytest.mark.parametrize(
    "status,message,kind,reason",
    [
        (404, "Not Found", Gone, "not_found"),
        (410, "This issue was deleted", Gone, "gone"),
        (410, "Issues are disabled for this repo", Disabled, "disabled"),
        (401, "Bad credentials", Permanent, "bad_credentials"),
        (403, "Resource not accessible by integration", Forbidden, "forbidden"),
        (403, "Repository access blocked", Forbidden, "blocked"),
        (403, "This installation has been suspended", Suspended, "suspended"),
        (451, "Repository access blocked", Forbidden, "blocked"),
        (400, "Problems parsing JSON", Permanent, "http_400"),
        (405, "", Permanent, "http_405"),
        (409, "Git Repository is empty.", Permanent, "conflict"),
        (422, "Validation Failed", Permanent, "unprocessable"),
        (408, "", Transient, "timeout"),
        (500, "Server Error", Transient, "server_error"),
        (503, "", Transient, "server_error"),
        (202, "", Transient, "not_ready"),
        (204, "", Transient, "unexpected_answer"),
        (304, "", Transient, "unexpected_answer"),
    ],
)
def test_each_refusal_is_told_from_the_others(status, message, kind, reason):
    error = meaning(status, message)
    assert (type(error), error.reason) == (kind, reason)
    assert message in str(error)


def test_410_of_a_listing_means_that_the_feature_is_off_whatever_the_words():
    assert isinstance(meaning(410, "Gone", call=PAGE), Disabled)


@pytest.mark.parametrize(
    "body", [b"", b"not json", b"[]", b'{"a": ', b"\xff\xfe", b"null", b"<html>", b"[" * 100_000]
)
def test_a_good_status_with_anything_but_the_expected_json_is_transient(body):
    with pytest.raises(Transient) as caught:
        read_reply(CALL, Answer(200, {}, body), NOW)
    assert caught.value.reason == "malformed_answer"


# --- F10: a throttle is not a refusal, and its end is known ----------------------------------------------

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
RESET = str(int((NOW + timedelta(minutes=55)).timestamp()))


@pytest.mark.parametrize(
    "status,message,headers,reason,seconds",
    [
        (403, SECONDARY, {}, "secondary_rate_limit", 60),
        (403, "You have triggered an abuse detection mechanism", {}, "secondary_rate_limit", 60),
        (403, SECONDARY, {"retry_after": "90"}, "secondary_rate_limit", 90),
        (429, "", {}, "secondary_rate_limit", 60),
        (429, "Too many requests", {"retry_after": "7"}, "secondary_rate_limit", 7),
        (403, "", {"retry_after": "Wed, 04 Mar 2026 09:02:00 GMT"}, "secondary_rate_limit", 120),
        (429, "", {"retry_after": "soon"}, "secondary_rate_limit", 60),
        (429, "", {"retry_after": "99999999999999999999"}, "secondary_rate_limit", 86_400),
        (
            403,
            "API rate limit exceeded for installation ID 7.",
            {"x_ratelimit_remaining": "0", "x_ratelimit_reset": RESET},
            "primary_rate_limit",
            3301,
        ),
        (429, "", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": RESET}, "primary_rate_limit", 3301),
        (403, "API rate limit exceeded", {}, "primary_rate_limit", 60),
        (
            403,
            SECONDARY,
            {"x_ratelimit_remaining": "0", "x_ratelimit_reset": RESET},
            "secondary_rate_limit",
            60,
        ),
    ],
)
def test_f10_every_kind_of_throttle_says_when_to_try_again(status, message, headers, reason, seconds):
    error = meaning(status, message, **headers)
    assert isinstance(error, Throttled)
    assert (error.reason, error.wait) == (reason, timedelta(seconds=seconds))
    assert error.try_again_at == NOW + timedelta(seconds=seconds)
    assert not error.permanent


def test_f10_a_plain_403_is_no_throttle():
    error = meaning(403, "Resource not accessible by integration", x_ratelimit_remaining="4711")
    assert isinstance(error, Forbidden)
    assert error.permanent


def test_the_wait_is_measured_by_githubs_clock_when_ours_is_an_hour_off():
    headers = {
        "x_ratelimit_remaining": "0",
        "x_ratelimit_reset": RESET,
        "date": "Wed, 04 Mar 2026 09:50:00 GMT",
    }
    error = meaning(403, "API rate limit exceeded", **headers)
    assert isinstance(error, Throttled)
    assert error.wait == timedelta(minutes=5, seconds=1)


@pytest.mark.parametrize(
    "error",
    [
        Transient("timeout", "No answer."),
        Throttled("primary_rate_limit", "Wait.", NOW, timedelta(seconds=1)),
        Moved("moved", "Moved.", "/repositories/2", 2),
    ],
)
def test_an_error_survives_the_way_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


# --- against the sandbox ---------------------------------------------------------------------------------


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(installations=3, repositories=2, issues=3, pull_requests=2)) as running:
        yield running


def test_f19_a_suspended_installation_stops_neither_the_one_before_nor_the_one_after(github):
    github.changes.suspend(INSTALLATION + 1)
    with app_client(github.url) as app:
        assert [one.suspended_at is None for one in app.installations()] == [True, False, True]
        assert len(app.for_installation(INSTALLATION).repositories()) == 2
        with pytest.raises(Suspended):
            app.for_installation(INSTALLATION + 1).repositories()
        assert len(app.for_installation(INSTALLATION + 2).repositories()) == 2
        github.changes.unsuspend(INSTALLATION + 1)
        assert len(app.for_installation(INSTALLATION + 1).repositories()) == 2


def test_f19_an_installation_suspended_in_the_middle_of_a_pass_is_noticed(github):
    with app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        assert client.repositories()
        github.changes.suspend(INSTALLATION)
        with pytest.raises(Suspended):
            client.open_issues(REPOSITORY)


def test_f19_an_uninstalled_app_is_gone(github):
    with app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        assert client.repositories()
        github.changes.uninstall(INSTALLATION)
        with pytest.raises(Gone) as caught:
            client.repositories()
    assert caught.value.reason == "no_installation"


def test_f19_a_deleted_issue_is_gone_and_asked_for_once(github):
    github.changes.delete_issue(REPOSITORY, 3)
    with app_client(github.url) as app, pytest.raises(Gone) as caught:
        app.for_installation(INSTALLATION).issue(REPOSITORY, 3)
    assert caught.value.reason == "gone"
    assert len(github.requests(".*/issues/3")) == 1


def test_f19_issues_switched_off_are_no_error_of_the_pull_requests(github):
    github.changes.switch_issues(REPOSITORY, on=False)
    with app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        with pytest.raises(Disabled):
            client.open_issues(REPOSITORY)
        with pytest.raises(Disabled):
            client.issue(REPOSITORY, 4)
        assert len(client.open_pull_requests(REPOSITORY)) == 2
        assert client.issue(REPOSITORY, 1).is_pull_request
        assert not client.repository(REPOSITORY).has_issues


def test_f19_a_deleted_repository_is_gone(github):
    github.changes.delete_repository(REPOSITORY)
    with app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        for ask in (client.repository, client.open_pull_requests, client.branches):
            with pytest.raises(Gone):
                ask(REPOSITORY)


def test_f19_a_renamed_repository_is_found_by_its_id(github):
    github.changes.rename_repository(REPOSITORY, "a-new-name")
    with app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        assert client.repository(REPOSITORY).full_name == "account-1/a-new-name"
        assert len(client.open_pull_requests(REPOSITORY)) == 2


def test_f19_a_redirect_to_another_id_is_followed_and_the_new_id_told(github):
    github.inject("/repositories/41", "redirect", location=f"/repositories/{REPOSITORY}")
    with app_client(github.url) as app:
        assert app.for_installation(INSTALLATION).repository(41).id == REPOSITORY


def test_a_part_of_a_repository_never_comes_from_another_one(github):
    github.inject("/repositories/41/pulls", "redirect", location=f"/repositories/{REPOSITORY}/pulls")
    with app_client(github.url) as app, pytest.raises(Moved) as caught:
        app.for_installation(INSTALLATION).open_pull_requests(41)
    assert (caught.value.repository_id, caught.value.reason) == (REPOSITORY, "moved")
    assert github.requests(f"/repositories/{REPOSITORY}/pulls") == []


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirected_listing_keeps_its_query(github, status):
    github.inject(
        f"/repositories/{REPOSITORY}/pulls",
        "redirect",
        status=status,
        location="/repos/account-1/repository-1/pulls",
    )
    github.changes.close_pull_request(REPOSITORY, 1)
    with app_client(github.url) as app:
        assert [
            pull.number for pull in app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)
        ] == [2]
    (asked,) = github.requests("/repos/account-1/repository-1/pulls")
    assert (asked.query["state"], asked.query["per_page"]) == ("open", "10")


def test_a_redirect_to_another_server_is_never_followed(github):
    github.inject(
        f"/repositories/{REPOSITORY}", "redirect", location="https://elsewhere.example/repositories/1"
    )
    with app_client(github.url) as app, pytest.raises(Moved) as caught:
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert caught.value.reason == "moved_elsewhere"


def test_a_redirect_in_a_circle_ends(github):
    path = f"/repositories/{REPOSITORY}"
    github.inject(path, "redirect", location=path, times=None)
    with app_client(github.url) as app, pytest.raises(Moved) as caught:
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert caught.value.reason == "redirect_loop"
    assert len(github.requests(path)) == 4


def test_a_redirected_write_is_not_sent_on(github):
    github.inject("/app/hook/deliveries/5/attempts", "redirect", location="/repositories/9/elsewhere")
    with app_client(github.url) as app, pytest.raises(Moved) as caught:
        app.redeliver(5)
    assert caught.value.repository_id == 9
    assert [one.verb for one in github.log] == ["POST"]
