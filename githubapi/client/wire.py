"""HTTP: one request out, one whole answer in, within a bounded time. Knows nothing of GitHub."""

from __future__ import annotations

import os
from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies

from githubapi.client.answers import Answer
from githubapi.client.limits import Deadline, Limits
from githubapi.errors import Transient

CONNECTIONS = 4
PIECE = 64 * 1024


class Wire:
    """The connections to one server, kept open between requests and shared by the clients of one App.

    Nothing is repeated and no redirect is followed here.
    """

    def __init__(self, base_url: str, limits: Limits) -> None:
        parts = urlsplit(base_url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._limits = limits
        self._session = requests.Session()
        # Proxies and certificates are taken from the environment once, not at each request; a .netrc file
        # (whose password would replace our header) never.
        self._session.trust_env = False
        self._session.proxies = get_environ_proxies(base_url)
        self._session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=CONNECTIONS, max_retries=0))

    def exchange(
        self, verb: str, target: str, headers: Mapping[str, str], body: str | None, deadline: Deadline
    ) -> Answer:
        """Send one request to a target (path and query) and return the answer, whatever its status.

        Raises Transient ("unreachable", "timeout", "malformed_answer" for one that is cut short).
        """
        what = f"{verb} {urlsplit(target).path}"
        try:
            return self._exchange(verb, target, headers, body, deadline)
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            raise Transient("timeout", f"{what} got no answer in time.") from None
        except (
            requests.exceptions.ChunkedEncodingError,
            requests.exceptions.ContentDecodingError,
            urllib3.exceptions.HTTPError,
        ):
            raise Transient("malformed_answer", f"The answer to {what} is cut short or garbled.") from None
        except requests.RequestException as error:
            # The library's own words may quote a proxy's address with its password: its class says enough.
            name = type(error).__name__
            raise Transient("unreachable", f"{what} did not reach GitHub ({name}).") from None

    def close(self) -> None:
        self._session.close()

    def _exchange(
        self, verb: str, target: str, headers: Mapping[str, str], body: str | None, deadline: Deadline
    ) -> Answer:
        # Never more than the time left, and always a little, or the socket would refuse to wait at all.
        left = max(min(deadline.left(), self._limits.call), 0.1)
        timeout = (min(self._limits.connect, left), min(self._limits.read, left))
        call = Deadline(left)
        with self._session.request(
            verb,
            self._origin + target,
            headers=headers,
            data=body,
            timeout=timeout,
            allow_redirects=False,
            stream=True,
        ) as response:
            names = {name.lower(): value for name, value in response.headers.items()}
            return Answer(
                response.status_code, names, _whole_body(response, call, f"{verb} {urlsplit(target).path}")
            )


def _whole_body(response: requests.Response, deadline: Deadline, what: str) -> bytes:
    """Read what is there, piece by piece: a server that drips bytes would outlive every timeout of the
    socket.
    """
    body = bytearray()
    while piece := response.raw.read1(PIECE, decode_content=True):
        body += piece
        if deadline.left() <= 0:
            raise Transient("timeout", f"The answer to {what} took too long to arrive.")
    return bytes(body)
