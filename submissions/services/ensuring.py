"""The executor `ensure_pr`: the branch with its commit, then the pull request."""

from __future__ import annotations

from functools import partial

from githubapi.pull_values import NewPullRequest, OpenAnswer, OpenOutcome
from githubapi.values import RepositoryFacts
from submissions import selectors
from submissions.decisions.pushing import choose_pull_request
from submissions.services.place import Place, handled, next_empty_check, place_of, stored
from submissions.services.pushing import NothingToChange, NotPushed, push, why_not_here
from submissions.values import Need
from workqueue.registry import Job
from workqueue.values import Changes, DimensionUpdate, Done, Outcome, Permanent, Phase, Transient

NOTHING_LEFT = "nothing is left to be changed: the base holds all of it"


def ensure_pr(job: Job) -> Outcome:
    """Bring branch and pull request into being; after an interruption it goes on where the last try ended."""
    place = place_of(job)
    repository = place.client.repository(place.repository_id)
    if why := why_not_here(place, repository):
        return Permanent(why)
    try:
        sha = push(place)
    except NothingToChange:
        return Done(NOTHING_LEFT, Changes(dimensions=[handled(Need.PULL_REQUEST)], phase=Phase.COMPLETED))
    except NotPushed as error:
        return Permanent(str(error)) if error.permanent else Transient(str(error))
    job.write(Changes(columns={"head_sha": sha}))
    return _opened(place, repository)


def _opened(place: Place, repository: RepositoryFacts) -> Outcome:
    branch = place.item.head_branch
    found = place.client.pull_requests_of(place.repository_id, repository.owner_login, branch)
    shas = stored(partial(selectors.shas_of, place.item))
    number = choose_pull_request(found, shas, place.item.past_number)
    if number is not None:
        return _done(place, number, f"#{number} is there")
    wanted = place.wanted
    new = NewPullRequest(
        title=wanted.title,
        body=wanted.body,
        head=branch,
        base=wanted.base_branch,
        draft=wanted.options.draft,
    )
    return _after(place, place.client.open_pull_request(place.repository_id, new))


def _after(place: Place, answer: OpenAnswer) -> Outcome:
    match answer.outcome:
        case OpenOutcome.OPENED:
            return _done(place, answer.number, f"opened #{answer.number}")
        case OpenOutcome.NO_COMMITS:
            changes = Changes(dimensions=[handled(Need.PULL_REQUEST)], phase=Phase.COMPLETED)
            return Done(NOTHING_LEFT, changes)
        case OpenOutcome.EXISTS:
            return Transient("somebody opened a pull request of the branch just now")
        case OpenOutcome.REFUSED:
            return Permanent(f"GitHub does not open the pull request: {answer.message or 'no reason given'}")


def _done(place: Place, number: int, reason: str) -> Done:
    """From here on events lead; the first look puts labels on it and sees whether it can be merged."""
    changes = Changes(
        columns={"number": number, "unknown_reads": 0},
        dimensions=[
            handled(Need.PULL_REQUEST),
            DimensionUpdate(Need.RECONCILE, needed=True),
            next_empty_check(place),
        ],
    )
    return Done(reason, changes)
