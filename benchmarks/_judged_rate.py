"""How fast a checkout plays and judges histories that another one wrote: a script for `certify_speed`.

    PYTHONPATH=CHECKOUT/src python benchmarks/_judged_rate.py SPEC HISTORIES [--clocked]

It goes by the names of this version, or by those of commit 91a1e5b. A clock around every call of the target
costs as much as a small part of the judging, so what all takes and what the target takes are asked apart:
with `--clocked` the seconds within the target alone count.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

OWN = ("assign", "on_assignment", "subscription_user_data")
"""What the target is asked: the time within is its own."""
CALIBRATED = 20_000
"""Calls of next to nothing by which a clock learns what it costs itself."""


def checkout() -> tuple[Any, Any, Any]:
    """The modules with blocks, with options and with targets."""
    try:
        names = "runs.blocks", "runs.options", "targets.resolve"
        blocks, options, targets = (import_module(f"kassay.certify.{name}") for name in names)
    except ModuleNotFoundError:
        blocks, options, targets = (
            import_module(f"kassay.certify.{n}") for n in ("blocks", "plan", "targets")
        )
    return blocks, options, targets


class Clock:
    """CPU seconds that were spent in some functions, the clock's own taken off."""

    def __init__(self) -> None:
        self._spent, self._calls = 0.0, 0
        nothing = self.timed(int)
        for _ in range(CALIBRATED):
            nothing()
        self._own = self._spent / CALIBRATED
        self._spent, self._calls = 0.0, 0

    @property
    def spent(self) -> float:
        """The seconds so far."""
        return self._spent - self._calls * self._own

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its time counted."""

        def call(*args: Any) -> Any:
            before = time.process_time()
            try:
                return function(*args)
            finally:
                self._spent += time.process_time() - before
                self._calls += 1

        return call


def cases(driver: Any, path: Path) -> Iterator[Any]:
    """The histories in the file that this checkout can read."""
    for line in path.read_text(encoding="utf-8").splitlines():
        read = driver.form.read if hasattr(driver, "form") else driver.decode
        yield read(json.loads(line), "history")


def main() -> None:
    """Print what was asked, judged and broken, and the CPU seconds that it took, or those of the target."""
    spec, path, clocked = sys.argv[1], Path(sys.argv[2]), "--clocked" in sys.argv[3:]
    blocks, options, targets = checkout()
    make = getattr(options, "RunOptions", None) or options.Options
    job = blocks.Job(targets.resolve(spec), make(budget=options.Budget(histories=1)))
    clock, asked, judged, broken = Clock(), 0, 0, 0
    with blocks.open_bench(job) as bench:
        histories = list(cases(bench.driver, path))
        of_target = type(bench.subject.new({}))
        for name in OWN if clocked else ():
            setattr(of_target, name, clock.timed(getattr(of_target, name)))
        before = time.process_time()
        for history in histories:
            seen = bench.driver.examine(history, bench.subject)
            asked += seen.asked
            judged += sum(seen.judged.values())
            broken += len(seen.violations)
        spent = time.process_time() - before
    claims = sorted(promised.claim.id for promised in job.promises)
    counts = {"asked": asked, "judged": judged, "broken": broken, "claims": claims}
    print(json.dumps({**counts, "cpu": clock.spent if clocked else spent}))


if __name__ == "__main__":
    main()
