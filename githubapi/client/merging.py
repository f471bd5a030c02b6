"""Merging a pull request at GitHub, and asking all that speaks for or against it."""

from __future__ import annotations

from githubapi.client import merge_answer, merge_reading, reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.errors import Forbidden, Permanent
from githubapi.merging_values import MergeAnswer, MergeMethod


class MergeCalls:
    """The part of an installation's client that merges; every method raises GithubError as the others do."""

    _channel: Channel

    def merge_pull_request(
        self, repository_id: int, number: int, sha: str, method: MergeMethod
    ) -> MergeAnswer:
        """Merge a pull request if its head is still `sha`; GitHub checks that by itself. Sent once, never repeated.

        A refusal is a value (field cases F05, F24). Raises Gone, Moved, Throttled, Forbidden when the App itself may
        not; and Transient, after which nobody knows whether it was merged: `pull_request` tells.
        """
        path = f"/repositories/{repository_id}/pulls/{number}/merge"
        body = {"sha": sha, "merge_method": method.value}
        call = Call(verb="PUT", path=path, body=body, shape=dict)
        try:
            data = self._channel.ask(call).data
        except (Forbidden, Permanent) as error:
            return merge_answer.outcome_of(error)
        return reading.item(merge_reading.merge, data)
