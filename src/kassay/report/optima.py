"""Optima and checked certificates, described for a page and a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.engines.optimum.solve import OptimumLine, line_of
from kassay.report.blocks import Block, BreakBlock, Described, RowsBlock, TextBlock, VerdictBlock
from kassay.writing.text import counted

_LOOKS: Final = {"optimal": "ok", "interval": "warn", "unknown": "warn", "infeasible": "bad"}
_ROWS_MAX: Final = 500
"""The maximum number of instances, members and goals that a page shows."""


def optima_described(results: Sequence[Mapping[str, Any]]) -> Described:
    """One optimum in full, or several in a row each."""
    lines = [line_of(result) for result in results]
    blocks = _single(lines[0], results[0]) if len(lines) == 1 else _several(lines)
    return Described("certified optimum", (tuple(blocks),))


def _single(line: OptimumLine, result: Mapping[str, Any]) -> list[Block]:
    said = f"{line.moved:,} moved, {line.rack_mismatch:,} rack mismatches" if line.answered else line.why
    blocks: list[Block] = [
        VerdictBlock(line.status.capitalize(), _LOOKS[line.status], line.name, said, line.bound)
    ]
    blocks += [TextBlock(sentence, name="why") for sentence in result.get("why_not_better", ())]
    if line.goals:
        goals = tuple(
            (goal.goal, _text(goal.value), _text(goal.bound), "yes" if goal.proven else "no")
            for goal in line.goals[:_ROWS_MAX]
        )
        blocks += [BreakBlock(), RowsBlock(("goal", "value", "bound", "proven"), goals)]
    if line.assignment:
        members = tuple(
            (member, str(sum(map(len, topics.values()))), _partitions(topics))
            for member, topics in [*line.assignment.items()][:_ROWS_MAX]
        )
        blocks += [BreakBlock(), RowsBlock(("member", "load", "is given"), members, ("load",))]
    return blocks


def _several(lines: Sequence[OptimumLine]) -> list[Block]:
    counts = Counter(line.status for line in lines)
    look = "ok" if set(counts) <= {"optimal"} else "warn"
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"
    rows = tuple(
        (line.name, line.status, str(line.moved), str(line.rack_mismatch), f"{line.seconds:.3f}")
        for line in lines[:_ROWS_MAX]
    )
    columns = ("instance", "status", "moved", "racks", "s")
    return [
        VerdictBlock("Solved", look, counted(len(lines), "instance"), said),
        BreakBlock(),
        RowsBlock(columns, rows, columns[2:]),
    ]


def _partitions(topics: Mapping[str, Sequence[int]]) -> str:
    return " ".join(f"{topic}-{number}" for topic, numbers in topics.items() for number in numbers) or "-"


def _text(value: int | Sequence[int] | None) -> str:
    """A number, or sorted loads with their middle left out."""
    if value is None:
        return "-"
    if not isinstance(value, Sequence):
        return f"{value:,}"
    shown = [*value[:8], *(["..."] if len(value) > 8 else [])]
    return " ".join(map(str, shown))
