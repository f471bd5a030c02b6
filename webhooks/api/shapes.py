"""The claimed tables as the API shows them: names of paths, and members of rows. The existing client's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models as fields
from django.db.models import Model
from rest_framework import serializers

from webhooks import models

# Member -> column. Of users nobody is the sender: the member is there, and null.
_ALL = {
    "sequence": "pk",
    "senderLogin": "sender_login",
    "processingState": "processing_state",
    "processingDate": "processing_date",
    "webhooksReceiverVersion": "webhooks_receiver_version",
    "webhooksHandlerVersion": "webhooks_handler_version",
    "gstracciniBotVersion": "gstraccini_bot_version",
}
_IN_REPOSITORY = _ALL | {"repositoryOwner": "repository_owner", "repositoryName": "repository_name"}


@dataclass(frozen=True)
class Entity:
    """One claimed table: its word in paths, and the columns behind its rows' members."""

    path: str
    model: type[Model]
    members: Mapping[str, str]

    @property
    def title(self) -> str:
        """The word for people: "pull requests"."""
        return self.path.replace("-", " ")

    @property
    def name(self) -> str:
        """The word for the schema: "PullRequests"."""
        return self.title.title().replace(" ", "")

    @property
    def columns(self) -> list[str]:
        """The columns to read, without the primary key."""
        known = {field.name for field in self.model._meta.concrete_fields}
        return [column for column in self.members.values() if column in known]

    def item(self, row: Mapping[str, Any], date: Callable[[datetime | None], Any]) -> dict[str, Any]:
        """Return a row, given as its columns' values, under the members' names; `date` words its instants."""
        values = {member: row.get(column) for member, column in self.members.items()}
        return values | {"processingDate": date(values["processingDate"])}

    def items(
        self, rows: Iterable[Sequence[Any]], date: Callable[[datetime | None], Any]
    ) -> list[dict[str, Any]]:
        """Return rows, given as the values of the primary key and of `columns`, as item() would."""
        blank, read = dict.fromkeys(self.members), {"pk", *self.columns}
        names = [member for member, column in self.members.items() if column in read]
        found = [blank | dict(zip(names, row, strict=True)) for row in rows]
        for item in found:
            item["processingDate"] = date(item["processingDate"])
        return found

    def schema(self) -> dict[str, serializers.Field]:
        """Return the members as fields of a serializer, for the description of the API."""
        return {member: _field(self.model, column) for member, column in self.members.items()}


ENTITIES = (
    Entity(
        "pull-requests",
        models.PullRequest,
        _IN_REPOSITORY
        | {
            "number": "number",
            "sender": "sender",
            "ref": "ref",
            "title": "title",
            "idleRetryCount": "idle_retry_count",
        },
    ),
    Entity(
        "branches", models.Branch, _IN_REPOSITORY | {"ref": "ref", "refType": "ref_type", "event": "event"}
    ),
    Entity(
        "comments",
        models.Comment,
        _IN_REPOSITORY
        | {
            "pullRequestNumber": "pull_request_number",
            "commentId": "comment_id",
            "commentSender": "comment_sender",
        },
    ),
    Entity(
        "installations",
        models.Installation,
        _ALL
        | {
            "accountLogin": "account_login",
            "accountType": "account_type",
            "repositorySelection": "repository_selection",
            "status": "status",
        },
    ),
    Entity("issues", models.Issue, _IN_REPOSITORY | {"number": "number"}),
    Entity("pushes", models.Push, _IN_REPOSITORY | {"ref": "ref"}),
    Entity(
        "repositories",
        models.Repository,
        _ALL
        | {
            "fullName": "full_name",
            "ownerLogin": "owner_login",
            "lastAction": "last_action",
            "installationAction": "installation_action",
        },
    ),
    Entity(
        "users",
        models.User,
        _ALL | {"login": "login", "fullName": "full_name", "email": "email", "userId": "user_id"},
    ),
)


def _field(model: type[Model], column: str) -> serializers.Field:
    field = model._meta.pk if column == "pk" else _column(model, column)
    if isinstance(field, fields.IntegerField):
        return serializers.IntegerField()
    return serializers.CharField(allow_null=field is None or field.null)


def _column(model: type[Model], column: str) -> Any:
    return next((field for field in model._meta.concrete_fields if field.name == column), None)


def item_schema(entity: Entity) -> type[serializers.Serializer]:
    """Return the serializer class of one row of `<entity>-processing`."""
    return type(f"{entity.name}ProcessingItem", (serializers.Serializer,), entity.schema())


def link(url: str) -> str:
    """Return the address if it may be made a link, else "": a payload may hold any text (field case F37)."""
    return url if url.startswith(("https://", "http://")) else ""
