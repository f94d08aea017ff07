"""Which of the slowest default tests are needed to notice a planted fault: `python -m tests.faults.matrix`.

Every fault is planted and the default tests of its entry in `planted/` are run without the slowest ones. Where
none of them fails, each of the slowest tests of the entry is run alone, or if it names none, of the folder of tests
that has the name of the file's folder. `matrix.json` has what came of it: for each fault the first test among the
others that fails, or None, and for each slow test that was run whether it fails. It is written after every fault.
A fault that is there already is run again only where what noticed it is no default test any more, so that a run may
be stopped.

`--times FILE` takes the slowest tests from a JUnit file of a run of the default tests and begins anew.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.faults.catalogue import Fault, faults
from tests.faults.forks import Run, default_tests, outcomes, seats
from tests.paths import ROOT

RECORD = Path(__file__).with_name("matrix.json")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.matrix", description=__doc__)
    parser.add_argument("--times", type=Path, metavar="FILE", help="a JUnit file of the default tests")
    parser.add_argument("--slowest", type=int, default=340, metavar="N", help="how many of them are slow")
    parser.add_argument("--minutes", type=float, default=45, help="begin no other fault after that")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a run, after which it hangs")
    return parser.parse_args()


def default_ids() -> list[str]:
    """The ids of the default tests."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-qq",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
    ]
    command += ["-o", "verbosity_test_cases=-1"]
    done = subprocess.run(
        [*command, "-m", default_tests()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [line for line in done.stdout.splitlines() if line.startswith("tests/") and "::" in line]


def name_in_junit(test: str) -> tuple[str, str]:
    """The class and the name of a test in a JUnit file."""
    place, _, name = test.partition("::")
    function, bracket, case = name.partition("[")
    *classes, function = function.split("::")
    return ".".join([*Path(place).with_suffix("").parts, *classes]), function + bracket + case


def slowest(times: Path, count: int, tests: Iterable[str]) -> dict[str, float]:
    """The slowest of the tests, each with its seconds."""
    cases = ElementTree.parse(times).getroot().iter("testcase")
    seconds = {(case.get("classname"), case.get("name")): float(case.get("time", "0")) for case in cases}
    known = {test: seconds[name] for test in tests if (name := name_in_junit(test)) in seconds}
    return dict(sorted(known.items(), key=lambda item: (-item[1], item[0]))[:count])


def belongs(test: str, entry: str) -> bool:
    """Whether a test is one of those that an argument of pytest names."""
    return test == entry or test.startswith((f"{entry}[", f"{entry}::", f"{entry.rstrip('/')}/"))


def write(record: dict[str, dict[str, Any]]) -> None:
    """Write the record, a test or a fault a line."""
    parts = []
    for part, rows in record.items():
        lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(rows.items()))
        parts.append(f"{json.dumps(part)}: {{\n" + ",\n".join(lines) + "\n }")
    RECORD.write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")


def candidates(fault: Fault, slow: Iterable[str]) -> list[str]:
    """The slow tests of the fault's entry; if there are none, those of the folder of its file."""
    slow = list(slow)
    named = [test for test in slow if any(belongs(test, entry) for entry in fault.tests)]
    return named or [test for test in slow if belongs(test, f"tests/{Path(fault.file).parent.as_posix()}")]


def still_noticed(row: list[Any], default: Container[str]) -> bool:
    """Whether a default test notices the fault of this row, or none ever did."""
    others, killers = row
    noticing = [others] if others else [test for test, fails in killers.items() if fails]
    return not noticing or any(test in default for test in noticing)


def main() -> int:
    """Fill the record; 1 if something could not be run, or a test that is needed is no default test."""
    asked = _asked()
    default = default_ids()
    record: dict[str, dict[str, Any]] = {}
    if asked.times:
        record = {"slowest": slowest(asked.times, asked.slowest, default), "faults": {}}
    else:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        names, known = {fault.id for fault in faults()}, set(default)
        kept = {name: row for name, row in record["faults"].items() if still_noticed(row, known)}
        record["faults"] = {name: row for name, row in kept.items() if name in names}
    slow, rows, broken = record["slowest"], record["faults"], 0
    end = time.monotonic() + asked.minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        at = seats(Path(folder), 1, asked.limit)
        for fault in faults():
            if fault.id in rows or time.monotonic() > end:
                continue
            (others,) = outcomes([Run(fault.tests, fault, frozenset(slow), default=True)], at)
            killers: dict[str, bool] = {}
            if others.came in ("BROKEN", "HANGS"):
                broken += 1
            elif others.came != "killed":
                for test in candidates(fault, slow):
                    (alone,) = outcomes([Run((test,), fault)], at)
                    killers[test] = alone.came == "killed"
            rows[fault.id] = [others.noticed_by if others.came == "killed" else None, killers]
            print(f"{others.came:8} {others.cpu_s:6.1f} {fault.id} {killers or ''}", flush=True)
            write(record)
    needed = {test for row in rows.values() if not row[0] for test, fails in row[1].items() if fails}
    lost = sorted(needed - set(default))
    print(
        f"{len(rows)} of {len(faults())} faults; {len(needed)} slow tests notice what no other default test does"
    )
    print(
        "noticed by slow tests alone:",
        *(name for name, row in rows.items() if not row[0] and not any(row[1].values())),
    )
    for test in lost:
        print("should be a default test:", test)
    return 1 if broken or lost else 0


if __name__ == "__main__":
    sys.exit(main())
