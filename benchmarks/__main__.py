"""Run the benchmarks one after the other: `python -m benchmarks [--base DIR] [NAME...]`.

DIR is a checkout of an earlier commit. Those that compare with one get it; without it they print this
checkout's times, and no ratio.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

ON_SPARK = ("campaign", "fleet")
"""These need the `spark` extra and arguments of their own; they run when they are named."""
BASED = ("certify_speed", "explore_memory", "optimum_documents")
"""These compare with another checkout."""
MORE = {"explore_speed": (["--memory"], ["--jobs", "--runs", "1"])}
"""What of a benchmark is asked for by options of its own, and is run besides."""


def main() -> None:
    """Run those that are named, else all that need no Spark; each is a script of its own."""
    scripts = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Run the benchmarks one after the other."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(scripts))
    parser.add_argument("--base", metavar="DIR", help=f"A checkout to compare with: {', '.join(BASED)}.")
    options = parser.parse_args()
    for name in options.names:
        if name not in scripts:
            sys.exit(f"benchmarks: there is no {name!r}, expected one of {', '.join(scripts)}")
    for name in options.names or [name for name in scripts if not name.startswith(ON_SPARK)]:
        own = ["--base", options.base] if name in BASED and options.base else []
        for arguments in (own, *MORE.get(name, ())):
            print(" ".join(["==", name, *arguments]), flush=True)
            if name in BASED and not own:
                print("no ratio without --base DIR, a checkout of the commit to compare with", flush=True)
            sys.argv = [name, *arguments]
            runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main()
