"""Ending a claim as its work came out."""

from __future__ import annotations

from bot import setting_specs, values
from bot.decisions.endings import ending_of
from bot.services.reach import Bench, place_of, take_name
from bot.values import Ending, Failed, Later
from githubapi.errors import GithubError
from webhooks.services import finishing
from webhooks.services.claims import Claim

RENAMED_PAUSE = 1


def end(claim: Claim, ending: Ending, bench: Bench) -> bool:  # noqa: PLR0911 -- one for each ending
    """Write the ending; False when the claim is no longer ours, and nothing was written."""
    match ending:
        case values.Done(reason):
            return finishing.finalize(claim, reason)
        case values.Later(seconds, reason):
            return finishing.defer(claim, seconds, reason)
        case values.Tomorrow(reason):
            return finishing.defer_to_next_day(claim, reason)
        case values.AskAgain():
            return finishing.defer_until_mergeable_is_known(claim)
        case values.Throttled(seconds, reason):
            return finishing.give_back(claim, reason, throttled_for=seconds)
        case values.GithubDown(reason):
            return finishing.defer_while_github_is_down(claim, reason)
        case values.Moved(reason):
            return end(claim, _follow(claim, reason, bench), bench)
        case values.Failed(error, permanent):
            attempts = bench.settings[setting_specs.MAX_ATTEMPTS]
            return finishing.fail(claim, error, permanent=permanent, max_attempts=attempts)


def _follow(claim: Claim, reason: str, bench: Bench) -> Ending:
    """Take the repository's present name over; one that another repository took the place of is out of reach."""
    try:
        place = place_of(claim.row, bench.app, claim.cause)
        facts = place.client.repository(place.repository_id)
    except GithubError as error:
        ending = ending_of(error)
        return Failed(f"moved: {reason}", permanent=True) if isinstance(ending, values.Moved) else ending
    if facts.id == place.repository_id and take_name(claim.row, facts, claim.cause):
        return Later(RENAMED_PAUSE, f"the repository is now {facts.full_name}")
    return Failed(f"moved: {reason}", permanent=True)
