"""Run the benchmarks one after the other: `python -m benchmarks [--base DIR] [NAME...]`.

DIR is a checkout of an earlier commit. Those that compare with one get it; without it they print this
checkout's times, and no ratio.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks._needs import NOT_RUN

ON_SPARK = ("campaign", "fleet", "walk")
"""These need the `spark` extra and arguments of their own; they run when they are named."""
BASED = ("certify_speed", "commands", "explore_memory", "optimum_documents")
"""These compare with another checkout."""
MORE = {"explore_speed": (["--memory"], ["--jobs", "--runs", "1"])}
"""What of a benchmark is asked for by options of its own, and is run besides."""


def main() -> int:
    """Run those that are named, else all that need no Spark, each in a process of its own.

    One that fails or misses a goal keeps no other from running; which they are is said in the end, and which
    could not be run here.
    """
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
    failed, lacking = [], []
    for name in options.names or [name for name in scripts if not name.startswith(ON_SPARK)]:
        own = ["--base", options.base] if name in BASED and options.base else []
        for arguments in (own, *MORE.get(name, ())):
            print(" ".join(["==", name, *arguments]), flush=True)
            if name in BASED and not own:
                print("no ratio without --base DIR, a checkout of the commit to compare with", flush=True)
            code = subprocess.run(
                [sys.executable, "-m", f"benchmarks.{name}", *arguments], check=False
            ).returncode
            if code == NOT_RUN:
                lacking.append(f"{name}: not run, something that it needs is not here")
            elif code:
                failed.append(f"{' '.join([name, *arguments])}: exit code {code}")
    print("\n".join(["==", *lacking, *(failed or ["every benchmark that was run ended well"])]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
