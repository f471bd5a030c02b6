"""What any app may say about a pull request when a person asks why it is where it is. Pure.

`monitor.explain` asks every function named in `settings.EXPLAINERS` (dotted paths): each takes the pull request's row
and the present, and returns reasons. So an app explains its own work and needs to know nothing of the dashboards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Next:
    """What happens next and when (aware UTC): "It is merged", to be followed by "in 3 min"."""

    what: str
    at: datetime


@dataclass(frozen=True)
class Reason:
    """One reason: a stable code for programs, a sentence for people.

    `passed` tells whether a gate is open (True) or closed (False); None = no gate, a fact worth knowing. `next` is what
    follows from it at a known instant. `asks` tells that nothing follows until a person acts.
    """

    code: str
    text: str
    passed: bool | None = None
    next: Next | None = None
    asks: bool = False
