"""Make the secret files that compose.yaml mounts: `make secrets`. Existing files are never overwritten."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "secrets"


def wanted_files() -> dict[str, str]:
    """Return fresh contents by file name; the two about the database agree with each other."""
    password = secrets.token_urlsafe(24)
    return {
        "database_password": password,
        "database_url": f"mysql://pullkeeper:{password}@database:3306/pullkeeper",
        "secret_key": secrets.token_urlsafe(50),
        "github_webhook_secrets": secrets.token_urlsafe(32),
    }


def write_missing(folder: Path) -> list[str]:
    """Write the files that are not there yet and return their names.

    The folder is closed to others; the files inside are readable, because the container's user is not ours.
    Raises FileExistsError when one of the two database files is there without the other.
    """
    files = wanted_files()
    if (folder / "database_password").exists() != (folder / "database_url").exists():
        raise FileExistsError("database_password and database_url belong together: keep both or neither.")
    folder.mkdir(mode=0o700, exist_ok=True)
    missing = [name for name in files if not (folder / name).exists()]
    for name in missing:
        (folder / name).write_text(files[name])
        (folder / name).chmod(0o444)
    return missing


def main() -> int:
    try:
        written = write_missing(FOLDER)
    except FileExistsError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"secrets/: {', '.join(written) or 'everything was there'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
