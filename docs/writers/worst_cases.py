"""Writes `docs/worst-cases.md`: how the worst case of each rule grows with the size.

`python docs/writers/worst_cases.py > docs/worst-cases.md`, some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from kassay.engines.hunts.worst import Badness, WorstCase, worst_case
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.search import GroupSearch

RULES: Final = ("range", "roundrobin", "server-range", "uniform", "sticky", "cooperative-sticky")
OTHERS: Final = (
    ("placement:striped", "gap"),
    ("placement:rack-aware", "gap"),
    ("placement:rack-unaware", "gap"),
    ("plan:optimal", "spread"),
    ("share-simple@4.1", "spread"),
    ("share-simple@4.1", "moves"),
    ("streams-sticky", "spread"),
    ("streams-sticky", "moves"),
    ("connect-incremental", "spread"),
    ("connect-incremental", "rounds"),
    ("connect-eager", "moves"),
)
SIZES: Final = ((2, 2), (3, 3), (4, 6), (6, 8), (8, 12), (12, 24))
OTHERS_SIZES: Final = 4
STEPS: Final = 80
_HEAD: Final = """# Worst cases: how does a rule's worst balance gap grow with the size?

How bad can a rule get, and how does that grow with the size? The worst balance gap (sum of squared loads
minus the least possible) that `kassay hunt --worst gap` finds, by members x partitions. Each case is real,
and there may be worse; the last row is a proven upper bound for any rule. [The gap study](gap-study.md)
shows what is usual.
"""
_BETWEEN: Final = """
`range` and `server-range` reach the bound at each of these sizes: one member has everything, and the gap
grows with the square of the partitions. The rules that balance by single moves (KIP-54) are stuck where a
chain of moves would help. That takes three members. Stairs are worse: each member has one partition more
than the one before it, in a topic that both read. Their gap grows with the length of the stairs, and adds
up over groups that share nothing.

The other kinds, each with its [measure](hunt.md#the-worst-at-a-size), and the proven bound where there is
one; sizes are brokers x partitions, processes x tasks, workers x connectors and tasks:
"""
_TAIL: Final = """
Racks force a planner's spread: its gap is zero. A curve may fall where the search is weak: then rely on the
smaller size.

To reproduce: `kassay hunt --worst gap:MxP --on RULE --histories 80`.
"""


def cases(rule: str, badness: Badness = Badness.GAP, count: int = len(SIZES)) -> list[WorstCase]:
    """The worst cases of a rule, size by size."""
    return [worst_case(resolve(rule), badness, size, RunOptions(), STEPS) for size in SIZES[:count]]


def of_other_kinds() -> Iterator[str]:
    """The table of the kinds other than consumer groups, each value with its proven bound."""
    heads = ["worst of the other kinds", *(f"{m} x {p}" for m, p in SIZES[:OTHERS_SIZES])]
    yield row(heads[0], list(heads[1:]))
    yield "|" + " --- |" * len(heads)
    for rule, badness in OTHERS:
        found = cases(rule, Badness(badness), OTHERS_SIZES)
        values = [
            str(case.value) if case.bound is None else f"{case.value} of {case.bound}" for case in found
        ]
        yield row(f"{badness} of {rule}", list(values))


def row(rule: str, values: list[object]) -> str:
    """A line of the table."""
    return f"| {rule} | {' | '.join(map(str, values))} |"


def page() -> str:
    """The page."""
    lines = [_HEAD, row("rule", [f"{m} x {p}" for m, p in SIZES]), "|" + " --- |" * (len(SIZES) + 1)]
    lines += [row(rule, [case.value for case in cases(rule)]) for rule in RULES]
    bounds: list[object] = [GroupSearch().bound(Badness.GAP, size) for size in SIZES]
    lines.append(row("proven: at most", bounds))
    return "\n".join([*lines, _BETWEEN, *of_other_kinds()]) + "\n" + _TAIL


if __name__ == "__main__":
    sys.stdout.write(page())
