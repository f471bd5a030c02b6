"""Promises of Dockerfile and compose.yaml that a reader can check without Docker."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from tools import healthcheck, secret_files

ROOT = Path(__file__).resolve().parents[2]
SECRET_WORDS = re.compile(r"SECRET|PASSWORD|TOKEN|PRIVATE_KEY|DATABASE_URL|BROKER_URL")


def dockerfile_stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage as (word, rest); comments dropped, continued lines joined."""
    lines = [
        line for line in (ROOT / "Dockerfile").read_text().splitlines() if not line.lstrip().startswith("#")
    ]
    text = "\n".join(lines).replace("\\\n", " ")
    stages: list[list[tuple[str, str]]] = []
    for line in filter(str.strip, text.splitlines()):
        word, rest = line.strip().split(maxsplit=1)
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, " ".join(rest.split())))
    return stages


def last(word: str) -> str:
    return [rest for name, rest in dockerfile_stages()[-1] if name == word][-1]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return parsed


def test_the_image_runs_as_an_ordinary_user():
    assert last("USER") not in {"root", "0", "0:0"}
    words = [word for word, _ in dockerfile_stages()[-1]]
    assert words.index("USER") < words.index("CMD")
    assert "USER" not in words[words.index("USER") + 1 :]


def test_the_compiler_stays_in_the_first_stage():
    first, final = dockerfile_stages()
    assert any("build-essential" in rest for _, rest in first)
    assert not any(word in rest for _, rest in final for word in ("build-essential", "-dev"))


def test_packages_are_installed_by_hash():
    installs = [rest for stage in dockerfile_stages() for _, rest in stage if "pip install" in rest]
    assert len(installs) == 1
    assert installs[0].count("pip install") == installs[0].count("--require-hashes") == 2


def test_no_secret_is_baked_into_the_image():
    for stage in dockerfile_stages():
        assert [rest for word, rest in stage if word in {"ENV", "ARG"} and SECRET_WORDS.search(rest)] == []


def test_the_image_says_how_it_is():
    assert "tools.healthcheck" in last("HEALTHCHECK")
    assert last("STOPSIGNAL") == "SIGTERM"


def shipped(path: str) -> bool:
    """Whether .dockerignore lets a file into the image: the last line that matches decides."""
    kept = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.lstrip("!").rstrip("/")
        anywhere = pattern.startswith("**/") and Path(path).match(pattern.removeprefix("**/"))
        if anywhere or fnmatch.fnmatch(path, pattern) or path.startswith(f"{pattern}/"):
            kept = line.startswith("!")
    return kept


def test_every_app_of_ours_is_shipped():
    apps = [name for name in settings.INSTALLED_APPS if (ROOT / name).is_dir()]
    assert "webhooks" in apps
    files = ["manage.py", "gunicorn.conf.py", "config/settings.py", *(f"{name}/__init__.py" for name in apps)]
    assert [name for name in files if not shipped(name)] == []


@pytest.mark.parametrize(
    "path", ["secrets/secret_key", "var/db.sqlite3", ".git/config", ".env", "tests/conftest.py"]
)
def test_nothing_private_is_shipped(path):
    assert not shipped(path)


def test_the_installation_has_its_parts(compose):
    assert set(compose["services"]) == {"database", "prepare", "web", "worker"}
    assert compose["services"]["database"]["volumes"] == ["database:/var/lib/mysql"]
    assert "database" in compose["volumes"]


@pytest.mark.parametrize("service", ["database", "web", "worker"])
def test_every_service_that_stays_says_how_it_is(compose, service):
    assert compose["services"][service]["healthcheck"]["test"][0] == "CMD"


def test_the_database_takes_the_largest_delivery(compose):
    command = compose["services"]["database"]["command"]
    assert {"--character-set-server=utf8mb4", "--max-allowed-packet=64M"} <= set(command)


def test_secrets_come_as_files_only(compose):
    for name, service in compose["services"].items():
        for variable in service["environment"]:
            if SECRET_WORDS.search(variable) and variable != "MARIADB_RANDOM_ROOT_PASSWORD":
                assert variable.endswith("_FILE"), f"{name}: {variable}"
                assert service["environment"][variable].removeprefix("/run/secrets/") in service["secrets"]
        assert set(service["secrets"]) <= set(compose["secrets"])


@pytest.mark.parametrize("service", ["web", "worker"])
def test_nothing_serves_before_the_database_is_prepared(compose, service):
    waits = compose["services"][service]["depends_on"]
    assert waits["prepare"] == {"condition": "service_completed_successfully"}
    assert compose["services"]["prepare"]["command"] == ["python", "manage.py", "prepare"]


def test_a_stop_reaches_the_main_process_of_the_worker_alone(compose):
    worker = compose["services"]["worker"]
    assert worker["init"] is True  # an init that forwards to its child, and not to the group
    assert worker["command"] == ["python", "manage.py", "qcluster"]  # no shell in between
    assert worker["stop_signal"] == "SIGTERM"


def test_the_secret_files_are_the_ones_that_compose_mounts(compose, tmp_path):
    folder = tmp_path / "secrets"
    written = secret_files.write_missing(folder)
    assert {f"./secrets/{name}" for name in written} == {
        entry["file"] for entry in compose["secrets"].values()
    }
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "database_password").read_text() in (folder / "database_url").read_text()


def test_existing_secret_files_stay(tmp_path):
    folder = tmp_path / "secrets"
    secret_files.write_missing(folder)
    before = {path.name: path.read_text() for path in folder.iterdir()}
    (folder / "secret_key").unlink()
    assert secret_files.write_missing(folder) == ["secret_key"]
    assert {
        path.name: path.read_text() for path in folder.iterdir() if path.name != "secret_key"
    }.items() <= before.items()


def test_one_database_secret_without_the_other_is_refused(tmp_path):
    secret_files.write_missing(tmp_path)
    (tmp_path / "database_url").unlink()
    with pytest.raises(FileExistsError, match="belong together"):
        secret_files.write_missing(tmp_path)


@pytest.mark.parametrize(
    "allowed, asked",
    [
        ("", "127.0.0.1"),
        ("*", "127.0.0.1"),
        ("a.example, b.example", "a.example"),
        (".example.com", "example.com"),
    ],
)
def test_the_healthcheck_asks_by_a_name_that_is_allowed(monkeypatch, allowed, asked):
    monkeypatch.setenv("ALLOWED_HOSTS", allowed)
    assert healthcheck.allowed_name() == asked
