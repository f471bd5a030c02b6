"""The row of a pull request, under its lock: where two wishes to merge the same thing meet."""

from __future__ import annotations

from githubapi.values import PullRequestFacts
from merge.services.places import Place
from sync.services import columns
from sync.services.pulls import add_found
from sync.values import Place as StoredPlace
from webhooks.models import PullRequest
from webhooks.values import Cause


def lock_row(place: Place, facts: PullRequestFacts, cause: Cause) -> int:
    """Lock the row of a pull request for the rest of the transaction and return its Sequence.

    One whose Events were missed is inserted as the sync does it. Raises IntegrityError when somebody else inserts it at
    the same time: do it again then.
    """
    node_id = columns.name(facts.node_id)
    rows = PullRequest.objects.select_for_update().filter(node_id=node_id)
    sequence = rows.values_list("pk", flat=True).first()
    if sequence is not None:
        return int(sequence)
    where = StoredPlace(
        repository_owner=place.owner,
        repository_name=place.name,
        repository_id=place.repository_id,
        installation_id=place.client.installation_id,
    )
    return add_found(columns.pull(facts, where), cause)
