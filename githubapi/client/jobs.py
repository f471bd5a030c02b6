"""The jobs of a workflow run, and what they say about themselves."""

from __future__ import annotations

from githubapi.client import git_reading, reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.client.listing import Listing, read_all
from githubapi.job_values import Annotation, JobFacts


class JobCalls:
    """The part of an installation's client that reads jobs; every method raises GithubError as the others do."""

    _channel: Channel

    def jobs(self, repository_id: int, run_id: int) -> tuple[JobFacts, ...]:
        """Return the jobs of a run's latest attempt, complete. Raises Gone, Moved."""
        path = f"/repositories/{repository_id}/actions/runs/{run_id}/jobs"
        listing = Listing(path=path, query={"filter": "latest"}, member="jobs")
        return tuple(read_all(self._channel, listing, git_reading.job))

    def annotations(self, repository_id: int, job_id: int) -> tuple[Annotation, ...]:
        """Return what a job's check run is annotated with, the first hundred. Raises Gone, Moved.

        Runners tell there how they failed. An annotation has no id by which a longer list could be proven complete.
        """
        path = f"/repositories/{repository_id}/check-runs/{job_id}/annotations"
        query = {"per_page": "100"}
        call = Call(verb="GET", path=path, query=query, shape=list, repeatable=True)
        found = self._channel.ask(call).data
        return tuple(reading.item(git_reading.annotation, data) for data in found)
