"""The lock files install anywhere, and only what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("base.txt", "mariadb.txt", "dev.txt")
SOURCES = ("index-url", "find-links", "trusted-host", "no-index", "://", "file:/", " @ ", "-e ")
PIN = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>\S+) \\\n(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)", re.MULTILINE
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def lock_text(name: str) -> str:
    return (ROOT / "requirements" / name).read_text()


def pins(name: str) -> dict[str, str]:
    return {canonicalize_name(pin["name"]): pin["version"] for pin in PIN.finditer(lock_text(name))}


def asked_for(lock: str) -> list[Requirement]:
    extras = PROJECT["optional-dependencies"]
    texts = {
        "base.txt": PROJECT["dependencies"],
        "mariadb.txt": extras["mariadb"],
        "dev.txt": [*PROJECT["dependencies"], *extras["dev"]],
    }
    return [Requirement(text) for text in texts[lock]]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_source_of_packages(lock):
    assert [word for word in SOURCES if word in lock_text(lock)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_folder_of_the_machine_that_wrote_it(lock):
    assert re.findall(r"(?:^|\s)/\w+", lock_text(lock)) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_each_package_is_pinned_with_hashes_and_nothing_else_stands_in_a_lock(lock):
    rest = PIN.sub("", lock_text(lock))
    assert [line for line in rest.splitlines() if line.strip() and not line.lstrip().startswith("#")] == []
    assert len(pins(lock)) > 0


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_meets_what_pyproject_asks_for(lock):
    pinned = pins(lock)
    unmet = [
        str(wish)
        for wish in asked_for(lock)
        if not wish.specifier.contains(pinned.get(canonicalize_name(wish.name), "0"))
    ]
    assert unmet == []


def test_development_runs_the_very_versions_of_production():
    assert pins("base.txt").items() <= pins("dev.txt").items()


def test_the_driver_that_needs_a_compiler_stands_alone():
    assert list(pins("mariadb.txt")) == ["mysqlclient"]
    assert "mysqlclient" not in pins("base.txt") | pins("dev.txt")
