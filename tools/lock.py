"""Write the hash-pinned requirement files from pyproject.toml (`make lock`, `make lock UPGRADE=1`).

pip's configuration on the machine that locks must not show in the result: an index or a folder named there
would break the install elsewhere, and a folder of wheels would narrow the hashes to the one file found there.
So pip-compile runs without it and asks the public index alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Compiled on the lowest supported Python: a lock made on a newer one may lack a backport that this one needs.
PYTHON = (3, 11)
# Settings of pip that name sources of packages. The certificate settings stay, a proxy may need them.
PIP_SOURCES = frozenset(
    f"PIP_{name}"
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "TRUSTED_HOST", "CONSTRAINT")
)
OPTIONS = (
    "--quiet",
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-emit-index-url",
    "--no-emit-trusted-host",
    "--no-emit-find-links",
    "--no-emit-options",
)


def clean_environment() -> dict[str, str]:
    """Return an environment for pip-compile without this machine's package sources and folder names."""
    kept = {name: value for name, value in os.environ.items() if name not in PIP_SOURCES}
    return kept | {"PIP_CONFIG_FILE": os.devnull, "CUSTOM_COMPILE_COMMAND": "make lock"}


def compile_lock(name: str, *arguments: str, upgrade: bool) -> None:
    """Run pip-compile into requirements/<name>; raises CalledProcessError when that is not possible."""
    lock = f"requirements/{name}"
    options = [*OPTIONS, *(["--upgrade"] if upgrade else []), "--output-file", lock]
    command = [sys.executable, "-m", "piptools", "compile", *options, *arguments]
    subprocess.run(command, cwd=ROOT, env=clean_environment(), check=True)
    pins = re.findall(r"^[\w.-]+==", (ROOT / lock).read_text(), flags=re.MULTILINE)
    print(f"{lock}: {len(pins)} packages")


def compile_mariadb(*, upgrade: bool) -> None:
    """Lock the driver alone, so that an installation without a compiler can leave this one file out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    with tempfile.NamedTemporaryFile("w", suffix=".in") as source:
        source.write("\n".join(project["project"]["optional-dependencies"]["mariadb"]))
        source.flush()
        compile_lock("mariadb.txt", "--no-annotate", source.name, upgrade=upgrade)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write requirements/*.txt from pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="newest versions that pyproject.toml allows")
    upgrade = parser.parse_args().upgrade
    if sys.version_info[:2] != PYTHON:
        print(f"Locks are compiled on Python 3.11, this is {sys.version.split()[0]}.", file=sys.stderr)
        return 1
    compile_lock("base.txt", "pyproject.toml", upgrade=upgrade)
    compile_mariadb(upgrade=upgrade)
    dev = ("--extra", "dev", "--constraint", "requirements/base.txt", "pyproject.toml")
    compile_lock("dev.txt", *dev, upgrade=upgrade)
    return 0


if __name__ == "__main__":
    sys.exit(main())
