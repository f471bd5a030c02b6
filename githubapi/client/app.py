"""GitHub as the App itself sees it: its installations, and the deliveries of its hook."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, Self

from githubapi.client import reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel, Habits
from githubapi.client.credentials import AppCredentials, InstallationCredentials
from githubapi.client.deliveries import deliveries_since
from githubapi.client.installation import InstallationClient
from githubapi.client.limits import Clock, Limits
from githubapi.client.listing import Listing, read_all
from githubapi.client.transport import InstallationIdentity, Transport, app_identity
from githubapi.client.usage import Usage
from githubapi.client.wire import Wire
from githubapi.values import HookDelivery, InstallationFacts, Quota


class GithubSettings(Protocol):
    """Where the App's identity stands; Django's settings are one such object."""

    GITHUB_APP_ID: str
    GITHUB_APP_PRIVATE_KEY: str
    GITHUB_API_URL: str


def nothing() -> None:
    """Do nothing after a call."""


class AppClient:
    """Calls as the App, and the way to its installations.

    One object for one thread; close it, or use it in a `with` statement. Every method raises GithubError:
    Throttled, Transient, Permanent ("bad_credentials"). Listings are complete or raise. Connections and
    installation tokens are kept for as long as the client lives, nowhere else.
    """

    def __init__(  # noqa: PLR0913 -- who we are, and three habits by name
        self,
        app_id: str,
        private_key: str,
        api_url: str,
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        after_call: Callable[[], None] = nothing,
    ) -> None:
        """Raise Permanent ("not_configured", "bad_private_key") without asking GitHub."""
        limits = limits or Limits()
        base_url = api_url.rstrip("/")
        self._habits = Habits(base_url=base_url, limits=limits, clock=clock or Clock(), after_call=after_call)
        self._wire = Wire(base_url, limits)
        self._installations: dict[int, InstallationClient] = {}
        transport = Transport(self._wire, base_url, app_identity(app_id, private_key))
        self._channel = Channel(transport, AppCredentials(), self._habits, Usage(), "app")

    @classmethod
    def from_settings(
        cls,
        settings: GithubSettings,
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        after_call: Callable[[], None] = nothing,
    ) -> Self:
        """Return the client of the App that the settings describe; raises what the constructor raises."""
        return cls(
            settings.GITHUB_APP_ID,
            settings.GITHUB_APP_PRIVATE_KEY,
            settings.GITHUB_API_URL,
            limits=limits,
            clock=clock,
            after_call=after_call,
        )

    @property
    def usage(self) -> Usage:
        """What all of it has cost, installations included; the quota is the App's own."""
        return self._channel.usage

    @property
    def quotas(self) -> dict[int, Quota]:
        """What GitHub last said of the rate limit of each installation that was asked through this client."""
        found = {number: client.usage.quota for number, client in self._installations.items()}
        return {number: quota for number, quota in found.items() if quota}

    def installations(self) -> list[InstallationFacts]:
        """Return every installation of the App, suspended ones included."""
        listing = Listing(path="/app/installations", confirm_empty=True)
        return read_all(self._channel, listing, reading.installation)

    def installation(self, installation_id: int) -> InstallationFacts:
        """Return one installation. Raises Gone, which proves that a listing missed nothing."""
        call = Call(verb="GET", path=f"/app/installations/{installation_id}", shape=dict, repeatable=True)
        return reading.item(reading.installation, self._channel.ask(call).data)

    def hook_deliveries(self, since: datetime) -> list[HookDelivery]:
        """Return every attempt at a delivery since an aware instant, newest first. GitHub keeps three days of
        them.

        Raises ValueError for an instant without a time zone.
        """
        return deliveries_since(self._channel, since)

    def redeliver(self, delivery_id: int) -> None:
        """Ask GitHub to deliver once more, under the same GUID. Sent once. Raises Gone, Permanent."""
        self._channel.ask(Call(verb="POST", path=f"/app/hook/deliveries/{delivery_id}/attempts"))

    def for_installation(self, installation_id: int) -> InstallationClient:
        """Return the client of one installation, always the same one; nothing is asked yet."""
        if installation_id not in self._installations:
            self._installations[installation_id] = self._new_installation_client(installation_id)
        return self._installations[installation_id]

    def close(self) -> None:
        """Close the connections; tokens are forgotten with the object."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new_installation_client(self, installation_id: int) -> InstallationClient:
        credentials = InstallationCredentials(self._channel, installation_id, self._habits.clock)
        identity = InstallationIdentity(credentials.current_token)
        transport = Transport(self._wire, self._habits.base_url, identity)
        name = f"installation {installation_id}"
        channel = Channel(transport, credentials, self._habits, Usage(self._channel.usage), name)
        return InstallationClient(channel, installation_id)
