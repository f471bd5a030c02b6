"""Whether the worker's cluster was told to stop: long work asks, and ends at the next place where it may.

django-q2 tells its workers nothing while a task runs. A byte in memory that the main process shares with all that it
forks does. It has no lock, which a worker could be killed with.
"""

from __future__ import annotations

from mmap import mmap

_asked = mmap(-1, 1)


def ask() -> None:
    """Ask this process, and all that were forked from it since this module was loaded, to stop soon."""
    _asked[0] = True


def is_asked() -> bool:
    """Tell whether work should end at the next place where it may."""
    return bool(_asked[0])
