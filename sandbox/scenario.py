"""The demo's story, as deliveries in order: what happened over the past weeks, and what happens today.

The past is sent first, then made old by `sandbox.ageing`; today's deliveries come upon it. Payloads are dated
from one instant; GUIDs and every choice come from the story itself, so that it is the same story each time.
"""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sandbox import cast, ci, payloads
from sandbox.ageing import DAY, delivery_ages
from sandbox.resources import Json
from sandbox.world import NO_COMMIT, Commit, Installation, Issue, Person, PullRequest, Repository, sha

ACCEPTED = frozenset({202})
NOTHING_TO_DO = frozenset({200})
REFUSED = frozenset({401})

_GUIDS = uuid.UUID("6f1d5a5e-3f0b-4f7e-9a53-0f4f6a1b7c21")
_SEED = 7

Left = PullRequest | Issue | Repository | Installation


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One delivery and the answers that a right receiver may give.

    `name` is unique but for a repeated delivery, for the GUID comes from it; `note` says what is special, if
    anything is. `leaves` is what GitHub has from then on, where the Event is about a thing of its own.
    """

    name: str
    event: str
    payload: Json
    expected: frozenset[int] = ACCEPTED
    note: str = ""
    form: bool = False
    forged: bool = False
    leaves: Left | None = None

    @property
    def guid(self) -> uuid.UUID:
        return uuid.uuid5(_GUIDS, self.name)


def pull_requests(now: datetime) -> list[PullRequest]:
    """Return every pull request of the past as it was opened."""
    return [
        _pull_request(repo, number, title, now)
        for repo, titles in cast.TITLES.items()
        for number, title in enumerate(titles, start=1)
    ]


def past(now: datetime, receiver_url: str) -> list[Step]:
    """Return the past: installations, then pull requests and issues all mixed up, then the endings.

    A repository begins right before the first that is heard of it.
    """
    lives = [(pull.repository, _life(index, pull)) for index, pull in enumerate(pull_requests(now))]
    lives += [(item.repository, _issue_life(item)) for item in _issues(now)]
    random.Random(_SEED).shuffle(lives)
    steps, begun = list(_installations(receiver_url)), set()
    for repo, life in lives:
        steps += [] if repo in begun else _beginning(repo, now)
        begun.add(repo)
        steps += life
    return [*steps, *_endings(now)]


def _pull_request(repo: Repository, number: int, title: str, now: datetime) -> PullRequest:
    index = repo.id + number
    words = re.findall(r"[a-z0-9]+", title.lower())[:4]
    ref = cast.ODD_REFS.get((repo, number), f"topic/{'-'.join(words) or number}")
    return PullRequest(
        id=repo.id * 100 + number,
        number=number,
        repository=repo,
        title=title,
        author=cast.AUTHORS[index % len(cast.AUTHORS)],
        head_ref=ref,
        head_sha=sha(f"{repo.id} {number}"),
        created_at=now,
        updated_at=now,
        body=f"{title}.\n\nSee the discussion in the issue; screenshots follow.",
        draft=title.startswith("Draft:"),
        labels=("dependencies",) if title.startswith("Bump ") else (),
        fork_deleted=number % 5 == 0,
    )


def _author(pull: PullRequest) -> Person:
    return pull.author or cast.MIRA


def _reviewer(pull: PullRequest) -> Person:
    return cast.REVIEWERS[pull.id % len(cast.REVIEWERS)]


def _installations(receiver_url: str) -> Iterator[Step]:
    ping = payloads.ping(cast.ATLAS_API, 400100, cast.MIRA, receiver_url)
    yield Step(name="ping", event="ping", payload=ping, expected=NOTHING_TO_DO)
    for inst in cast.INSTALLATIONS:
        repos = [repo for repo in cast.REPOSITORIES if repo.installation == inst]
        body = payloads.installation("created", inst, cast.MIRA, repos)
        yield Step(name=f"installation {inst.id}", event="installation", payload=body)


def _beginning(repo: Repository, now: datetime) -> Iterator[Step]:
    commit = Commit(sha=sha(f"{repo.id} base"), message=f"Start {repo.name}", author=cast.TOMAS, at=now)
    push = payloads.push(repo, "refs/heads/main", [commit], cast.TOMAS, before=NO_COMMIT)
    yield Step(name=f"push {repo.id}", event="push", payload=push)
    main = payloads.create(repo, repo.default_branch, cast.TOMAS)
    yield Step(name=f"main {repo.id}", event="create", payload=main)
    tag = payloads.create(repo, "v1", cast.TOMAS, ref_type="tag")
    yield Step(name=f"tag {repo.id}", event="create", payload=tag)
    member = payloads.member("added", repo, cast.TEAM[repo.id % len(cast.TEAM)], cast.MIRA)
    yield Step(name=f"member {repo.id}", event="member", payload=member)
    release = payloads.release("published", repo, "v1", cast.TOMAS, name="First release")
    yield Step(name=f"release {repo.id}", event="release", payload=release)


def _issues(now: datetime) -> list[Issue]:
    titles = {101: "Search is slow on Mondays", 102: "Please document the settings"}
    return [
        Issue(
            id=repo.id * 100 + number,
            number=number,
            repository=repo,
            title=title,
            author=cast.YUSUF,
            created_at=now,
            updated_at=now,
        )
        for repo in cast.REPOSITORIES
        for number, title in titles.items()
    ]


def _issue_life(item: Issue) -> Iterator[Step]:
    opened = payloads.issues("opened", item, cast.YUSUF)
    yield Step(name=f"issue {item.id}", event="issues", payload=opened, leaves=item)
    if item.number % 2:
        comment = payloads.issue_comment("created", item, cast.PRIYA, "Same here.")
        yield Step(
            name=f"talk {item.id}",
            event="issue_comment",
            payload=comment,
            expected=NOTHING_TO_DO,
            note="on a plain issue",
        )
        done = replace(item, state="closed")
        closed = payloads.issues("closed", done, cast.PRIYA)
        yield Step(name=f"issue closed {item.id}", event="issues", payload=closed, leaves=done)


def _life(index: int, pull: PullRequest) -> Iterator[Step]:
    """Tell one pull request's past, which of its possible Events came being decided by its index alone."""
    author = _author(pull)
    yield from _opened(pull)
    if index % 4 == 0:
        yield _about(pull, "synchronize", author)
    if index % 5 == 0:
        comment = payloads.issue_comment("created", pull, _reviewer(pull), "Looks good, one question inside.")
        yield Step(name=f"comment {pull.id}", event="issue_comment", payload=comment, leaves=pull)
    if index % 6 == 1:
        review = payloads.pull_request_review("submitted", pull, _reviewer(pull), state="commented")
        yield Step(name=f"review {pull.id}", event="pull_request_review", payload=review, leaves=pull)
    if index % 3 == 0:
        run = ci.workflow_run("completed", pull, conclusion="failure" if index % 9 == 0 else "success")
        yield Step(name=f"run {pull.id}", event="workflow_run", payload=run)
    if (index + 1) % 6 == 0:
        yield from _end_of(pull, merged=(index + 1) % 12 == 0)


