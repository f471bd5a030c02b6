"""The idle line, the pages and the REST API over one filled database: `python -m benchmarks.together [--rows 1000000]`.

The same figures as benchmarks.idle_view, .pages and .api, without the filling in between, which takes longest. Prints
them, and last one JSON line.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import api, idle_view, pages
from benchmarks.filling import fill, fill_around
from benchmarks.harness import VENDORS, own_database

DATABASE = "pk_bench_together"
PARTS: dict[str, Callable[[], dict[str, dict[str, float]]]] = {
    "idle_view": idle_view.measured,
    "pages": pages.measured,
    "api": api.measured,
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Several benchmarks over one filled database.")
    parser.add_argument("--rows", type=int, default=100_000, help="rows of each large table")
    parser.add_argument("--on", choices=VENDORS, default=VENDORS[0], help="which database")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all unless given")
    options = parser.parse_args(argv)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part named {', '.join(sorted(unknown))}")
    results = measure(options.on, options.rows, options.parts or list(PARTS))
    print(json.dumps({"benchmark": "together", "on": options.on, "rows": options.rows, **results}))
    return 0


def measure(vendor: str, rows: int, parts: Sequence[str]) -> dict[str, Any]:
    """Fill a database of its own once, then print and return the figures of each part."""
    results: dict[str, Any] = {}
    with own_database(vendor, DATABASE):
        start = time.perf_counter()
        fill(rows)
        fill_around(rows)
        print(f"filled in {time.perf_counter() - start:.0f} s", flush=True)
        for part in parts:
            results[part] = PARTS[part]()
            for name, figures in results[part].items():
                print(f"{part:10} {name:56} {figures}", flush=True)
    return results


if __name__ == "__main__":
    sys.exit(main())
