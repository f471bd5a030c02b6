"""The words of access: permissions, roles, and who a caller turned out to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Permission(StrEnum):
    """What a caller may do; the values are also the codenames of Django permissions of `core`."""

    READ = "read"
    # Claim rows and finalize them, as external workers do.
    PROCESS = "process"
    # Run passes, retry, approve: whatever changes what happens next.
    OPERATE = "operate"
    # Tokens and access rules.
    ADMIN = "admin"


ROLES: Mapping[str, tuple[Permission, ...]] = {
    "viewer": (Permission.READ,),
    "operator": (Permission.READ, Permission.PROCESS, Permission.OPERATE),
    "administrator": tuple(Permission),
}


# Of PassRun.Actor and its like.
NAME_LIMIT = 150


class Means(StrEnum):
    """How a caller showed who it is."""

    TOKEN = "token"  # noqa: S105 (a word, not a secret)
    SESSION = "session"
    JWT = "jwt"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who calls: found by authentication alone, never declared by the caller (B5.14).

    `name` is what records and logs show, cut to what their columns hold. `login` is the user's name here, "" for a
    caller that is no user of ours. `throttle_key` is what its rate is counted by: every token has a rate of its own.
    """

    name: str
    means: Means
    throttle_key: str
    login: str = ""
    permissions: frozenset[Permission] = field(default_factory=frozenset)

    def may(self, permission: Permission) -> bool:
        """Tell whether the caller has a permission."""
        return permission in self.permissions
