"""The pass of this app, and the worker's door for what a person asked for on a page."""

from __future__ import annotations

from core.passes import Pass, find_pass, run_pass, tick
from monitor import setting_specs
from monitor.services.sampling import sample

QUARTER_HOUR = 900

SAMPLE = Pass(name="sample", switch=setting_specs.SAMPLE, interval=lambda _: QUARTER_HOUR, work=sample)


def sample_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(SAMPLE)


def forced_run(name: str, actor: str) -> str:
    """Run a pass now and return the sentence about it."""
    return str(run_pass(find_pass(name), force=True, actor=actor))
