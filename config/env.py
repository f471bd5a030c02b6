"""Typed readers of environment variables. A value that cannot be read stops the start with a sentence."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", ""})


def text(name: str, default: str = "") -> str:
    """Return the variable as it is, without surrounding white space."""
    return os.environ.get(name, default).strip()


def flag(name: str, *, default: bool = False) -> bool:
    """Return the variable as a boolean; raises ImproperlyConfigured for any other word."""
    raw = text(name, "1" if default else "0").lower()
    if raw in TRUE_WORDS:
        return True
    if raw in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be a yes or a no (1/0, true/false, on/off), not {raw!r}.")


def integer(name: str, default: int) -> int:
    """Return the variable as an integer; raises ImproperlyConfigured when it is none."""
    raw = text(name) or str(default)
    try:
        return int(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {raw!r}.") from None


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated variable as a list; empty parts are dropped."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def secret(name: str, default: str = "") -> str:
    """Return a secret from NAME, or from the file that NAME_FILE points to (as containers mount them).

    Raises ImproperlyConfigured when both are set or the file cannot be read; the secret itself is never
    part of the message.
    """
    path = text(f"{name}_FILE")
    if not path:
        return text(name, default)
    if text(name):
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {type(error).__name__}.") from None


def secret_words(name: str) -> list[str]:
    """Return a secret that holds several comma-separated values (one a line in a file works too)."""
    return [part.strip() for part in secret(name).replace("\n", ",").split(",") if part.strip()]


def generated_secret(path: Path) -> str:
    """Return the secret kept in a file, made on first use: enough for one machine, without a setting.

    Several machines must share one SECRET_KEY (sessions and queue messages are signed with it): set it there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        _make_secret(path)
    return path.read_text(encoding="utf-8").strip()


def _make_secret(path: Path) -> None:
    """Write under another name, then link: the file is there whole or not at all, and the first one stays."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        Path(draft).unlink()


def package_folder(name: str) -> Path:
    """Return where an installed package is, without importing it; raises ImproperlyConfigured when it is not."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImproperlyConfigured(f"The package {name} is not installed: run make setup.")
    return Path(spec.origin).parent
