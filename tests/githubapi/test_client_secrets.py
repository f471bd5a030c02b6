"""F23: whatever happens and however much is logged, no secret is in a log, an error or a representation."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator

import pytest
import structlog

from githubapi.client import AppClient
from githubapi.client.redaction import HIDDEN, redacted
from githubapi.errors import GithubError, Permanent
from sandbox.server import SandboxGithub, worlds
from tests.github_app import APP_ID, INSTALLATION, REPOSITORY, app_client, private_key

WEBHOOK_SECRET = "the webhook's own secret"
TOKENS = r"/app/installations/\d+/access_tokens"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(repositories=2, pull_requests=3), secret=WEBHOOK_SECRET) as running:
        yield running


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """All loggers at DEBUG, PyGithub's and those below the HTTP library included; structlog joins them."""
    known = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    known += [logging.getLogger(name) for name in ("github", "github.Requester", "urllib3.connectionpool")]
    levels = [(logger, logger.level) for logger in known]
    before = structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.KeyValueRenderer()], logger_factory=structlog.stdlib.LoggerFactory()
    )
    caplog.set_level(logging.DEBUG)
    for logger in known:
        logger.setLevel(logging.DEBUG)
    yield caplog
    structlog.configure(**before)
    for logger, level in levels:
        logger.setLevel(level)


def secrets_in(text: str) -> list[str]:
    body_of_key = private_key().splitlines()[3]
    wanted = ("ghs_", "eyJ", "x-access-token", "BEGIN RSA", body_of_key, WEBHOOK_SECRET)
    return [secret for secret in wanted if secret in text]


def test_f23_a_pass_with_failing_calls_leaves_no_secret_in_any_log(github, everything_logged):
    github.inject(
        f"/repositories/{REPOSITORY}", "status", status=500, message="token ghs_abcDEF is bad", times=3
    )
    github.inject(f"/repositories/{REPOSITORY}/pulls", "disconnect", times=None)
    github.inject("/app/installations", "html", times=None)
    shown = []
    with app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        client.repositories()
        github.clock.shift(2 * 3600)
        for ask in (
            app.installations,
            lambda: client.repository(REPOSITORY),
            lambda: client.open_pull_requests(REPOSITORY),
        ):
            with pytest.raises(GithubError) as caught:
                ask()
            shown += [str(caught.value), repr(caught.value), *traceback.format_exception(caught.value)]
        shown += [repr(app), repr(client), repr(vars(client)), repr(app.usage)]
    assert len(everything_logged.records) > 10
    assert {"githubapi", "urllib3.connectionpool"} <= {record.name for record in everything_logged.records}
    assert secrets_in(everything_logged.text) == []
    assert secrets_in("\n".join(shown)) == []


def test_f23_the_search_would_find_a_token():
    assert secrets_in("Authorization: token ghs_16C7e42F292c6912E7710c838347Ae178B4a") == ["ghs_"]


@pytest.mark.parametrize(
    "text", ['{"token": "ghs_abc", "expires_at": "soon"}', '{"token": "ghs_abc"}', "[]", "{}"]
)
def test_f23_a_token_that_cannot_be_read_is_not_quoted(github, text):
    github.inject(TOKENS, "body", status=201, text=text, times=None)
    with app_client(github.url) as app, pytest.raises(GithubError) as caught:
        app.for_installation(INSTALLATION).repositories()
    assert caught.value.reason == "malformed_answer"
    assert secrets_in("".join(traceback.format_exception(caught.value))) == []


@pytest.mark.parametrize(
    "key",
    [
        "no key at all",
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    ],
)
def test_f23_a_bad_key_is_named_and_not_shown(key):
    with pytest.raises(Permanent) as caught:
        AppClient(APP_ID, key, "http://127.0.0.1:1")
    assert caught.value.reason == "bad_private_key"
    assert secrets_in("".join(traceback.format_exception(caught.value))) == []


@pytest.mark.parametrize("app_id,key", [("", "a key"), (APP_ID, "")])
def test_an_app_without_id_or_key_is_not_configured(app_id, key):
    with pytest.raises(Permanent) as caught:
        AppClient(app_id, key, "http://127.0.0.1:1")
    assert caught.value.reason == "not_configured"


def test_a_key_on_one_line_with_written_line_ends_is_read(github):
    with AppClient(APP_ID, private_key().replace("\n", "\\n"), github.url) as app:
        assert len(app.installations()) == 1


@pytest.mark.parametrize(
    "text,visible",
    [
        ("Bad token ghs_16C7e42F292c6912E7710c838347Ae178B4a!", f"Bad token {HIDDEN}!"),
        ("ghs_200100_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.c2ln", HIDDEN),
        ("github_pat_11ABC_def", HIDDEN),
        ("Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.c2ln", f"Authorization: Bearer {HIDDEN}"),
        ("https://x-access-token:abc@github.com/o/r", f"https://{HIDDEN}@github.com/o/r"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nx\n-----END RSA PRIVATE KEY----- tail", f"{HIDDEN} tail"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE cut off", HIDDEN),
        ("nothing  to\nhide", "nothing to hide"),
        ("x" * 301, "x" * 300 + "…"),
    ],
)
def test_what_looks_like_a_secret_is_hidden(text, visible):
    assert redacted(text) == visible
