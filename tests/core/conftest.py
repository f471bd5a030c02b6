from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import registry
from core.passes import Pass, Run
from core.setting_specs import pass_switch


@pytest.fixture
def specs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The registry, whose additions end with the test."""
    monkeypatch.setattr(registry, "SPECS", dict(registry.SPECS))
    return registry.SPECS


@pytest.fixture
def make_pass(specs: dict[str, Any]) -> Callable[..., Pass]:
    """Make the pass `probe` of ten minutes with the work given."""
    switch = pass_switch("probe")

    def make(work: Callable[[Run], None] = lambda run: run.count("done")) -> Pass:
        return Pass(name="probe", switch=switch, interval=lambda _: 600, work=work)

    return make
