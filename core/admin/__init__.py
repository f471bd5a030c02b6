"""The admin of Settings, records and access. Also what the admins of other apps are built of."""

from __future__ import annotations

from core.admin import access, settings  # noqa: F401 (importing registers)
from core.admin.base import MOST_LISTED, CappedPaginator, ReadOnlyAdmin

__all__ = ["MOST_LISTED", "CappedPaginator", "ReadOnlyAdmin"]
