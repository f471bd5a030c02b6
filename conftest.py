"""How the suite reports. The fixtures are in tests/conftest.py."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tools.check import NOTES

# How long an example takes says more of a busy machine than of the code.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


def printable(text: str) -> str:
    """Return the text with half characters escaped, as a report that travels between processes needs it."""
    return text.encode(errors="backslashreplace").decode()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test log, and fail with, text that no encoding can hold: many tests are about hostile text."""
    report = yield
    report.sections = [(title, printable(text)) for title, text in report.sections]
    reason = str(report.longrepr or "")
    if reason != printable(reason):
        report.longrepr = printable(reason)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Repeat what `make test` left out where people look last."""
    notes = os.environ.get(NOTES)
    if notes:
        terminalreporter.section("what this run left out")
        terminalreporter.write_line(notes)
