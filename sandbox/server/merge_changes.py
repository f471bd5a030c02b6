"""What people do that decides whether a pull request may be merged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sandbox import payloads
from sandbox.server.changer import Changer, change, person
from sandbox.server.merge_world import ChangedFile, ExtraRun
from sandbox.world import sha


class MergeChanges(Changer):
    """Changes to files, reviews, branch rules and repeated check runs."""

    @change
    def change_files(self, repository_id: int, number: int, files: list[dict[str, str]]) -> None:
        """Let a pull request change exactly these files (members as in ChangedFile); no Event tells."""
        pull = self._pull(repository_id, number)
        changed = [ChangedFile(**part) for part in files]
        self._state.merging.files.setdefault(repository_id, {})[number] = changed
        self._state.add_thing(replace(pull, changed_files=len(changed)))

    @change
    def review(self, repository_id: int, number: int, state: str, *, by: str = "mira-solano") -> None:
        """Review a pull request: "APPROVED", "CHANGES_REQUESTED", "COMMENTED" or "DISMISSED"."""
        pull = self._pull(repository_id, number)
        self._state.merging.reviews.setdefault(repository_id, {}).setdefault(number, []).append([by, state])
        body = payloads.pull_request_review("submitted", pull, person(by), state=state.lower())
        self._hook.emit("pull_request_review", body)

    @change
    def demand(self, repository_id: int, **demands: Any) -> None:
        """Set what the default branch demands, by the names of BranchDemands."""
        found = self._state.merging.of_branch(repository_id)
        for name, value in demands.items():
            setattr(found, name, value)

    @change
    def repeat_check(
        self, repository_id: int, number: int, conclusion: str, *, name: str = "build", app_id: int = 200100
    ) -> None:
        """Add a newer check run of the same name to a pull request's head, or another App's."""
        runs = self._state.merging.runs.setdefault(self._pull(repository_id, number).head_sha, [])
        # Above every number that the sandbox gives to a first run.
        newest = 2**32 + int(sha(name)[:6], 16) * 1000 + len(runs)
        runs.append(ExtraRun(number=newest, name=name, conclusion=conclusion, app_id=app_id))
