"""Events about a repository's rules: they may change what every open pull request of it has to do."""

from __future__ import annotations

from django.db.models import F, Q

from core.functions import CurrentTimestamp
from webhooks.events.incoming import Incoming, Outcome, applied, echo, ignored
from webhooks.models import PullRequest
from webhooks.services import history
from webhooks.services.pending import new_or, pending_columns
from webhooks.values import HistoryKind, OpenState, ProcessingState


def write_rules(incoming: Incoming) -> Outcome:
    """Put every open pull request of the repository back to the bot, with fresh Idle Retries (one UPDATE)."""
    if incoming.payload.object("repository") is None:
        return ignored("an organization's rule names no repository")
    if incoming.is_echo:
        return echo("caused by our own App, nothing to do")
    count = re_request_all(incoming)
    return applied(f"{count} open pull request(s) re-requested", wakes=count > 0)


def re_request_all(incoming: Incoming) -> int:
    """Re-request the repository's open pull requests and return how many there were."""
    repository = incoming.repository
    # External writers leave RepositoryId NULL: those rows are known by their repository's name.
    unnamed = Q(repository_id=None, repository_owner=repository.owner, repository_name=repository.name)
    found = PullRequest.objects.filter(Q(repository_id=repository.id) | unnamed, state=OpenState.OPEN)
    states = list(found.select_for_update().order_by("pk").values_list("pk", "processing_state"))
    found.update(
        **pending_columns(new_or(ProcessingState.RE_REQUESTED)),
        idle_retry_count=0,
        installation_id=incoming.installation_id or F("installation_id"),
        updated_at=CurrentTimestamp(),
    )
    history.append_batch(
        states,
        HistoryKind.EVENT,
        ProcessingState.RE_REQUESTED,
        reason=f"{incoming.title}: the repository's rules changed",
        cause=incoming.cause,
    )
    return len(states)