def _opened(pull: PullRequest) -> Iterator[Step]:
    branch = payloads.create(pull.repository, pull.head_ref, _author(pull))
    yield Step(name=f"branch {pull.id}", event="create", payload=branch)
    yield _about(pull, "opened", _author(pull))


def _about(pull: PullRequest, action: str, sender: Person) -> Step:
    body = payloads.pull_request(action, pull, sender)
    return Step(name=f"{action} {pull.id}", event="pull_request", payload=body, leaves=pull)


def _end_of(pull: PullRequest, *, merged: bool) -> Iterator[Step]:
    yield _about(replace(pull, state="closed", merged=merged), "closed", _reviewer(pull))
    branch = payloads.delete(pull.repository, pull.head_ref, _author(pull))
    yield Step(name=f"branch gone {pull.id}", event="delete", payload=branch)


def _endings(now: datetime) -> Iterator[Step]:
    """One repository is renamed, one archived, one taken from us, and one whole installation suspended.

    Before that a branch is pushed; its pull request is opened when nobody listens (`sandbox.outage`).
    """
    branch = payloads.create(cast.RECIPES, cast.LATE_REF, cast.AIKO)
    yield Step(name="branch of the late one", event="create", payload=branch)
    renamed = replace(cast.OLD_SITE, name=cast.NEW_SITE_NAME)
    body = payloads.repository("renamed", renamed, cast.MIRA, old_name=cast.OLD_SITE.name)
    yield Step(name="renamed", event="repository", payload=body, note="renamed", leaves=renamed)
    archived = replace(cast.IMPORTER, archived=True)
    body = payloads.repository("archived", archived, cast.MIRA)
    yield Step(name="archived", event="repository", payload=body, note="archived", leaves=archived)
    body = payloads.installation_repositories("removed", cast.AT_MIRA, cast.MIRA, [cast.CHESS_CLOCK])
    out_of_reach = replace(cast.CHESS_CLOCK, installation=None)
    yield Step(
        name="removed", event="installation_repositories", payload=body, note="removed", leaves=out_of_reach
    )
    suspended = replace(cast.AT_OLD_HARBOR, suspended_at=now)
    body = payloads.installation("suspend", suspended, cast.MIRA)
    yield Step(name="suspended", event="installation", payload=body, note="suspended", leaves=suspended)


