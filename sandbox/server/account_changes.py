"""What people do to repositories and installations as a whole."""

from __future__ import annotations

from dataclasses import replace

from sandbox import payloads
from sandbox.resources import user
from sandbox.server.changer import Changer, UnknownThingError, change, person
from sandbox.world import Installation, Person, Repository


class AccountChanges(Changer):
    """The App is installed and suspended; repositories are created, renamed, moved and deleted."""

    @change
    def install(self, login: str, *, account_type: str = "Organization", by: str = "") -> Installation:
        """Install the App on an account that has no repositories yet, and return the installation."""
        account = Person(id=self._state.next_id() + 1, login=login, type=account_type)
        installation = Installation(
            id=self._state.next_id(),
            account=account,
            app_id=self._state.app_id,
            app_slug=self._state.app_slug,
            created_at=self._clock.now(),
        )
        self._state.add_installation(installation)
        self._emit_installation("created", installation, by)
        return installation

    @change
    def suspend(self, installation_id: int, *, by: str = "") -> None:
        """Suspend an installation: it stays listed, and nothing can be done with it."""
        suspended = replace(self._installation(installation_id), suspended_at=self._clock.now())
        self._state.add_installation(suspended)
        self._emit_installation("suspend", suspended, by)

    @change
    def unsuspend(self, installation_id: int, *, by: str = "") -> None:
        active = replace(self._installation(installation_id), suspended_at=None)
        self._state.add_installation(active)
        self._emit_installation("unsuspend", active, by)

    @change
    def uninstall(self, installation_id: int, *, by: str = "") -> None:
        """Remove the App from an account; its repositories live on without us."""
        installation = self._installation(installation_id)
        repositories = self._state.of_installation(installation_id)
        body = payloads.installation("deleted", installation, person(by), repositories)
        for repository in repositories:
            self._state.repositories[repository.id] = replace(repository, installation=None)
        del self._state.installations[installation_id]
        self._hook.emit("installation", body)

    @change
    def create_repository(
        self, installation_id: int, name: str, *, private: bool = False, by: str = ""
    ) -> Repository:
        """Create a repository that the installation can reach, and return it."""
        installation = self._installation(installation_id)
        repository = Repository(
            id=self._state.next_id(),
            name=name,
            owner=installation.account,
            installation=installation,
            private=private,
            created_at=self._clock.now(),
            updated_at=self._clock.now(),
        )
        self._state.add_repository(repository)
        self._emit_repository("created", repository, by)
        return repository

    @change
    def add_repository(self, installation_id: int, repository_id: int, *, by: str = "") -> None:
        """Give an installation access to a repository that exists."""
        installation = self._installation(installation_id)
        repository = replace(self._repository(repository_id), installation=installation)
        self._state.repositories[repository_id] = repository
        body = payloads.installation_repositories("added", installation, person(by), [repository])
        self._hook.emit("installation_repositories", body)

    @change
    def remove_repository(self, repository_id: int, *, by: str = "") -> None:
        """Take a repository away from its installation."""
        repository = self._repository(repository_id)
        installation = repository.installation
        if installation is None:
            raise UnknownThingError(f"Repository {repository_id} belongs to no installation.")
        self._state.repositories[repository_id] = replace(repository, installation=None)
        body = payloads.installation_repositories("removed", installation, person(by), [repository])
        self._hook.emit("installation_repositories", body)

    @change
    def rename_repository(self, repository_id: int, name: str, *, by: str = "") -> Repository:
        """Rename a repository; its old name redirects from now on."""
        old = self._repository(repository_id)
        renamed = self._renamed(old, replace(old, name=name))
        body = payloads.repository("renamed", renamed, person(by), old_name=old.name)
        self._hook.emit("repository", body)
        return renamed

    @change
    def transfer_repository(
        self, repository_id: int, login: str, *, installation_id: int | None = None, by: str = ""
    ) -> Repository:
        """Move a repository to another account, with the installation there, if there is one."""
        old = self._repository(repository_id)
        installation = None if installation_id is None else self._installation(installation_id)
        owner = installation.account if installation else person(login)
        moved = self._renamed(old, replace(old, owner=owner, installation=installation))
        body = payloads.repository("transferred", moved, person(by))
        self._hook.emit("repository", body | {"changes": {"owner": {"from": {"user": user(old.owner)}}}})
        return moved

    @change
    def archive_repository(self, repository_id: int, *, by: str = "") -> None:
        archived = replace(self._repository(repository_id), archived=True, updated_at=self._clock.now())
        self._state.repositories[repository_id] = archived
        self._emit_repository("archived", archived, by)

    @change
    def delete_repository(self, repository_id: int, *, by: str = "") -> None:
        repository = self._repository(repository_id)
        del self._state.repositories[repository_id]
        del self._state.things[repository_id]
        del self._state.branches[repository_id]
        self._emit_repository("deleted", repository, by)

    @change
    def switch_issues(self, repository_id: int, *, on: bool) -> None:
        """Switch a repository's issues on or off; GitHub sends no Event for that."""
        self._repository(repository_id)
        off = self._state.issues_off
        (off.discard if on else off.add)(repository_id)

    def _renamed(self, old: Repository, new: Repository) -> Repository:
        renamed = replace(new, updated_at=self._clock.now())
        self._state.rename(renamed)
        return renamed

    def _emit_installation(self, action: str, installation: Installation, by: str) -> None:
        repositories = self._state.of_installation(installation.id)
        self._hook.emit("installation", payloads.installation(action, installation, person(by), repositories))

    def _emit_repository(self, action: str, repository: Repository, by: str) -> None:
        self._hook.emit("repository", payloads.repository(action, repository, person(by)))
