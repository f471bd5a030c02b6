"""Payloads that GitHub's own people publish: npm's @octokit/webhooks-examples, one pinned version.

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

PACKAGE = "@octokit/webhooks-examples"
VERSION = "7.6.1"
CACHE = Path(__file__).resolve().parent.parent / "var" / "npm"
FETCH_SECONDS = 120

Example = tuple[str, dict[str, Any]]


def examples(product: str = "api.github.com") -> list[Example]:
    """Return (event, payload) of every published example; skips the test where they cannot be fetched (CI: fails).

    `product` is "api.github.com" or a GitHub Enterprise Server's folder, "ghes-31" to "ghes-35".
    """
    index = _folder() / product / "index.json"
    return [(event["name"], body) for event in json.loads(index.read_bytes()) for body in event["examples"]]


def fetched() -> list[Example]:
    """Return what examples() does if they were fetched before, else nothing: for tests that can do without."""
    index = _place() / "api.github.com" / "index.json"
    return examples() if index.exists() else []


def _place() -> Path:
    return CACHE / f"webhooks-examples-{VERSION}"


def _folder() -> Path:
    if not _place().exists() and (reason := _fetch()):
        without = f"{reason}: the published payloads are not looked at"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"CI must look at them, but {without}")
        pytest.skip(without)
    return _place()


def _fetch() -> str:
    """Install the package beside its place, then move it there; returns why that was not possible."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        options = [
            "--no-save",
            "--no-package-lock",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--silent",
        ]
        command = ["npm", "install", "--prefix", folder, *options, f"{PACKAGE}@{VERSION}"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=FETCH_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"npm took over {FETCH_SECONDS} s to fetch {PACKAGE}"
        if done.returncode:
            return f"npm could not fetch {PACKAGE}"
        # Another test process may have been faster; its copy is as good.
        with contextlib.suppress(OSError):
            (Path(folder) / "node_modules" / PACKAGE).rename(_place())
    return ""
