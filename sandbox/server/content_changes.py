"""What people do inside a repository: pull requests, issues, branches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sandbox import ci, payloads
from sandbox.server.changer import Changer, UnknownThingError, change, person
from sandbox.server.state import Remark, WorkflowRun
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
        closed = {"state": "closed", "merged": merged, "closed_at": self._clock.now()}
        return self._changed_pull(repository_id, number, "closed", by, **closed)

    @change
    def reopen_pull_request(self, repository_id: int, number: int, *, by: str = "") -> PullRequest:
        return self._changed_pull(repository_id, number, "reopened", by, state="open", closed_at=None)

    @change
    def move_base(self, repository_id: int, *, by: str = "") -> None:
        """Push a commit onto the default branch: every open pull request is one commit further behind."""
        repository = self._repository(repository_id)
        before = self._state.branches[repository_id][repository.default_branch]
        commit = Commit(sha=sha(f"{before} next"), message="Move", author=person(by), at=self._clock.now())
        self._state.branches[repository_id][repository.default_branch] = commit.sha
        objects = self._state.objects(repository_id)
        objects.add_commit(objects.commit(before).tree, [before], "Move", sha=commit.sha)
        for pull in self._state.pull_requests_of(repository_id):
            if pull.state == "open":
                self._state.standing(repository_id, pull.number).behind += 1
        ref = f"refs/heads/{repository.default_branch}"
        self._hook.emit("push", payloads.push(repository, ref, [commit], person(by), before=before))

    @change
    def judge(self, repository_id: int, number: int, mergeable: bool | None, state: str) -> None:  # noqa: FBT001
        """Decide what GitHub answers when it is asked whether a pull request can be merged; no Event tells."""
        standing = self._state.standing(repository_id, self._pull(repository_id, number).number)
        standing.mergeable, standing.mergeable_state = mergeable, state

    @change
    def comment(self, repository_id: int, number: int, text: str, *, by: str = "") -> int:
        """Comment on a pull request or issue and return the comment's id."""
        thing, author = self._thing(repository_id, number), person(by)
        body = payloads.issue_comment("created", thing, author, text)
        comment_id: int = body["comment"]["id"]
        self._state.comments[comment_id] = Remark(
            repository_id=repository_id, number=number, login=author.login, text=text
        )
        self._hook.emit("issue_comment", body)
        return comment_id

    @change
    def permit(self, repository_id: int, login: str, permission: str) -> None:
        """Make somebody a collaborator: "admin", "write", "read" or "none"."""
        self._state.permissions.setdefault(repository_id, {})[login.lower()] = permission

    @change
    def finish_check(self, repository_id: int, number: int, conclusion: str, *, name: str = "build") -> None:
        """Complete a check run on a pull request's head, its suite with it."""
        pull = self._pull(repository_id, number)
        self._state.check_runs.setdefault(pull.head_sha, {})[name] = conclusion
        if pull.repository.installation:
            body = ci.check_suite("completed", pull, pull.repository.installation, conclusion=conclusion)
            self._hook.emit("check_suite", body)

    @change
    def set_status(self, repository_id: int, number: int, state: str, *, context: str = "ci/build") -> None:
        """Set a commit status on a pull request's head."""
        pull = self._pull(repository_id, number)
        self._state.statuses.setdefault(pull.head_sha, {})[context] = state
        self._hook.emit("status", ci.status(pull, state, self._clock.now(), context=context))

    @change
    def start_check(self, repository_id: int, number: int, *, name: str = "build") -> None:
        """Start a check run on a pull request's head; it has no conclusion yet."""
        pull = self._pull(repository_id, number)
        self._state.check_runs.setdefault(pull.head_sha, {})[name] = ""

    @change
    def run_workflow(self, repository_id: int, number: int, *, name: str = "CI", conclusion: str = "") -> int:
        """Start a workflow on a pull request's head, finish it if a conclusion is given; return the run's id."""
        pull = self._pull(repository_id, number)
        run_id = ci.workflow_run_id(pull, name)
        known = self._state.workflow_runs.get(run_id)
        run = known or WorkflowRun(
            repository_id=repository_id, number=number, head_sha=pull.head_sha, name=name
        )
        run.conclusion = conclusion
        self._state.workflow_runs[run_id] = run
        action = "completed" if conclusion else "requested"
        body = ci.workflow_run(action, pull, conclusion=conclusion or None, name=name, attempt=run.attempt)
        self._hook.emit("workflow_run", body)
        return run_id

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
