"""The order of the rules, as data: the first that objects gives the verdict, so cheap ones come first."""

from __future__ import annotations

from collections.abc import Sequence

from merge.rules import (
    branch_demands,
    changes_requested,
    checks_green,
    checks_required,
    conflict,
    docs_only,
    draft,
    few_folders,
    github_blocks,
    held,
    regular_files,
    same_head,
    still_open,
)
from merge.rules.rule import Rule
from merge.values import ELIGIBLE, Part, Snapshot, Verdict

_ITSELF = (
    Rule(still_open.judge),
    Rule(held.judge),
    Rule(draft.judge),
    Rule(same_head.judge),
)
_SCOPE = (
    Rule(docs_only.judge, (Part.FILES,)),
    Rule(few_folders.judge, (Part.FILES,)),
    Rule(regular_files.judge, (Part.FILES, Part.MODES)),
)
_GREEN = (
    Rule(conflict.judge),
    Rule(branch_demands.judge, (Part.DEMANDS,)),
    Rule(changes_requested.judge, (Part.REVIEWS,)),
    Rule(checks_green.judge, (Part.CHECKS, Part.DEMANDS)),
    Rule(checks_required.judge, (Part.CHECKS, Part.DEMANDS)),
    Rule(github_blocks.judge),
)

# What a machine may approve, and what may be carried out once somebody has approved it.
CLASSIFIER = (*_ITSELF, *_SCOPE, *_GREEN)
EXECUTOR = (*_ITSELF, *_GREEN)


def decide_merge(snapshot: Snapshot, rules: Sequence[Rule] = CLASSIFIER) -> Verdict | Part:
    """Return the verdict of the first rule that objects, ELIGIBLE if none; or the part that must be known first."""
    for rule in rules:
        for part in rule.needs:
            if getattr(snapshot, part.value) is None:
                return part
        if verdict := rule.judge(snapshot):
            return verdict
    return ELIGIBLE
