"""Two npm packages for the tests, each one pinned version: GitHub's own examples of payloads, and axe for the browser.

Fetched once into var/npm, where npm is at hand. No lock file and no registry address of ours: npm's own settings decide
where it asks, and the version is exact.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

PAYLOADS = ("@octokit/webhooks-examples", "7.6.1")
AXE = ("axe-core", "4.11.0")
CACHE = Path(__file__).resolve().parent.parent / "var" / "npm"
FETCH_SECONDS = 120

Example = tuple[str, dict[str, Any]]


def examples(product: str = "api.github.com") -> list[Example]:
    """Return (event, payload) of every published example; skips the test where they cannot be fetched (CI: fails).

    `product` is "api.github.com" or a GitHub Enterprise Server's folder, "ghes-31" to "ghes-35".
    """
    index = folder(*PAYLOADS) / product / "index.json"
    return [(event["name"], body) for event in json.loads(index.read_bytes()) for body in event["examples"]]


def fetched() -> list[Example]:
    """Return what examples() does if they were fetched before, else nothing: for tests that can do without."""
    index = _place(*PAYLOADS) / "api.github.com" / "index.json"
    return examples() if index.exists() else []


def axe() -> str:
    """Return the script of axe-core; skips the test where it cannot be fetched (CI: fails)."""
    return (folder(*AXE) / "axe.min.js").read_text()


def folder(package: str, version: str) -> Path:
    """Return where a package is, fetched when it was not; skips the test where it cannot be (CI: fails)."""
    if not _place(package, version).exists() and (reason := _fetch(package, version)):
        without = f"{reason}: what needs {package} is not looked at"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"CI must look at everything, but {without}")
        pytest.skip(without)
    return _place(package, version)


def _place(package: str, version: str) -> Path:
    return CACHE / f"{package.rpartition('/')[2]}-{version}"


def _fetch(package: str, version: str) -> str:
    """Install the package beside its place, then move it there; returns why that was not possible."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as beside:
        options = [
            "--no-save",
            "--no-package-lock",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--silent",
        ]
        command = ["npm", "install", "--prefix", beside, *options, f"{package}@{version}"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=FETCH_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"npm took over {FETCH_SECONDS} s to fetch {package}"
        if done.returncode:
            return f"npm could not fetch {package}"
        # Another test process may have been faster; its copy is as good.
        with contextlib.suppress(OSError):
            (Path(beside) / "node_modules" / package).rename(_place(package, version))
    return ""
