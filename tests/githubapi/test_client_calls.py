"""How calls are made: what is repeated, what never, how long it may take, and what it is counted as."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from githubapi.errors import Gone, Throttled, Transient
from sandbox.server import SandboxGithub, worlds
from tests.github_app import INSTALLATION, REPOSITORY, Stopwatch, app_client

A_REPOSITORY = f"/repositories/{REPOSITORY}"
TOKENS = rf"/app/installations/{INSTALLATION}/access_tokens"
ATTEMPTS = r"/app/hook/deliveries/\d+/attempts"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(repositories=2, pull_requests=12)) as running:
        yield running


@pytest.fixture
def watch() -> Stopwatch:
    return Stopwatch()


def wait_until(condition: Callable[[], object]) -> None:
    """Give a request that the client has turned its back on the time to arrive."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.parametrize("kind", ["status", "disconnect", "cut", "truncate", "html"])
def test_a_read_is_repeated_after_growing_pauses(github, watch, kind):
    github.inject(A_REPOSITORY, kind, times=2)
    with app_client(github.url, watch) as app:
        assert app.for_installation(INSTALLATION).repository(REPOSITORY).id == REPOSITORY
        assert (app.usage.requests, app.usage.retries) == (4, 2)
    assert watch.pauses == [0.5, 1.0]


def test_a_read_is_given_up_after_three_attempts(github, watch):
    github.inject(A_REPOSITORY, "status", status=502, times=None)
    with app_client(github.url, watch) as app, pytest.raises(Transient) as caught:
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert caught.value.reason == "server_error"
    assert len(github.requests(A_REPOSITORY)) == 3


def test_a_refusal_is_not_repeated(github, watch):
    github.inject(A_REPOSITORY, "status", status=404, message="Not Found")
    with app_client(github.url, watch) as app, pytest.raises(Gone):
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert (len(github.requests(A_REPOSITORY)), watch.pauses) == (1, [])


@pytest.mark.parametrize(
    "kind,details",
    [
        ("status", {"status": 502}),
        ("status", {"status": 500}),
        ("disconnect", {}),
        ("delay", {"seconds": 0.4}),
        ("secondary_limit", {"seconds": 1}),
        ("redirect", {"location": "/app"}),
    ],
)
def test_no_write_is_ever_sent_twice(github, watch, kind, details):
    github.inject(ATTEMPTS, kind, times=None, **details)
    with app_client(github.url, watch, read=0.2) as app, pytest.raises(Exception, match=r"POST|moved"):
        app.redeliver(7)
    wait_until(lambda: github.requests(ATTEMPTS))
    assert len(github.requests(ATTEMPTS)) == 1
    assert watch.pauses == []


def test_a_token_is_fetched_again_though_it_is_posted(github, watch):
    github.inject(TOKENS, "status", status=502, times=2)
    with app_client(github.url, watch) as app:
        assert len(app.for_installation(INSTALLATION).repositories()) == 2
    assert len(github.requests(TOKENS)) == 3


def test_a_token_that_cannot_be_fetched_is_tried_for_three_times_and_not_nine(github, watch):
    github.inject(TOKENS, "status", status=502, times=None)
    with app_client(github.url, watch) as app, pytest.raises(Transient):
        app.for_installation(INSTALLATION).repositories()
    assert [one.path for one in github.log] == [f"/app/installations/{INSTALLATION}/access_tokens"] * 3


def test_f18_a_connection_that_the_server_closed_meanwhile_costs_nothing(github, watch):
    github.deliver_to(lambda headers, body: 202)
    github.changes.open_issue(REPOSITORY, "One")
    github.inject("/app/installations", "close_after", times=None)
    with app_client(github.url, watch) as app:
        for _ in range(3):
            app.installations()
            time.sleep(0.1)  # the server closes when it has answered; a client in a hurry would not see it
            app.redeliver(max(github.hook.attempts))
        assert app.usage.retries == 0
    assert len(github.requests(ATTEMPTS)) == 3


def test_an_answer_that_comes_compressed_and_in_chunks_is_read_whole(github, watch):
    github.inject(".*", "compress", times=None)
    with app_client(github.url, watch) as app:
        assert len(app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)) == 12


# --- throttles -------------------------------------------------------------------------------------------


def test_a_throttle_of_seconds_is_waited_out_inside_the_call(github, watch):
    github.inject(A_REPOSITORY, "secondary_limit", seconds=3)
    with app_client(github.url, watch) as app:
        assert app.for_installation(INSTALLATION).repository(REPOSITORY).id == REPOSITORY
    assert watch.pauses == [3.0]


def test_f10_a_longer_throttle_is_a_value_and_nobody_sleeps(github, watch):
    github.inject(A_REPOSITORY, "primary_limit", seconds=3300)
    with app_client(github.url, watch) as app, pytest.raises(Throttled) as caught:
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    ahead = caught.value.try_again_at - watch.now()
    assert timedelta(minutes=54) < ahead < timedelta(minutes=56)
    assert watch.pauses == []


def test_f10_only_the_throttled_installation_is_held_back_until_its_time(github, watch):
    github.state.add_installation(worlds.regular(installations=2).installations[INSTALLATION + 1])
    github.inject(A_REPOSITORY, "secondary_limit")
    with app_client(github.url, watch) as app:
        client = app.for_installation(INSTALLATION)
        for _ in range(3):
            with pytest.raises(Throttled):
                client.repository(REPOSITORY)
        assert len(github.requests(A_REPOSITORY)) == 1
        assert app.for_installation(INSTALLATION + 1).repositories() == []
        watch.shift(seconds=61)
        assert client.repository(REPOSITORY).id == REPOSITORY


