"""Plants every fault in a copy of the sources and runs the tests that must notice it: `python -m tests.faults`.

Ends with 1 if a fault survives, if what it maps to is no test, or if those tests fail without it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

from tests.faults.catalogue import SOURCE, Fault, faults
from tests.paths import ROOT

LIMIT_S = 600
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not spark")
OUTCOMES = {0: "SURVIVED", 1: "killed"}


def outcome(tests: tuple[str, ...], source: Path) -> str:
    """What became of the tests with these sources; anything but passing and failing tests is `BROKEN`."""
    environment = {**os.environ, "PYTHONPATH": str(source), "CI": "true", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *PYTEST, *tests]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return "HANGS"
    summary = done.stdout.splitlines()[-1:] or [""]
    return "BROKEN" if " error" in summary[0] else OUTCOMES.get(done.returncode, "BROKEN")


class Copies:
    """Copies of the sources, one for each run at a time."""

    def __init__(self, folder: Path, count: int) -> None:
        self._free: Queue[Path] = Queue()
        for number in range(count):
            shutil.copytree(SOURCE, folder / str(number), ignore=shutil.ignore_patterns("__pycache__"))
            self._free.put(folder / str(number))

    @contextmanager
    def one(self, fault: Fault | None) -> Iterator[Path]:
        """A copy with the fault in it, mended afterwards."""
        copy = self._free.get()
        original = None if fault is None else (copy / fault.path).read_text(encoding="utf-8")
        try:
            if fault is not None and original is not None:
                (copy / fault.path).write_text(fault.planted(original), encoding="utf-8")
            yield copy
        finally:
            if fault is not None and original is not None:
                (copy / fault.path).write_text(original, encoding="utf-8")
            self._free.put(copy)


def main() -> int:
    """Run what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--area", help="one file of planted/")
    parser.add_argument("--only", nargs="*", help="ids of faults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    chosen = [fault for fault in faults(asked.area) if not asked.only or fault.id in asked.only]
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        copies = Copies(Path(folder), asked.jobs)

        def sound(tests: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
            with copies.one(None) as source:
                return tests, outcome(tests, source)

        def planted(fault: Fault) -> tuple[Fault, str]:
            with copies.one(fault) as source:
                return fault, outcome(fault.tests, source)

        failing = [
            tests for tests, came in pool.map(sound, {fault.tests for fault in chosen}) if came != "SURVIVED"
        ]
        for tests in failing:
            print("fails without a fault:", *tests, flush=True)
        counts: Counter[str] = Counter()
        for fault, came in pool.map(planted, chosen):
            name = "equivalent" if came == "SURVIVED" and fault.equivalent else came
            counts[name] += 1
            if name != "killed":
                print(f"{name:10} {fault.area} {fault.id} {fault.file} {fault.equivalent or ''}", flush=True)
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"{len(chosen)} faults: {summary}; {time.monotonic() - begun:.0f} s")
    return 0 if not failing and counts.keys() <= {"killed", "equivalent"} else 1


if __name__ == "__main__":
    sys.exit(main())
