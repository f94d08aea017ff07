"""Run the benchmarks one after the other: `python -m benchmarks [NAME...]`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ON_SPARK = ("campaign", "fleet")
"""These need the `spark` extra and arguments of their own; they run when they are named."""


def main() -> None:
    """Run those that are named, else all that need no Spark; each is a script of its own."""
    scripts = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))
    chosen = sys.argv[1:] or [name for name in scripts if not name.startswith(ON_SPARK)]
    for name in chosen:
        if name not in scripts:
            sys.exit(f"benchmarks: there is no {name!r}, expected one of {', '.join(scripts)}")
    for name in chosen:
        print(f"== {name}", flush=True)
        sys.argv = [name]
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main()
