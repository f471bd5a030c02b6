"""The Settings of submissions."""

from __future__ import annotations

from core import registry

BLOCKED_PATHS = registry.words(
    "submissions.blocked-paths",
    default=".github/*, .gitmodules, */.gitmodules, CODEOWNERS, */CODEOWNERS, .gitlab-ci.yml, Jenkinsfile",
    description="Paths that no submission may touch, separated by commas; * and ? match the slash, too.",
)
CI_RETRIES = registry.integer(
    "submissions.ci-retries",
    default=3,
    least=0,
    most=20,
    description="How often workflow runs of one head are started again after infrastructure failures; 0 = never.",
)
EMPTY_CHECK_MINUTES = registry.integer(
    "submissions.empty-check-minutes",
    default=30,
    least=5,
    most=1440,
    description="After how many minutes a quiet pull request is looked at again: is anything left to be changed?",
)
