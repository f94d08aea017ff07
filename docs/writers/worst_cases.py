"""Writes `docs/worst-cases.md`: how the worst case of each rule grows with the size.

`python docs/writers/worst_cases.py > docs/worst-cases.md`, some minutes.
"""

from __future__ import annotations

import sys
from typing import Final

from kassay.certify.hunts.worst import Badness, WorstCase, bound_of, worst_case
from kassay.certify.runs.options import RunOptions
from kassay.certify.targets.resolve import resolve

RULES: Final = ("range", "roundrobin", "server-range", "uniform", "sticky", "cooperative-sticky")
SIZES: Final = ((2, 2), (3, 3), (4, 6), (6, 8), (8, 12), (12, 24))
STEPS: Final = 80
_HEAD: Final = """# How the worst case of a rule grows

The worst balance gap (sum of squared loads less the least possible) that `kassay hunt --worst gap` finds for
groups of so many members and partitions. What is found is real, and there may be worse; the last row is a
proven upper bound, whatever the rule. `docs/gap-study.md` has what is usual, this page what is possible.
"""
_TAIL: Final = """
`range` and `server-range` come to the bound at each of these sizes: one member has all, and the gap grows
with the square of the partitions. Round robin's grows as well. The rules that balance by single moves
(KIP-54) are stuck where a chain of moves would help: that takes three members, and stairs are worse, where
each member had one partition more than the one before it, in a topic that these two read. Their gap grows
with the length of the stairs, and adds up over groups that share nothing. How that goes on with longer chains
is in `kassay gap TARGET --hunt`.

Again: `kassay hunt --worst gap --size MxP --on RULE --steps 80`.
"""


def cases(rule: str) -> list[WorstCase]:
    """The worst cases of a rule, size by size."""
    return [worst_case(resolve(rule), Badness.GAP, size, RunOptions(), STEPS) for size in SIZES]


def row(rule: str, values: list[object]) -> str:
    """A line of the table."""
    return f"| {rule} | {' | '.join(map(str, values))} |"


def page() -> str:
    """The page."""
    lines = [_HEAD, row("rule", [f"{m} x {p}" for m, p in SIZES]), "|" + " --- |" * (len(SIZES) + 1)]
    lines += [row(rule, [case.value for case in cases(rule)]) for rule in RULES]
    bounds: list[object] = [bound_of(resolve("range"), Badness.GAP, size) for size in SIZES]
    lines.append(row("proven: at most", bounds))
    return "\n".join(lines) + "\n" + _TAIL


if __name__ == "__main__":
    sys.stdout.write(page())
