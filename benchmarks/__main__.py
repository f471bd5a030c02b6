"""Run the benchmarks of this folder, one after the other: `python -m benchmarks [name ...]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNNABLE = 'if __name__ == "__main__":'


def names() -> list[str]:
    """Return the modules here that can be run by themselves; the rest are parts of them."""
    modules = sorted(path for path in HERE.glob("*.py") if path != Path(__file__).resolve())
    return [path.stem for path in modules if RUNNABLE in path.read_text("utf-8")]


def main() -> int:
    known = names()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Figures against floors of the same run."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(known))
    wanted = parser.parse_args().names or known
    if unknown := sorted(set(wanted) - set(known)):
        parser.error(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(known)}")
    return max(run(name) for name in wanted)


def run(name: str) -> int:
    """Run one in a process of its own (each sets Django up on its own database); return its status."""
    print(f"--- {name}", flush=True)
    return subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}"], cwd=HERE.parent, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
