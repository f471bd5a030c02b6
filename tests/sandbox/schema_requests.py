"""What the sandbox is asked when its answers are compared with GitHub's own description."""

from __future__ import annotations

from typing import Any

from sandbox.git import Objects
from sandbox.world import sha
from tests.github_app import INSTALLATION, REPOSITORY

BY_NAME = "/repos/account-1/repository-1"
HEAD = "c" * 40
COMMENT = 4711
RUN = 4712
RUNNING = 4713
JOB = 4714
FIRST, SECOND = "d" * 40, "e" * 40
TREE = Objects().first_tree()
# What is sent along with a write, by the end of its path.
BODIES: dict[str, dict[str, Any]] = {
    "/pulls/3": {"title": "Another title"},
    "/issues/3/comments": {"body": "A comment of ours"},
    "/reactions": {"content": "eyes"},
    "/check-runs": {"name": "Pullkeeper", "head_sha": HEAD, "conclusion": "neutral"},
    "/pulls": {"title": "Ours", "head": "made", "base": "main"},
    "/labels": {"labels": ["bug", "made"]},
    "/git/blobs": {"content": "aGVsbG8=", "encoding": "base64"},
    "/git/trees": {
        "base_tree": TREE,
        "tree": [{"path": "README.md", "mode": "100644", "type": "blob", "sha": None}],
    },
    "/git/commits": {"message": "A change", "tree": TREE, "parents": [FIRST]},
    "/git/refs": {"ref": "refs/heads/new", "sha": FIRST},
    "/git/refs/heads/made": {"sha": SECOND, "force": False},
}

REQUESTS = [
    ("GET", "/app", 200),
    ("GET", "/app/installations", 200),
    ("GET", f"/app/installations/{INSTALLATION}", 200),
    ("GET", f"/app/installations/{INSTALLATION + 1}", 200),
    ("GET", "/app/installations/1", 404),
    ("POST", f"/app/installations/{INSTALLATION}/access_tokens", 201),
    ("POST", f"/app/installations/{INSTALLATION + 1}/access_tokens", 403),
    ("POST", "/app/installations/1/access_tokens", 404),
    ("GET", "/app/hook/deliveries", 200),
    ("POST", "/app/hook/deliveries/70000000002/attempts", 202),
    ("GET", "/installation/repositories", 200),
    ("GET", "/rate_limit", 200),
    ("GET", f"/repositories/{REPOSITORY + 2}/rules/branches/main", 200),
    ("GET", "/search/issues?q=is:pr+state:open+draft:false+user:account-1", 200),
    ("GET", "/repos/account-1/repository-2", 301),
    ("GET", "/repos/account-1/unknown", 404),
    *(
        (verb, f"{repository}{rest}", status)
        for repository in (BY_NAME, f"/repositories/{REPOSITORY}")
        for verb, rest, status in (
            ("GET", "", 200),
            ("GET", "/pulls?state=all", 200),
            ("GET", "/pulls/1", 200),
            ("GET", "/pulls/2", 200),
            ("GET", "/pulls/11", 200),
            ("GET", "/pulls/99", 404),
            ("GET", "/issues?state=all", 200),
            ("GET", "/issues/1", 200),
            ("GET", "/issues/12", 200),
            ("GET", "/issues/14", 410),
            ("GET", "/issues/99", 404),
            ("GET", "/branches", 200),
            ("GET", "/branches/main", 200),
            ("GET", "/branches/none", 404),
            ("GET", "/compare/main...topic%2F1", 200),
            ("GET", "/compare/main...none", 404),
            ("GET", f"/commits/{HEAD}/check-runs", 200),
            ("GET", f"/commits/{HEAD}/status", 200),
            ("GET", "/collaborators/mira/permission", 200),
            ("GET", "/collaborators/nobody/permission", 404),
            ("PUT", "/pulls/3/update-branch", 202),
            ("PATCH", "/pulls/3", 200),
            ("DELETE", "/issues/3/labels/bug", 200),
            ("DELETE", "/issues/3/labels/none", 404),
            ("POST", "/issues/3/comments", 201),
            ("POST", f"/issues/comments/{COMMENT}/reactions", 200),
            ("GET", "/pulls/4/files", 200),
            ("GET", "/pulls/4/reviews", 200),
            ("GET", "/rules/branches/main", 200),
            ("GET", f"/git/trees/{sha(f'{REPOSITORY} 4')}", 200),
            ("POST", "/check-runs", 201),
            ("PUT", "/pulls/4/merge", 200),
            ("PUT", "/pulls/7/merge", 405),
            ("GET", f"/actions/runs/{RUN}", 200),
            ("GET", f"/actions/runs/{RUNNING}", 200),
            ("POST", f"/actions/runs/{RUN}/rerun", 201),
            ("POST", f"/actions/runs/{RUN}/rerun-failed-jobs", 201),
            ("DELETE", f"/actions/runs/{RUN}", 204),
            ("GET", f"/actions/runs/{RUN}/jobs", 200),
            ("GET", f"/check-runs/{JOB}/annotations", 200),
            ("POST", "/pulls", 201),
            ("POST", "/issues/3/labels", 200),
            ("GET", "/git/ref/heads/main", 200),
            ("GET", "/git/ref/heads/none", 404),
            ("GET", f"/git/commits/{FIRST}", 200),
            ("GET", f"/git/trees/{TREE}", 200),
            ("POST", "/git/blobs", 201),
            ("POST", "/git/trees", 201),
            ("POST", "/git/commits", 201),
            ("POST", "/git/refs", 201),
            ("PATCH", "/git/refs/heads/made", 200),
            ("GET", "/compare/main...made", 200),
        )
    ),
]
