"""How fast a checkout plays and judges histories that another one wrote: a script for `certify_speed`.

    PYTHONPATH=CHECKOUT/src python benchmarks/_judged_rate.py SPEC HISTORIES [--clocked]

It goes by the names of this version, or by those of commits 91a1e5b and 864a7b5. The first histories are
played before the clock starts: what either checkout imports only where it is needed is no part of the rate. A
clock around every call of the target costs as much as a small part of the judging, so the time of everything
and the target's part of it are measured in two runs, the second with `--clocked`.
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
"""The methods of the target: the time within them is its own."""
WARMING = 10
"""So many histories are played before the others are timed."""
CALIBRATED = 20_000
"""Calls of next to nothing by which a clock learns what it costs itself."""


def checkout() -> tuple[Any, Any, Any]:
    """The modules with blocks, with options and with targets."""
    try:
        names = "runs.blocks", "runs.options", "targets.resolve"
        blocks, options, targets = (import_module(f"kassay.engines.{name}") for name in names)
    except ModuleNotFoundError:
        blocks, options, targets = (
            import_module(f"kassay.engines.{n}") for n in ("blocks", "plan", "targets")
        )
    return blocks, options, targets


class Clock:
    """What part of the time was spent in some functions, the clock's own time taken off.

    It goes by time that passes, whose clock costs a tenth of that of CPU seconds: what else runs on the
    machine takes its share from both parts.
    """

    def __init__(self) -> None:
        self.start()
        plain = _seconds(int)
        whole = _seconds(self.timed(int))
        self._inside = self._spent / CALIBRATED - plain
        self._whole = whole - plain
        self.start()

    def start(self) -> None:
        """Forget what was spent so far."""
        self._spent, self._calls = 0.0, 0

    def part(self, passed: float) -> float:
        """The part spent in the functions, from 0 to 1, of the seconds that passed."""
        return (self._spent - self._calls * self._inside) / (passed - self._calls * self._whole)

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its time counted."""

        def call(*args: Any) -> Any:
            before = time.perf_counter()
            try:
                return function(*args)
            finally:
                self._spent += time.perf_counter() - before
                self._calls += 1

        return call


def _seconds(function: Callable[..., Any]) -> float:
    """What a call of it takes."""
    before = time.perf_counter()
    for _ in range(CALIBRATED):
        function()
    return (time.perf_counter() - before) / CALIBRATED


def cases(driver: Any, path: Path) -> Iterator[Any]:
    """The histories in the file that this checkout can read."""
    for line in path.read_text(encoding="utf-8").splitlines():
        read = driver.form.read if hasattr(driver, "form") else driver.decode
        yield read(json.loads(line), "history")


def own_methods(of_target: type) -> list[str]:
    """Those of `OWN` that the class does not leave to the empty base class.

    What is left to that costs the target nothing, and a clock there would be a method of its own: the player
    would call it where it need not.
    """
    base = next(each for each in of_target.__mro__ if each.__name__ == "AssignorBase")
    return [name for name in OWN if getattr(of_target, name) is not getattr(base, name, None)]


def main() -> None:
    """Print the counts of rebalances, judgements and violations, and CPU seconds; the target's part too."""
    spec, path, clocked = sys.argv[1], Path(sys.argv[2]), "--clocked" in sys.argv[3:]
    blocks, options, targets = checkout()
    make = getattr(options, "RunOptions", None) or options.Options
    job = blocks.Job(targets.resolve(spec), make(budget=options.Budget(histories=1)))
    clock, rebalances, judged, broken = Clock(), 0, 0, 0
    with blocks.open_bench(job) as bench:
        histories = list(cases(bench.driver, path))
        of_target = type(bench.subject.new({}))
        for name in own_methods(of_target) if clocked else ():
            setattr(of_target, name, clock.timed(getattr(of_target, name)))
        for history in histories[:WARMING]:
            bench.driver.examine(history, bench.subject)
        clock.start()
        before, since = time.process_time(), time.perf_counter()
        for history in histories[WARMING:]:
            seen = bench.driver.examine(history, bench.subject)
            rebalances += seen.rebalances if hasattr(seen, "rebalances") else seen.asked
            judged += sum(seen.judged.values())
            broken += len(seen.violations)
        spent, passed = time.process_time() - before, time.perf_counter() - since
    claims = sorted(claim.kind.id for claim in job.claims)
    counts = {"rebalances": rebalances, "judged": judged, "broken": broken, "claims": claims}
    print(json.dumps({**counts, "cpu": spent, "target": clock.part(passed) if clocked else None}))


if __name__ == "__main__":
    main()
