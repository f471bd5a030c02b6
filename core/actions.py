"""Who did what: a line in Django's admin log for every act, done on a page, in the admin or over the API."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

LONGEST_NAME = 200
# The log wants an account, and a JWT of another issuer is nobody's. No form takes a name with parentheses.
NOBODYS_ACCOUNT = "(no account)"


def note(user: Any, target: str, sentence: str) -> None:
    """Keep that a signed-in user did something to a target: "pass idle", "delivery 7", "octo/tools#12"."""
    LogEntry.objects.create(
        user_id=user.pk,
        action_flag=CHANGE,
        object_repr=target[:LONGEST_NAME],
        change_message=sentence,
    )


def note_call(user: Any, name: str, target: str, sentence: str) -> None:
    """Keep that a caller of the API did something: `user` is whose rights were used, without a key when nobody's.

    `name` is that of the caller's Identity: the token's or the JWT's.
    """
    note(user if user.pk else _nobodys_account(), target, f"{sentence}, over the API as {name}")


def _nobodys_account() -> User:
    """Return the account that stands for callers without one; nobody can log in to it."""
    locked = {"is_active": False, "password": make_password(None)}
    return User.objects.get_or_create(username=NOBODYS_ACCOUNT, defaults=locked)[0]