def test_a_quota_used_up_in_the_middle_of_a_listing_gives_no_list(github, watch):
    github.service.quotas.limit = 1
    with app_client(github.url, watch) as app, pytest.raises(Throttled) as caught:
        app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)
    assert caught.value.reason == "primary_rate_limit"


# --- time ------------------------------------------------------------------------------------------------


def test_an_answer_that_does_not_come_is_a_timeout(github, watch):
    github.inject(A_REPOSITORY, "delay", seconds=0.3, times=None)
    with app_client(github.url, watch, read=0.1, attempts=2) as app, pytest.raises(Transient) as caught:
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert caught.value.reason == "timeout"


def test_an_answer_that_drips_is_cut_off_though_each_byte_is_in_time(github, watch):
    github.inject(A_REPOSITORY, "drip")
    with app_client(github.url, watch, call=0.3, attempts=1) as app, pytest.raises(Transient) as caught:
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert caught.value.reason == "timeout"


def test_a_server_that_is_not_there_is_unreachable(watch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets the port, and nobody answers
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with app_client(url, watch) as app, pytest.raises(Transient) as caught:
            app.installations()
    assert caught.value.reason == "unreachable"


def test_a_listing_has_a_deadline_of_its_own(github, watch):
    github.inject(f"{A_REPOSITORY}/pulls", "delay", seconds=0.2, times=None)
    with app_client(github.url, watch, listing=0.1) as app, pytest.raises(Transient) as caught:
        app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)
    assert caught.value.reason in {"deadline", "timeout"}
    wait_until(lambda: github.requests(f"{A_REPOSITORY}/pulls"))
    assert len(github.requests(f"{A_REPOSITORY}/pulls")) == 1


def test_no_pause_reaches_beyond_the_deadline(github, watch):
    github.inject(f"{A_REPOSITORY}/pulls", "status", status=502, times=None)
    with app_client(github.url, watch, listing=0.4) as app, pytest.raises(Transient):
        app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)
    assert watch.pauses == []


# --- tokens ----------------------------------------------------------------------------------------------


def test_one_token_serves_an_installation_for_an_hour(github, watch):
    with app_client(github.url, watch) as app:
        for _ in range(3):
            app.for_installation(INSTALLATION).repositories()
    assert len(github.requests(TOKENS)) == 1


def test_a_token_is_renewed_before_it_ends_in_the_middle_of_a_long_pass(github, watch):
    with app_client(github.url, watch) as app:
        client = app.for_installation(INSTALLATION)
        client.repositories()
        watch.shift(minutes=59)
        github.clock.shift(59 * 60)
        client.repositories()
    assert len(github.requests(TOKENS)) == 2
    assert 401 not in {one.status for one in github.log}


def test_a_token_that_ended_early_is_replaced_and_the_call_made_again(github, watch):
    with app_client(github.url, watch) as app:
        client = app.for_installation(INSTALLATION)
        client.repositories()
        github.clock.shift(2 * 3600)
        assert len(client.repositories()) == 2
    assert [one.status for one in github.requests("/installation/repositories")] == [200, 401, 200]


def test_a_clock_an_hour_ahead_does_not_fetch_a_token_for_every_call(github, watch):
    watch.shift(hours=3)
    with app_client(github.url, watch) as app:
        for _ in range(3):
            app.for_installation(INSTALLATION).repositories()
    assert len(github.requests(TOKENS)) == 1


def test_a_token_refused_again_and_again_does_not_loop(github, watch):
    github.inject(A_REPOSITORY, "status", status=401, message="Bad credentials", times=None)
    with app_client(github.url, watch) as app, pytest.raises(Exception, match="Bad credentials"):
        app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert len(github.requests(A_REPOSITORY)) == 2


# --- connections, threads, counting ----------------------------------------------------------------------


def test_one_connection_serves_all_calls_of_a_client(github, watch):
    with app_client(github.url, watch) as app:
        app.installations()
        app.for_installation(INSTALLATION).repositories()
        app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)
    assert github.connections == 1


def test_two_threads_with_a_client_each_do_not_disturb_each_other(github):
    found: list[int] = []

    def work() -> None:
        with app_client(github.url) as app:
            client = app.for_installation(INSTALLATION)
            found.extend(len(client.open_pull_requests(REPOSITORY)) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [12] * 10
    assert (github.connections, len(github.requests(TOKENS))) == (2, 2)


def test_requests_and_quota_are_counted_for_the_installation_and_for_the_whole(github, watch):
    with app_client(github.url, watch) as app:
        client = app.for_installation(INSTALLATION)
        client.open_pull_requests(REPOSITORY)
        with pytest.raises(Gone):
            client.pull_request(REPOSITORY, 999)
        assert (client.usage.requests, client.usage.failures, client.usage.remaining) == (3, 1, 4997)
        assert (app.usage.requests, app.usage.failures, app.usage.remaining) == (4, 1, 4999)
        assert app.usage.requests == len(github.log)
        quota = client.usage.quota
        assert quota is not None
        assert quota.limit == 5000
        assert quota.resets_at > datetime.now(UTC)
        assert 0 < client.usage.seconds < app.usage.seconds
