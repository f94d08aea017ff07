"""By how much a solved instance overruns its `--time`, for every family and method.

Run `python benchmarks/optimum_limits.py [LIMIT_S] [SIZE] [NAME ...]`, by default limits of 1 and 5 s, sizes
of 30,000 and 100,000 and every case. A line has what was asked, the status, the seconds of a processor and
of the clock from a document to a line whose certificate is checked, how many times the limit that is, and
by how much it is over the aim: 1.25 times the limit and a second. All clocks are the processor's (but that
of Z3), so that whatever else the machine does counts for nothing, and no alarm helps a method out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from kassay.engines.optimum import solve as solving
from kassay.engines.optimum.solve import solve
from kassay.reading.documents import Located
from kassay.solver.algorithms.splitmix import SplitMix
from kassay.solver.check.balance import MOVEMENT_FIRST, RACK_FIRST
from kassay.solver.instances.brokers_and_tasks import placement, tasks
from kassay.solver.instances.groups import consumer

LIMITS_S = (1.0, 5.0)
SIZES = (30_000, 100_000)
SHARE, MORE_S = 1.25, 1.0
CLOCK = time.perf_counter

Document = dict[str, Any]


class Asked(NamedTuple):
    """An instance of a size, and how it is to be solved."""

    make: Callable[[int], Document]
    order: tuple[str, ...] = MOVEMENT_FIRST
    solver: str = "flow"
    tolerance: Fraction | None = None
    budget: int | None = None


def group(size: int, shape: str, costs: bool = False, bundles: bool = False) -> Document:
    """A consumer group with a member for each hundred partitions, up to 1,000."""
    members = min(1000, size // 100)
    document = consumer(
        shape, 1, members=members, partitions=size, topics=min(200, size // 50), change=members // 20
    )
    rng = SplitMix("limits", shape, size)
    for topic in document["topics"] if costs else ():
        topic["move_costs"] = [1 + rng.below(1000) for _ in range(topic["partitions"])]
    if bundles:
        document["copartition"] = document["copartition"][::2]
    return document


def brokers(size: int, shape: str, room: bool = False) -> Document:
    """Brokers with a thousand replicas each; with `room` hardly any more than they must hold."""
    count = size * 3 // 1000
    document = placement(shape, 1, brokers=count, partitions=size, change=max(1, count // 20))
    for broker in document["brokers"] if room else ():
        broker["max_replicas"] = size * 3 // len(document["brokers"]) + 2
    return document


def states(size: int, standbys: int) -> Document:
    """Clients with 300 tasks each."""
    return tasks("join", 1, clients=size // 300, tasks=size, standbys=standbys, change=size // 6000)


CASES: dict[str, Asked] = {
    "consumers": Asked(partial(group, shape="random")),
    "racks first": Asked(partial(group, shape="racks"), RACK_FIRST),
    "z3": Asked(partial(group, shape="racks"), solver="z3"),
    "many levels": Asked(partial(group, shape="nested")),
    "pairs": Asked(partial(group, shape="copart")),
    "weights": Asked(partial(group, shape="weighted")),
    "weights, z3": Asked(partial(group, shape="weighted"), solver="z3"),
    "tolerance": Asked(partial(group, shape="weighted"), tolerance=Fraction(1, 20)),
    "tolerance of counts": Asked(partial(group, shape="random"), tolerance=Fraction(1, 20)),
    "bundles": Asked(partial(group, shape="copart", bundles=True)),
    "costs": Asked(partial(group, shape="racks", costs=True)),
    "budget": Asked(partial(group, shape="random"), budget=100),
    "budget, costs": Asked(partial(group, shape="racks", costs=True), budget=10_000),
    "budget, weights": Asked(partial(group, shape="weighted"), budget=100),
    "placement": Asked(partial(brokers, shape="add")),
    "placement, new": Asked(partial(brokers, shape="create")),
    "placement, room": Asked(partial(brokers, shape="add", room=True)),
    "tasks": Asked(partial(states, standbys=0)),
    "standbys": Asked(partial(states, standbys=1)),
}


def overruns(limits_s: tuple[float, ...], sizes: tuple[int, ...], names: list[str]) -> Iterator[str]:
    """A line for each case, size and limit."""
    for size in sizes:
        for name in names or CASES:
            asked = CASES[name]
            document = asked.make(size)
            for limit_s in limits_s:
                began, busy = CLOCK(), time.process_time()
                line = solve(
                    Located(document, name),
                    asked.order,
                    asked.solver,
                    limit_s,
                    tolerance=asked.tolerance,
                    budget=asked.budget,
                )
                took, busy = CLOCK() - began, time.process_time() - busy
                over = max(0.0, busy - SHARE * limit_s - MORE_S)
                ratio = f"{busy / limit_s:6.2f} x" if limit_s else " " * 8
                yield (
                    f"{name:20} {size:7} {limit_s:5g} s {line['status']:9} {busy:7.2f} s of {took:7.2f} s "
                    f"{ratio} {over:7.2f} s over"
                )


def main(arguments: list[str]) -> None:
    """Print the lines."""
    time.monotonic = time.perf_counter = time.process_time
    vars(solving)["deadline"] = lambda _: nullcontext()
    limits_s = (float(arguments[0]),) if arguments else LIMITS_S
    sizes = (int(arguments[1]),) if arguments[1:] else SIZES
    for line in overruns(limits_s, sizes, arguments[2:]):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
