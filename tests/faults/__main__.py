"""Plants every fault in a copy of the sources and runs the tests that must notice it: `python -m tests.faults`.

Ends with 1 if a fault survives, if what it maps to is no test, or if those tests fail without it.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.faults.catalogue import PLANTED, Fault, faults, read
from tests.faults.forks import Outcome, Run, outcomes, seats

FINE = frozenset({"passed", "killed", "equivalent"})


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--area", nargs="*", help="files of planted/")
    parser.add_argument("--only", nargs="*", help="ids of faults")
    parser.add_argument("--file", type=Path, help="faults of your own in place of those of planted/")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=600, help="seconds for a run, after which it hangs")
    parser.add_argument(
        "--each", action="store_true", help="tell of each fault what noticed it and its seconds"
    )
    return parser.parse_args()


def _chosen(asked: argparse.Namespace) -> list[Fault]:
    areas = {asked.file.stem} if asked.file else {path.stem for path in PLANTED.glob("*.toml")}
    if unknown := set(asked.area or ()) - areas:
        raise SystemExit(f"no such area: {', '.join(sorted(unknown))}; there are {', '.join(sorted(areas))}")
    every = read(asked.file) if asked.file else faults()
    if unknown := set(asked.only or ()) - {fault.id for fault in every}:
        raise SystemExit(f"no such fault: {', '.join(sorted(unknown))}")
    return [
        fault
        for fault in every
        if fault.area in (asked.area or areas) and (not asked.only or fault.id in asked.only)
    ]


def _name(fault: Fault, outcome: Outcome) -> str:
    return "equivalent" if outcome.came == "SURVIVED" and fault.equivalent else outcome.came


def unplanted(outcome: Outcome) -> str:
    """What a run without a fault came to: what would kill one makes its tests worth nothing."""
    return {"SURVIVED": "passed", "killed": "FAILS"}.get(outcome.came, outcome.came)


def exit_code(names: Iterable[str]) -> int:
    """1 if anything came to what it should not: a fault that survives, or a test that fails without one."""
    return 0 if set(names) <= FINE else 1


def _table(rows: list[tuple[str, str, float]]) -> None:
    """Of each area the count of each outcome and the processor's seconds."""
    for area in dict.fromkeys(area for area, _, _ in rows):
        counts = Counter(name for where, name, _ in rows if where == area)
        seconds = sum(cpu_s for where, _, cpu_s in rows if where == area)
        what = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        print(f"{area:10} {counts.total():3}: {what}; {seconds:.0f} CPU s")


def main() -> int:
    """Run what was asked for; the exit code."""
    asked = _asked()
    chosen = _chosen(asked)
    begun = time.monotonic()
    rows: list[tuple[str, str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        at = seats(Path(folder), asked.jobs, asked.limit)
        for outcome in outcomes([Run(tests, None) for tests in {fault.tests: None for fault in chosen}], at):
            rows.append(("no fault", unplanted(outcome), outcome.cpu_s))
            if outcome.came != "SURVIVED":
                print("fails without a fault:", *outcome.run.tests, outcome.noticed_by, flush=True)
            elif asked.each:
                print(f"{'passed':10} {outcome.cpu_s:6.1f}", *outcome.run.tests, flush=True)
        for outcome in outcomes([Run(fault.tests, fault) for fault in chosen], at):
            if (fault := outcome.run.fault) is None:
                continue
            name = _name(fault, outcome)
            rows.append((fault.area, name, outcome.cpu_s))
            if asked.each:
                print(f"{name:10} {outcome.cpu_s:6.1f} {fault.id} {outcome.noticed_by}", flush=True)
            elif name != "killed":
                print(f"{name:10} {fault.area} {fault.id} {fault.file} {fault.equivalent or ''}", flush=True)
    _table(sorted(rows))
    counts = Counter(name for area, name, _ in rows if area != "no fault")
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    cpu_s = sum(seconds for _, _, seconds in rows)
    print(f"{len(chosen)} faults: {summary}; {time.monotonic() - begun:.0f} s, {cpu_s:.0f} CPU s")
    return exit_code(name for _, name, _ in rows)


if __name__ == "__main__":
    sys.exit(main())
