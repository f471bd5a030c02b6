"""Access rules: which tokens of other issuers, and which groups of ours, may do what. Pure.

The file is a YAML list. Each entry names either an issuer with claims or a group, never both (B5.25):

    - issuer: https://token.actions.githubusercontent.com
      claims: {aud: https://pullkeeper.example, repository: [octo/tools, octo/site]}
      permissions: [read, process]
    - group: release-team
      permissions: [read, operate]
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
)

from core.access.values import Permission

# Issuers of this kind answer inside a Kubernetes cluster alone.
CLUSTER_HOSTS = (".svc", ".cluster.local")


class BadRules(Exception):
    """The rules cannot be gone by; the message says where and why."""


def word(value: Any) -> str | None:
    """Return a claim's value as it is compared: lower-case text (B5.22); None for what cannot be compared."""
    return str(value).lower() if isinstance(value, (str, int, float)) else None


def words(value: Any) -> frozenset[str]:
    """Return the words of a claim or of a rule's condition: one value, or any of a list's."""
    values = value if isinstance(value, list) else [value]
    return frozenset(found for found in map(word, values) if found is not None)


def _condition(value: Any) -> frozenset[str]:
    values = value if isinstance(value, list) else [value]
    if not values or any(not word(one) for one in values):
        raise ValueError("takes a text, a number, true or false, or a list of these, none of them empty")
    return words(values)


def _issuer(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("takes the address of the issuer")
    parts = _split(value)
    if not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ValueError("takes an address without user, query and fragment")
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(value)):
        return value
    raise ValueError("must begin with https:// (http:// is for loopback alone)")


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        raise ValueError("is no address") from None


def is_loopback(address: str) -> bool:
    """Tell whether an address leads to the machine itself."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    permissions: Annotated[frozenset[Permission], Field(min_length=1)]


class IssuerRule(_Rule):
    """Tokens of an issuer whose claims fulfil all conditions; of a condition's values any one will do."""

    issuer: Annotated[str, BeforeValidator(_issuer)]
    claims: dict[str, Annotated[frozenset[str], BeforeValidator(_condition)]]

    def model_post_init(self, _: Any) -> None:
        # Without an audience, a token made for any other service would open this one (B5.23).
        if "aud" not in self.claims:
            raise BadRules("claims must name aud, the audience that callers ask their tokens for.")

    def matches(self, issuer: str, claims: Mapping[str, Any]) -> bool:
        """Tell whether a token of that issuer with those claims is meant (its signature is another's business)."""
        return issuer == self.issuer and all(
            words(claims.get(name)) & wanted for name, wanted in self.claims.items()
        )


class GroupRule(_Rule):
    """Users of ours who are in a group."""

    group: Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class Skipped:
    """A rule that is not gone by here, and why."""

    rule: IssuerRule
    reason: str


@dataclass(frozen=True)
class AccessRules:
    """The rules in force, and those that this installation skips."""

    issuers: tuple[IssuerRule, ...] = ()
    groups: tuple[GroupRule, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def knows(self, issuer: str) -> bool:
        """Tell whether any rule is about this issuer."""
        return any(rule.issuer == issuer for rule in self.issuers)

    def for_token(self, issuer: str, claims: Mapping[str, Any]) -> frozenset[Permission]:
        """Return what a token with checked claims may do: the union of all rules that match."""
        return _union(rule for rule in self.issuers if rule.matches(issuer, claims))

    def for_groups(self, names: Iterable[str]) -> frozenset[Permission]:
        """Return what members of these groups may do by the rules."""
        held = set(names)
        return _union(rule for rule in self.groups if rule.group in held)


def _union(rules: Iterable[_Rule]) -> frozenset[Permission]:
    return frozenset(permission for rule in rules for permission in rule.permissions)


def _kind(entry: Any) -> str | None:
    if not isinstance(entry, dict) or ("issuer" in entry) == ("group" in entry):
        raise BadRules("names either an issuer (with claims) or a group.")
    return "issuer" if "issuer" in entry else "group"


ENTRY: TypeAdapter[IssuerRule | GroupRule] = TypeAdapter(
    Annotated[Annotated[IssuerRule, Tag("issuer")] | Annotated[GroupRule, Tag("group")], Discriminator(_kind)]
)


def read_rules(entries: Any, *, public_url: str, in_cluster: bool) -> AccessRules:
    """Return the rules of a parsed file; raises BadRules, which names the entry, for anything else.

    `public_url` and `in_cluster` say where this installation is: one file may serve a laptop and production (B5.28).
    """
    if not isinstance(entries, list):
        raise BadRules("The file must be a list of rules.")
    rules = [_entry(number, entry) for number, entry in enumerate(entries, start=1)]
    issuers = [rule for rule in rules if isinstance(rule, IssuerRule)]
    reasons = {rule.issuer: why_not_here(rule.issuer, public_url, in_cluster=in_cluster) for rule in issuers}
    return AccessRules(
        issuers=tuple(rule for rule in issuers if not reasons[rule.issuer]),
        groups=tuple(rule for rule in rules if isinstance(rule, GroupRule)),
        skipped=tuple(Skipped(rule, why) for rule in issuers if (why := reasons[rule.issuer])),
    )


def why_not_here(issuer: str, public_url: str, *, in_cluster: bool) -> str:
    """Return why an issuer cannot exist for this installation, "" when it can."""
    if is_loopback(issuer) and not is_loopback(public_url):
        return "an issuer on loopback cannot serve a public installation"
    host = urlsplit(issuer).hostname or ""
    if host.endswith(CLUSTER_HOSTS) and not in_cluster:
        return "the issuer answers inside a Kubernetes cluster, and this is none"
    return ""


def _entry(number: int, entry: Any) -> IssuerRule | GroupRule:
    try:
        return ENTRY.validate_python(entry)
    except BadRules as problem:
        raise BadRules(f"Rule {number}: {problem}") from None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        # The first part is the kind, which the file does not spell out.
        where = ".".join(str(part) for part in first["loc"][1:])
        raise BadRules(f"Rule {number}, {where}: {_sentence(first)}.") from None


def _sentence(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such member"
    return str(error["msg"]).removeprefix("Value error, ").rstrip(".")
