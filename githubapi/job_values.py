"""The jobs of a workflow run, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStep:
    """One step of a job; `conclusion` is None until it has one."""

    name: str
    conclusion: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """One job of a run's latest attempt. Its id is that of its check run, too. `conclusion` is None until it ends."""

    id: int
    name: str
    status: str
    conclusion: str | None
    steps: tuple[JobStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What a job says about itself: "notice", "warning" or "failure", a title ("" for none) and a message."""

    level: str
    title: str
    message: str
