"""The loads of a frame as bars, each with a mark where another answer has it; and values before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from kassay.kinds.frames import Frame, Grid, Row
from kassay.model.trace import Trace
from kassay.writing.text import series

ROWS_MAX: Final = 4
"""The maximum number of bars next to a sentence: rows that the evidence names, the fullest, the emptiest."""


class LoadBar(NamedTuple):
    """A row with its load; `width` and `best` are in per cent, `best` None where it is unknown."""

    name: str
    load: int
    width: float
    best: float | None
    guilty: bool


class LoadBars(NamedTuple):
    """Bars on one scale; `spoken` says them in words."""

    rows: tuple[LoadBar, ...]
    left_out: int
    spoken: str


def load_bars(frame: Frame, most: int = ROWS_MAX) -> LoadBars | None:
    """The bars of a frame whose last column counts what each row has; None for others, and without two rows.

    The mark of a bar is the load that the alternative answer gives the same row.
    """
    loads = _loads(frame.table)
    if len(loads) < 2:
        return None
    other = frame.alternative
    best = {} if other is None or other.table is None else _loads(other.table)
    guilty = {row.name for row in frame.table.rows if row.guilty}
    top = max([*loads.values(), *best.values(), 1])
    order = sorted(loads, key=lambda name: (name not in guilty, -loads[name]))
    kept = order if len(order) <= most else [*order[: most - 1], order[-1]]
    rows = tuple(_bar(name, loads, best, top, name in guilty) for name in loads if name in kept)
    spoken = "loads " + ", ".join(f"{row.name} {row.load}" for row in rows)
    if best:
        optimum = "optimum" if other is not None and "optimum" in other.title else "another answer"
        spoken += f"; {optimum} " + ", ".join(f"{row.name} {best.get(row.name, 0)}" for row in rows)
    return LoadBars(rows, len(loads) - len(rows), spoken)


def _bar(name: str, loads: Mapping[str, int], best: Mapping[str, int], top: int, guilty: bool) -> LoadBar:
    mark = None if not best else round(100 * best.get(name, 0) / top, 2)
    return LoadBar(name, loads[name], round(100 * loads[name] / top, 2), mark, guilty)


def _loads(table: Grid) -> dict[str, int]:
    """The load of each row, if its last column is a number."""
    return {row.name: int(number) for row in table.rows if (number := _number(row)) is not None}


def _number(row: Row) -> str | None:
    last = row.cells[-1] if row.cells else None
    return last.text if last is not None and last.numeric and last.text.isdigit() else None


def change_of(trace: Trace) -> tuple[tuple[str, str], ...]:
    """What the first evidence says changed from one call to the next: (name, value) twice; else nothing."""
    facts: Mapping[str, Any] = trace.broken[0]["facts"] if trace.broken else {}
    if not {"first", "then"} <= facts.keys():
        return ()
    return tuple((name, series(_listed(facts[name]))) for name in ("first", "then"))


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else [value]
