"""From GitHub's JSON about Git, own pull requests and jobs to our values; `reading.item` words what cannot be read."""

from __future__ import annotations

from githubapi.client.members import integer, text, text_or_empty
from githubapi.client.reading import Json, pull_request_detail
from githubapi.git_values import GitCommit, TreeEntry
from githubapi.job_values import Annotation, JobFacts, JobStep
from githubapi.pull_values import OwnPullRequest


def ref_target(data: Json) -> str:
    return text(data["object"]["sha"])


def object_id(data: Json) -> str:
    return text(data["sha"])


def commit(data: Json) -> GitCommit:
    return GitCommit(
        sha=text(data["sha"]),
        tree_sha=text(data["tree"]["sha"]),
        parents=tuple(text(parent["sha"]) for parent in data["parents"]),
        message=text(data["message"]),
    )


def entries(data: Json) -> tuple[TreeEntry, ...]:
    return tuple(
        TreeEntry(
            name=text(entry["path"]),
            mode=text(entry["mode"]),
            kind=text(entry["type"]),
            sha=text(entry["sha"]),
        )
        for entry in data["tree"]
    )


def number(data: Json) -> int:
    return integer(data["number"])


def own_pull_request(data: Json) -> OwnPullRequest:
    return OwnPullRequest(detail=pull_request_detail(data), body=text_or_empty(data["body"]))


def changed_files(data: Json) -> int:
    return len(data["files"])


def job(data: Json) -> JobFacts:
    return JobFacts(
        id=integer(data["id"]),
        name=text(data["name"]),
        status=text(data["status"]),
        conclusion=data["conclusion"] and text(data["conclusion"]),
        steps=tuple(
            JobStep(name=text(step["name"]), conclusion=step["conclusion"] and text(step["conclusion"]))
            for step in data.get("steps", ())
        ),
    )


def annotation(data: Json) -> Annotation:
    return Annotation(
        level=text_or_empty(data["annotation_level"]),
        title=text_or_empty(data["title"]),
        message=text_or_empty(data["message"]),
    )
