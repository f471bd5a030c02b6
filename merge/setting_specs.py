"""The Settings of merging."""

from __future__ import annotations

import re

from core import registry
from core.registry import SettingSpec
from core.setting_specs import pass_switch
from githubapi.merging_values import MergeMethod
from merge.values import BackoffScope

SWITCH = pass_switch("merge", default=False)
INTERVAL_MINUTES = registry.integer(
    "merge.interval-minutes",
    default=10,
    least=1,
    most=24 * 60,
    description="How many minutes lie between two runs of the pass merge, counted from start to start.",
)
BACKOFF_HOURS = registry.integer(
    "merge.failure-backoff-hours",
    default=6,
    least=0,
    most=30 * 24,
    description="After a failed merge, for how many hours the pull request is not proposed again; a person may ask.",
)

_FULL_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def _scope(text: str) -> BackoffScope:
    try:
        return BackoffScope(text.strip())
    except ValueError:
        raise ValueError(f"Use {' or '.join(BackoffScope)}, not {text!r}.") from None


def _method(text: str) -> MergeMethod:
    try:
        return MergeMethod(text.strip())
    except ValueError:
        raise ValueError(f"Use one of {', '.join(MergeMethod)}, not {text!r}.") from None


def _repositories(text: str) -> str:
    names = {name for name in re.split(r"[\s,]+", text.strip()) if name}
    if strange := sorted(name for name in names if not _FULL_NAME.fullmatch(name)):
        raise ValueError(f"Use names like owner/name, separated by commas, not {', '.join(strange)}.")
    return ", ".join(sorted(name.lower() for name in names))


BACKOFF_SCOPE: SettingSpec[BackoffScope] = registry.register(
    SettingSpec(
        name="merge.backoff-scope",
        default=BackoffScope.PULL_REQUEST,
        description=(
            "What a failed merge holds back: pull_request (a fixed one waits, too: up to merge.failure-backoff-hours), "
            "or head_sha (a new head is tried at once)."
        ),
        kind="pull_request or head_sha",
        parse=_scope,
    )
)
METHOD: SettingSpec[MergeMethod] = registry.register(
    SettingSpec(
        name="merge.method",
        default=MergeMethod.SQUASH,
        description="How to merge; where that is not allowed, the first of squash, merge, rebase that is.",
        kind="squash, merge or rebase",
        parse=_method,
    )
)
ALLOW_WITHOUT_CHECKS: SettingSpec[str] = registry.register(
    SettingSpec(
        name="merge.allow-without-checks",
        default="",
        description="Repositories (owner/name, separated by commas) in which documents merge without any check.",
        kind="repositories",
        parse=_repositories,
    )
)
REPORT = registry.boolean(
    "merge.report-on-github",
    default=False,
    description="On: a neutral check run on the head says why it is not merged, once for each reason.",
)
