"""What kind of thing each changed path is, before and after: GitHub's list of files does not say."""

from __future__ import annotations

from githubapi.client import InstallationClient
from githubapi.merging_values import TreeEntry
from merge.services.places import Place
from merge.values import FileMode, Snapshot

FOLDER = "040000"


def modes_of(place: Place, snapshot: Snapshot) -> tuple[FileMode, ...]:
    """Return git's mode of each changed path in the head, and in the base under its old name; raises GithubError."""
    files = snapshot.files or ()
    after = [file.path for file in files if file.status != "removed"]
    before = [file.previous_path or file.path for file in files if file.status != "added"]
    head = Tree(place.client, place.repository_id, snapshot.head_sha)
    base = Tree(place.client, place.repository_id, snapshot.base_sha)
    return tuple(tree.mode(path) for tree, paths in ((head, after), (base, before)) for path in paths)


class Tree:
    """One commit's files, read folder by folder: a whole tree may be too large for GitHub to list."""

    def __init__(self, client: InstallationClient, repository_id: int, commit: str) -> None:
        self._client = client
        self._repository_id = repository_id
        self._commit = commit
        self._folders: dict[str, dict[str, TreeEntry]] = {}

    def mode(self, path: str) -> FileMode:
        """Return the mode of a path, "" if the commit does not have it; raises GithubError."""
        folder, _, name = path.rpartition("/")
        entry = self._entries(folder).get(name)
        return FileMode(path, entry.mode if entry else "")

    def _entries(self, folder: str) -> dict[str, TreeEntry]:
        if folder not in self._folders:
            sha = self._sha_of(folder)
            found = self._client.tree(self._repository_id, sha) if sha else ()
            self._folders[folder] = {entry.name: entry for entry in found}
        return self._folders[folder]

    def _sha_of(self, folder: str) -> str:
        """Return the sha under which a folder can be read: the commit's own for the root, "" if there is none."""
        if not folder:
            return self._commit
        above, _, name = folder.rpartition("/")
        entry = self._entries(above).get(name)
        return entry.sha if entry and entry.mode == FOLDER else ""
