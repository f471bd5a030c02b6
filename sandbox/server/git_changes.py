"""What people do to branches with files in their hands, and how their workflows fail."""

from __future__ import annotations

from sandbox import payloads
from sandbox.server.changer import Changer, change, person
from sandbox.server.state import Job
from sandbox.world import NO_COMMIT, Commit


class GitChanges(Changer):
    """Commits with content, and jobs with a reason for their failure."""

    @change
    def commit_file(self, repository_id: int, path: str, text: str, *, branch: str = "", by: str = "") -> str:
        """Commit a file to a branch (the default one unless named) and return the commit."""
        repository = self._repository(repository_id)
        branch = branch or repository.default_branch
        branches, objects = self._state.branches[repository_id], self._state.objects(repository_id)
        before = branches.get(branch) or branches[repository.default_branch]
        files = objects.files_of(before) | {path: ("100644", objects.add_blob(text.encode()))}
        after = objects.add_commit(objects.add_tree(files), [before], f"Change {path}")
        branches[branch] = after
        commit = Commit(sha=after, message=f"Change {path}", author=person(by), at=self._clock.now())
        ref = f"refs/heads/{branch}"
        self._hook.emit(
            "push", payloads.push(repository, ref, [commit], person(by), before=before or NO_COMMIT)
        )
        return after

    @change
    def fail_job(self, run_id: int, *, conclusion: str = "failure", step: str = "", says: str = "") -> int:
        """Let a job of a workflow run fail in a step, its runner annotating what it says; return the job's id."""
        jobs = self._state.jobs.setdefault(run_id, [])
        number = run_id * 10 + len(jobs)
        jobs.append(
            Job(
                number=number,
                name=f"job {len(jobs) + 1}",
                conclusion=conclusion,
                step=step,
                says=[["failure", says]] if says else [],
            )
        )
        return number
