"""The product's version, written into every row that a component of ours touches."""

from __future__ import annotations

VERSION = "0.1.0"
STAMP = f"pullkeeper {VERSION}"
