"""Installation tokens: fetched when needed, renewed before they end, forgotten when GitHub refuses them.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from githubapi.client import reading
from githubapi.client.answers import Call, Reply
from githubapi.client.channel import Channel
from githubapi.client.limits import Clock
from githubapi.errors import Gone

# A token lives for an hour. The margin is longer than one call may take.
MARGIN = timedelta(minutes=2)


class AppCredentials:
    """The App signs each request anew: there is nothing to prepare, and a refusal is final."""

    def prepare(self) -> None:
        """Nothing to do."""

    def discard(self) -> bool:
        return False


class InstallationCredentials:
    """One installation's token, kept in memory only."""

    def __init__(self, app: Channel, installation_id: int, clock: Clock) -> None:
        self._app = app
        self._installation_id = installation_id
        self._clock = clock
        self._lock = threading.Lock()
        self._token = ""
        self._valid_until = datetime.min.replace(tzinfo=UTC)

    def current_token(self) -> str:
        return self._token

    def prepare(self) -> None:
        """Fetch a token unless a valid one is at hand; raises Gone ("no_installation"), Suspended, Throttled,
        ...
        """
        with self._lock:
            if not self._token or self._clock.now() >= self._valid_until:
                self._renew()

    def discard(self) -> bool:
        self._token = ""
        return True

    def _renew(self) -> None:
        reply = self._fetch()
        self._token, expires_at = reading.token(reply.data)
        # Its length of life is GitHub's to say, by its own clock; it begins now, by ours.
        self._valid_until = self._clock.now() + (expires_at - (reply.dated or self._clock.now())) - MARGIN

    def _fetch(self) -> Reply:
        # Another token harms nobody and changes nothing: repeatable, although it is a POST.
        path = f"/app/installations/{self._installation_id}/access_tokens"
        try:
            return self._app.ask(Call(verb="POST", path=path, shape=dict, repeatable=True))
        except Gone as error:
            raise Gone("no_installation", f"Installation {self._installation_id} does not exist.") from error
