"""PyGithub, which authenticates and words our requests. The only module that imports it."""

from __future__ import annotations

from collections.abc import Callable, ItemsView
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from github import Auth
from github.Requester import HTTPRequestsConnectionClass, Requester

from githubapi.client.answers import Answer, Call
from githubapi.client.limits import Deadline
from githubapi.client.wire import Wire
from githubapi.errors import Permanent

API_VERSION = "2022-11-28"
MEDIA_TYPE = "application/vnd.github+json"
USER_AGENT = "pullkeeper"

# GitHub refuses a JWT that is dated in its future; a minute back allows for a clock of ours that is fast.
# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
JWT_LIFETIME_SECONDS = 300
JWT_DATED_BACK_SECONDS = 60

Identity = Auth.Auth


class InstallationIdentity(Auth.Auth):
    """Speaks as one installation, with whatever token is valid at that moment."""

    def __init__(self, current_token: Callable[[], str]) -> None:
        self._current_token = current_token

    @property
    def token_type(self) -> str:
        return "token"

    @property
    def token(self) -> str:
        return self._current_token()


def app_identity(app_id: str, private_key: str) -> Identity:
    """Return the App's identity, which signs a short-lived JWT for each request.

    Raises Permanent ("not_configured", "bad_private_key"): a key is tried out here, where its failure names
    it.
    """
    if not app_id or not private_key:
        raise Permanent("not_configured", "GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY must both be set.")
    try:
        key = _loaded(private_key)
        # PyGithub hands whatever this returns to the signer: a key loaded once, not text to be parsed each
        # time.
        identity = Auth.AppAuth(
            app_id,
            cast(Callable[[], str], lambda: key),
            jwt_expiry=JWT_LIFETIME_SECONDS,
            jwt_issued_at=-JWT_DATED_BACK_SECONDS,
        )
        _ = identity.token
    except Exception as error:  # noqa: BLE001 -- each layer below has errors of its own for a key it cannot use
        name = type(error).__name__
        raise Permanent(
            "bad_private_key", f"GITHUB_APP_PRIVATE_KEY is no private RSA key in PEM form ({name})."
        ) from None
    return identity


def _loaded(private_key: str) -> PrivateKeyTypes:
    # Environment files often hold the key on one line, its line ends written as \n. The check that is skipped
    # asks whether a stranger made the key to harm us, and takes longer than all the rest of a call.
    pem = private_key.replace("\\n", "\n").encode()
    return load_pem_private_key(pem, password=None, unsafe_skip_rsa_key_validation=True)


class Transport:
    """Sends calls under one identity over a Wire."""

    def __init__(self, wire: Wire, base_url: str, identity: Identity) -> None:
        self._wire = wire
        self._requester = Requester(
            auth=identity,
            base_url=base_url,
            timeout=15,  # a number is demanded; the wire has its own
            user_agent=USER_AGENT,
            per_page=100,  # demanded as well; listings name their own
            verify=True,
            retry=None,
            pool_size=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            api_version=API_VERSION,
        )

    def send(self, call: Call, deadline: Deadline) -> Answer:
        """Send a call once and return the answer, whatever its status. Raises what Wire.exchange raises."""
        hand_over = _HandOver(self._wire, deadline)
        self._requester.requestJson(
            call.verb,
            call.path,
            dict(call.query),
            {"Accept": MEDIA_TYPE},
            call.body,
            cnx=cast(HTTPRequestsConnectionClass, hand_over),
        )
        return hand_over.answer


class _HandOver:
    """The "connection" that PyGithub's requester speaks through: our wire.

    The requester is always shown an empty 200, for it would follow a 301 without its query, sleep and repeat
    a 202 without end, and log the body (which may hold a token). The real answer is kept here.
    """

    answer: Answer
    host = ""
    status = 200

    def __init__(self, wire: Wire, deadline: Deadline) -> None:
        self._wire = wire
        self._deadline = deadline

    def request(
        self, verb: str, url: str, body: str | None, headers: dict[str, str], _stream: Any = None
    ) -> None:
        self.answer = self._wire.exchange(verb, url, headers, body, self._deadline)

    def getresponse(self) -> _HandOver:
        return self

    def getheaders(self) -> ItemsView[str, str]:
        return {}.items()

    def read(self) -> str:
        return ""
