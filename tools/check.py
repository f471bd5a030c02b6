"""Lint, and the suite on every database that is here: `make lint`, `make test`, `make prove`.

The last line printed is pytest's own. With CI=true a missing real part is a failure, elsewhere a note.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.environment import without_product
from tools.parts import Part, find_parts, mariadb_url

# The variable in which conftest.py finds what this run left out.
NOTES = "PULLKEEPER_TEST_NOTES"
ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LINTERS: tuple[tuple[str, ...], ...] = (
    (f"{BIN}/ruff", "check", "."),
    (f"{BIN}/ruff", "format", "--check", "."),
    (f"{BIN}/mypy", "."),
    (f"{BIN}/lint-imports", "--no-logo"),
    (sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"),
)


def suite_environment(database_url: str) -> dict[str, str]:
    """Return an environment in which only the database differs between two runs of the suite."""
    return without_product() | {"SECRET_KEY": "only-for-tests", "DATABASE_URL": database_url}


def run(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a command in the repository and return its exit status."""
    print(f"\n== {' '.join(command).replace(f'{BIN}/', '')}", flush=True)
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


def lint(env: Mapping[str, str]) -> int:
    """Run every linter, also after one found something, and return 1 if any did."""
    failed = [command for command in LINTERS if run(command, env) != 0]
    return int(bool(failed))


def describe(missing: Sequence[Part]) -> str:
    """Return one line for each part that is not here, with its remedy."""
    return "\n".join(f"{part.marker}: {part.missing}. To have it: {part.remedy}" for part in missing)


def marker_expression(kind: str, missing: Sequence[Part]) -> str:
    """Return pytest's -m: the short tests or the long proofs, without those that need a part we lack."""
    wanted = "prove" if kind == "prove" else "not prove"
    return " and ".join([wanted, *(f"not {part.marker}" for part in missing)])


def suites(missing: Sequence[Part], folder: str) -> dict[str, str]:
    """Return the databases to run on, by name, in order."""
    urls = {"SQLite": f"sqlite:///{folder}/db.sqlite3"}
    if not any(part.marker == "mariadb" for part in missing):
        urls["MariaDB"] = mariadb_url()
    return urls


# Tests whose outcome no database can change: once is enough.
ONCE = (
    "tests/githubapi",
    "tests/sandbox/test_server_schema.py",
    "tests/project/test_check.py",
    "tests/browser/test_accessible.py",
)


def run_suites(kind: str, missing: Sequence[Part], arguments: Sequence[str]) -> int:
    """Run pytest once for each database; stop at the first that fails, so that its line is the last one."""
    # Proofs start clusters and measure minutes: one at a time. The short tests share the cores.
    workers = "0" if kind == "prove" else os.environ.get("TEST_WORKERS", "2")
    command = [sys.executable, "-m", "pytest", "-n", workers]
    command += ["-m", marker_expression(kind, missing), *arguments]
    ignored: list[str] = []
    with tempfile.TemporaryDirectory(prefix="pullkeeper-test-") as folder:
        for name, url in suites(missing, folder).items():
            print(f"\n== the suite on {name}", flush=True)
            status = run([*command, *ignored], suite_environment(url) | {NOTES: describe(missing)})
            if status != 0:
                return status
            ignored = [] if arguments else [f"--ignore={path}" for path in ONCE]
    return 0


def main() -> int:
    kind, *arguments = sys.argv[1:] or ["test"]
    lint_environment = suite_environment("sqlite:///:memory:") | {"GITHUB_WEBHOOK_SECRETS": "only-for-lint"}
    if kind == "lint":
        return lint(lint_environment)
    missing = [part for part in find_parts() if part.missing]
    if missing and os.environ.get("CI", "").lower() == "true":
        print(f"CI must run everything, but parts are missing.\n{describe(missing)}", file=sys.stderr)
        return 1
    if kind == "test" and lint(lint_environment) != 0:
        print("\nLint failed; the suite was not run.", file=sys.stderr)
        return 1
    return run_suites(kind, missing, arguments)


if __name__ == "__main__":
    sys.exit(main())
