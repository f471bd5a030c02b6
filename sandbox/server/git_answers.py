"""GitHub's JSON for Git's own objects."""

from __future__ import annotations

from sandbox import resources
from sandbox.git import DIRECTORY, CommitObject, Objects
from sandbox.resources import WEB, Json, instant
from sandbox.world import BEGINNING, Repository, node_id


def ref(repository: Repository, branch: str, sha: str) -> Json:
    api = f"{resources.repository_url(repository)}/git"
    return {
        "ref": f"refs/heads/{branch}",
        "node_id": node_id("REF", repository.id, len(branch)),
        "url": f"{api}/refs/heads/{branch}",
        "object": {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"},
    }


def tree(repository: Repository, sha: str, objects: Objects) -> Json:
    api = f"{resources.repository_url(repository)}/git"
    kinds = {DIRECTORY: ("040000", "tree"), "160000": ("160000", "commit")}
    entries = []
    for mode, name, entry in objects.trees[sha]:
        mode_, kind = kinds.get(mode, (mode, "blob"))
        entries.append(
            {"path": name, "mode": mode_, "type": kind, "sha": entry, "url": f"{api}/{kind}s/{entry}"}
        )
    return {"sha": sha, "url": f"{api}/trees/{sha}", "tree": entries, "truncated": False}


def commit(repository: Repository, sha: str, found: CommitObject) -> Json:
    api, web = f"{resources.repository_url(repository)}/git", f"{WEB}/{repository.full_name}/commit"
    by = {"name": "pullkeeper-demo[bot]", "email": "bot@users.noreply.github.com", "date": instant(BEGINNING)}
    return {
        "sha": sha,
        "node_id": node_id("C", repository.id, int(sha[:7], 16)),
        "url": f"{api}/commits/{sha}",
        "html_url": f"{web}/{sha}",
        "author": by,
        "committer": by,
        "message": found.message,
        "tree": {"sha": found.tree, "url": f"{api}/trees/{found.tree}"},
        "parents": [
            {"sha": parent, "url": f"{api}/commits/{parent}", "html_url": f"{web}/{parent}"}
            for parent in found.parents
        ],
        "verification": {
            "verified": True,
            "reason": "valid",
            "signature": "a signature",
            "payload": "what is signed",
            "verified_at": instant(BEGINNING),
        },
    }
