"""Make .venv with everything for development (`make setup`); runs on the system's bare Python."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "setup.json"
LOCKS = ("requirements/base.txt", "requirements/dev.txt", "requirements/mariadb.txt")
MINIMUM = (3, 11)
# The names under which mysqlclient's build looks for MariaDB's or MySQL's client library.
CLIENT_LIBRARIES = ("mysqlclient", "mariadb", "libmariadb")
DRIVER_HINT = """\
MariaDB's driver could not be built: SQLite works, MariaDB does not. Install what it needs
    apt-get install libmariadb-dev pkg-config build-essential
(and python3-dev with Debian's own Python), then run `make setup` again."""


def fingerprint() -> str:
    """Return a digest of the locks and of this Python: while it stays, nothing else would be installed."""
    digest = hashlib.sha256(sys.version.encode())
    for name in LOCKS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def pip(*arguments: str, quiet: bool = False) -> bool:
    """Run the environment's pip and return whether it succeeded."""
    command = [str(PYTHON), "-m", "pip", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=quiet, check=False).returncode == 0


def pip_install(lock: str, *, quiet: bool = False) -> bool:
    # Twice quiet: errors are shown, the warnings that a machine's own pip configuration causes are not.
    options = ("-qq", "--disable-pip-version-check", "--require-hashes")
    return pip("install", *options, "-r", lock, quiet=quiet)


def driver_can_be_built() -> bool:
    """Whether pkg-config knows a client library; a missing compiler shows only when building."""
    if not shutil.which("pkg-config"):
        return False
    checks = (subprocess.run(["pkg-config", "--exists", name], check=False) for name in CLIENT_LIBRARIES)
    return any(check.returncode == 0 for check in checks)


def install_driver() -> bool:
    """Build MariaDB's driver where that is possible, and say what is missing where it is not."""
    if driver_can_be_built() and pip_install("requirements/mariadb.txt", quiet=True):
        return True
    print(DRIVER_HINT)
    return False


def make_venv() -> bool:
    """Create .venv unless it is there and works; a half-made one is made anew."""
    if PYTHON.exists() and pip("--version", quiet=True):
        return True
    if importlib.util.find_spec("ensurepip") is None:
        print("This Python cannot make virtual environments: apt-get install python3-venv", file=sys.stderr)
        return False
    return subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False).returncode == 0


def read_stamp() -> dict[str, object]:
    """Return what the last setup noted; empty when there was none or it cannot be read."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def main() -> int:
    if sys.version_info < MINIMUM:
        print(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}.", file=sys.stderr)
        return 1
    wanted, stamp = fingerprint(), read_stamp()
    current = PYTHON.exists() and stamp.get("fingerprint") == wanted
    if current and (stamp.get("driver") or not driver_can_be_built()):
        return 0
    if not current:
        print("Installing into .venv (about a minute the first time) ...", flush=True)
        if not (make_venv() and pip_install("requirements/dev.txt")):
            return 1
    STAMP.write_text(json.dumps({"fingerprint": wanted, "driver": install_driver()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
