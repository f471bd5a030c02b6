"""The product's settings with one view behind them: what the receiver is measured against."""

from __future__ import annotations

from config.settings import *  # noqa: F403 -- the same server with the same settings is the point

ROOT_URLCONF = "benchmarks.bare_urls"
