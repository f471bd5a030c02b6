"""The worker's door for what a person asked for on a page."""

from __future__ import annotations

from core.passes import find_pass, run_pass


def forced_run(name: str, actor: str) -> str:
    """Run a pass now and return the sentence about it."""
    return str(run_pass(find_pass(name), force=True, actor=actor))