def dated(now: datetime, receiver_url: str = "") -> list[tuple[Step, datetime]]:
    """Return the past with the instant at which each of its deliveries is said to have come.

    They are the instants to which `sandbox.ageing` moves the rows.
    """
    steps = past(now, receiver_url)
    ages = delivery_ages([str(step.guid) for step in steps])
    return [(step, now - timedelta(seconds=round(ages[str(step.guid)] * DAY))) for step in steps]


def today(now: datetime, *, app_slug: str) -> list[Step]:
    """Return today's deliveries: ordinary ones upon old pull requests, then the odd ones."""
    return [*_work_of_today(now), *_oddities(now, app_slug)]


def _pulls_by_place(now: datetime) -> Callable[[Repository, int], PullRequest]:
    places = {(pull.repository, pull.number): pull for pull in pull_requests(now)}
    return lambda repo, number: places[repo, number]


def _work_of_today(now: datetime) -> Iterator[Step]:
    pull = _pulls_by_place(now)
    new = (
        _pull_request(cast.ATLAS_API, 9, "Answer HEAD requests without touching the database", now),
        _pull_request(cast.RECIPES, 6, "Oven temperatures in both units", now),
        _pull_request(cast.ATLAS_WEB, 9, "Show who is typing, and never who is only reading", now),
    )
    for item in new:
        yield from _opened(item)
    pushed = replace(pull(cast.BILLING, 1), head_sha=sha("billing 1 again"))
    yield replace(_about(pushed, "synchronize", _author(pushed)), name="pushed today")
    edited = replace(pull(cast.INFRA, 2), title="Move the staging cluster to two smaller nodes")
    yield replace(
        _about(edited, "edited", _author(edited)), name="edited today", form=True, note="sent as a form"
    )
    reviewed = pull(cast.ATLAS_WEB, 6)
    review = payloads.pull_request_review("submitted", reviewed, cast.PRIYA)
    yield Step(name="review today", event="pull_request_review", payload=review, leaves=reviewed)
    asked = pull(cast.HANDBOOK, 1)
    comment = payloads.issue_comment("created", asked, cast.YUSUF, "Shall we merge this week?")
    yield Step(name="comment today", event="issue_comment", payload=comment, leaves=asked)
    suite = ci.check_suite("completed", pull(cast.INFRA, 4), cast.AT_NORTHWIND, conclusion="success")
    yield Step(name="suite today", event="check_suite", payload=suite)
    status = ci.status(pull(cast.BILLING, 4), "success", now)
    yield Step(name="status today", event="status", payload=status)
    commit = Commit(sha=sha("handbook today"), message="Fix a link", author=cast.AIKO, at=now)
    push = payloads.push(cast.HANDBOOK, "refs/heads/main", [commit], cast.AIKO, before=sha("handbook before"))
    yield Step(name="push today", event="push", payload=push)


def _oddities(now: datetime, app_slug: str) -> Iterator[Step]:
    pull = _pulls_by_place(now)
    star = {"action": "created", "starred_at": None, **payloads.common(cast.ATLAS_WEB, cast.YUSUF)}
    yield Step(name="star", event="star", payload=star, expected=NOTHING_TO_DO, note="not ours to handle")
    once = _about(pull(cast.NOTES, 1), "labeled", cast.MIRA)
    yield once
    yield replace(once, expected=NOTHING_TO_DO, note="the same delivery again")
    forged = _about(pull(cast.NOTES, 2), "closed", cast.MIRA)
    yield replace(forged, name="forged", expected=REFUSED, note="badly signed", forged=True, leaves=None)
    stale = replace(pull(cast.NOTES, 3), title="An older title", updated_at=now - timedelta(days=200))
    step = _about(stale, "edited", cast.MIRA)
    yield replace(
        step, name="stale", expected=ACCEPTED | NOTHING_TO_DO, note="older than what is known", leaves=None
    )
    if app_slug:
        echo = _about(
            pull(cast.DOTFILES, 1), "synchronize", Person(id=200199, login=f"{app_slug}[bot]", type="Bot")
        )
        yield replace(echo, name="echo", expected=ACCEPTED | NOTHING_TO_DO, note="an echo of our own App")
