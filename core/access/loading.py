"""The access rules file, read once when the process starts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import structlog
import yaml
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from core.access.rules import AccessRules, BadRules, read_rules

log = structlog.get_logger(__name__)


def access_rules() -> AccessRules:
    """Return the rules of ACCESS_RULES_FILE (none set: no rules); raises ImproperlyConfigured with a sentence."""
    return _load(settings.ACCESS_RULES_FILE, settings.PUBLIC_URL, in_cluster=settings.IN_CLUSTER)


@lru_cache(maxsize=1)
def _load(path: str, public_url: str, *, in_cluster: bool) -> AccessRules:
    if not path:
        return AccessRules()
    try:
        rules = read_rules(_parse(path), public_url=public_url, in_cluster=in_cluster)
    except BadRules as problem:
        raise ImproperlyConfigured(f"ACCESS_RULES_FILE ({path}): {problem}") from None
    for skipped in rules.skipped:
        log.info("access rule skipped", issuer=skipped.rule.issuer, reason=skipped.reason)
    return rules


def _parse(path: str) -> object:
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRules(f"The file cannot be read: {type(error).__name__}.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise BadRules(f"The file is not YAML{where}: {getattr(error, 'problem', error)}.") from None
