"""The lasting archive of the audit (work items, decisions about access): one gzip JSON object an entry, by the minute.

Off unless AUDIT_FOLDER names a folder. Objects are written under another name and then renamed, so that a reader
finds each whole or not at all.
"""

from __future__ import annotations

import gzip
import json
import os
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)


def keep(entry: dict[str, Any], at: datetime) -> None:
    """Write one entry below YYYY/MM/DD/HH/MM/; whatever fails is logged and goes no further."""
    if not settings.AUDIT_FOLDER:
        return
    try:
        _write(entry, Path(settings.AUDIT_FOLDER) / f"{at:%Y/%m/%d/%H/%M}")
    except Exception:
        log.exception("audit not archived", folder=settings.AUDIT_FOLDER)


def _write(entry: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{entry.get('item', 'auth')}-{uuid.uuid4()}.json.gz"
    draft = folder / f".{name}"
    draft.write_bytes(gzip.compress(json.dumps(entry, default=str).encode(errors="backslashreplace")))
    os.replace(draft, folder / name)  # noqa: PTH105 -- one call, atomic
