"""What people do inside a repository: pull requests, issues, branches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sandbox import payloads
from sandbox.server.changer import Changer, UnknownThingError, change, person
from sandbox.world import NO_COMMIT, Commit, Issue, PullRequest, sha


class ContentChanges(Changer):
    """Changes to the things inside repositories."""

    @change
    def open_pull_request(
        self, repository_id: int, title: str, *, ref: str = "", draft: bool = False, by: str = ""
    ) -> PullRequest:
        """Open a pull request from a branch of its own and return it."""
        number = self._state.next_number(repository_id)
        pull = PullRequest(
            id=self._state.next_id(),
            number=number,
            repository=self._repository(repository_id),
            title=title,
            author=person(by),
            head_ref=ref or f"topic/{number}",
            head_sha=sha(f"{repository_id} {number}"),
            created_at=self._clock.now(),
            updated_at=self._clock.now(),
            draft=draft,
        )
        self._state.add_thing(pull)
        self._emit_pull_request("opened", pull, by)
        return pull

    @change
    def edit_pull_request(
        self, /, repository_id: int, number: int, *, by: str = "", **members: Any
    ) -> PullRequest:
        """Change members of a pull request, such as title, draft or auto_merge, as an `edited` Event."""
        return self._changed_pull(repository_id, number, "edited", by, **members)

    @change
    def push(self, repository_id: int, number: int, *, by: str = "") -> PullRequest:
        """Push a commit onto a pull request's branch."""
        head = self._pull(repository_id, number).head_sha
        return self._changed_pull(repository_id, number, "synchronize", by, head_sha=sha(f"{head} next"))

    @change
    def close_pull_request(
        self, repository_id: int, number: int, *, merged: bool = False, by: str = ""
    ) -> PullRequest:
        return self._changed_pull(repository_id, number, "closed", by, state="closed", merged=merged)

    @change
    def reopen_pull_request(self, repository_id: int, number: int, *, by: str = "") -> PullRequest:
        return self._changed_pull(repository_id, number, "reopened", by, state="open")

    @change
    def open_issue(self, repository_id: int, title: str, *, by: str = "") -> Issue:
        """Open an issue and return it."""
        issue = Issue(
            id=self._state.next_id(),
            number=self._state.next_number(repository_id),
            repository=self._repository(repository_id),
            title=title,
            author=person(by),
            created_at=self._clock.now(),
            updated_at=self._clock.now(),
        )
        self._state.add_thing(issue)
        self._hook.emit("issues", payloads.issues("opened", issue, person(by)))
        return issue

    @change
    def close_issue(self, repository_id: int, number: int, *, by: str = "") -> Issue:
        issue = self._issue(repository_id, number)
        closed = replace(issue, state="closed", updated_at=self._clock.now())
        self._state.add_thing(closed)
        self._hook.emit("issues", payloads.issues("closed", closed, person(by)))
        return closed

    @change
    def delete_issue(self, repository_id: int, number: int, *, by: str = "") -> None:
        issue = self._issue(repository_id, number)
        del self._state.things[repository_id][number]
        self._state.deleted.add((repository_id, number))
        self._hook.emit("issues", payloads.issues("deleted", issue, person(by)))

    @change
    def create_branch(self, repository_id: int, name: str, *, by: str = "") -> None:
        """Create a branch at a commit of its own."""
        repository = self._repository(repository_id)
        commit = Commit(
            sha=sha(f"{repository_id} {name}"), message=name, author=person(by), at=self._clock.now()
        )
        self._state.branches[repository_id][name] = commit.sha
        self._hook.emit("create", payloads.create(repository, name, person(by)))
        push = payloads.push(repository, f"refs/heads/{name}", [commit], person(by), before=NO_COMMIT)
        self._hook.emit("push", push)

    @change
    def delete_branch(self, repository_id: int, name: str, *, by: str = "") -> None:
        repository = self._repository(repository_id)
        commit = self._state.branches[repository_id].pop(name, None)
        if commit is None:
            raise UnknownThingError(f"Repository {repository_id} has no branch {name}.")
        self._hook.emit("delete", payloads.delete(repository, name, person(by)))
        push = payloads.push(repository, f"refs/heads/{name}", [], person(by), before=commit)
        self._hook.emit("push", push)

    def _changed_pull(
        self, repository_id: int, number: int, action: str, by: str, **members: Any
    ) -> PullRequest:
        pull = self._pull(repository_id, number)
        changed = replace(pull, **members, updated_at=self._clock.now())
        self._state.add_thing(changed)
        self._emit_pull_request(action, changed, by)
        return changed

    def _emit_pull_request(self, action: str, pull: PullRequest, by: str) -> None:
        self._hook.emit("pull_request", payloads.pull_request(action, pull, person(by)))
