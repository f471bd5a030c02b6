"""What a writer of Events gets, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from githubapi.protocol import Envelope
from webhooks.payload import Payload
from webhooks.values import Cause, DeliveryStatus, RepositoryRef

# Echoes of our own work that count as Events all the same: they begin or end a pull request's or issue's life.
NEVER_ECHOES = frozenset({"opened", "reopened", "closed"})


@dataclass(frozen=True)
class Incoming:
    """One authentic Delivery: its envelope, its payload, and the slug of our own App ("" = unknown)."""

    envelope: Envelope
    payload: Payload
    app_slug: str

    @property
    def guid(self) -> str:
        return str(self.envelope.guid)

    @cached_property
    def action(self) -> str:
        return self.payload.text("action", 50)

    @property
    def title(self) -> str:
        """What happened, in GitHub's words: the event and its action."""
        return f"{self.envelope.event} {self.action}".rstrip()

    @property
    def cause(self) -> Cause:
        """This Event as the cause of a line of history."""
        return Cause(actor=self.sender_login, delivery_guid=self.guid)

    @cached_property
    def installation_id(self) -> int | None:
        return self.payload.id("installation.id")

    @cached_property
    def sender_login(self) -> str:
        return self.payload.name("sender.login")

    @property
    def sent_by_bot(self) -> bool:
        return self.payload.text("sender.type", 20) == "Bot"

    @cached_property
    def is_echo(self) -> bool:
        """Tell whether our own App's bot caused this Event (docs/decisions/0010)."""
        ours = bool(self.app_slug) and self.sender_login.lower() == f"{self.app_slug.lower()}[bot]"
        return ours and self.action not in NEVER_ECHOES

    @cached_property
    def repository(self) -> RepositoryRef:
        """The repository; raises Unusable when the payload does not name it in full."""
        return RepositoryRef(
            id=self.payload.needed_id("repository.id"),
            owner=self.repository_owner or self.payload.needed_name("repository.owner.login"),
            name=self.payload.needed_name("repository.name"),
        )

    @cached_property
    def repository_owner(self) -> str:
        """The owner, also where an old payload has only its full name; "" when there is none."""
        return (
            self.payload.name("repository.owner.login")
            or self.payload.name("repository.full_name").partition("/")[0]
        )

    @cached_property
    def repository_name(self) -> str:
        return self.payload.name("repository.name")


@dataclass(frozen=True)
class Outcome:
    """What became of a Delivery, in one sentence; `wakes` = somebody should claim the rows now pending."""

    status: DeliveryStatus
    note: str
    wakes: bool = False


def applied(note: str, *, wakes: bool = True) -> Outcome:
    """The Event was written."""
    return Outcome(DeliveryStatus.APPLIED, note, wakes)


def ignored(note: str) -> Outcome:
    """The Event needs nothing, for a reason we can name."""
    return Outcome(DeliveryStatus.IGNORED, note)


def stale(note: str, *, wakes: bool = False) -> Outcome:
    """The Event is older than what the row knows."""
    return Outcome(DeliveryStatus.STALE, note, wakes)


def echo(note: str) -> Outcome:
    """The Event was caused by our own App."""
    return Outcome(DeliveryStatus.ECHO, note)
