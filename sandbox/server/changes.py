"""Every change that can be made, in one object."""

from __future__ import annotations

from sandbox.server.account_changes import AccountChanges
from sandbox.server.content_changes import ContentChanges
from sandbox.server.git_changes import GitChanges
from sandbox.server.merge_changes import MergeChanges


class Changes(ContentChanges, MergeChanges, GitChanges, AccountChanges):
    """What people do at the pretended GitHub; `by_name` makes the same changes from JSON."""
