"""Linear models with several objectives in lexicographic order, and their text in MPS.

The file of a level minimises one objective and fixes those before it by a constraint each. A convex cost of a
count is linear in unit steps: the n-th unit costs f(n) - f(n-1), which never falls, so a minimum takes the
cheap steps first, and their sum is f of the count.

*MPS*: the free form, an entry a line, names without spaces. An objective's constant is the negated right-hand
side of its row. Comments have the names that the instance uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.writing.files import json_text

COLUMNS_MOST: Final = 1_000_000
"""The most columns of a file."""
Terms = list[tuple[str, int]]


class Constraint(NamedTuple):
    """A constraint: the sum of the terms is equal to (`E`), at most (`L`) or at least (`G`) the bound."""

    terms: Terms
    sense: str
    bound: int


@dataclass(kw_only=True)
class Part:
    """Columns that are 0 or 1, others with their upper bounds, if any, and constraints."""

    whole: list[str] = field(default_factory=list)
    real: dict[str, int | None] = field(default_factory=dict)
    rows: list[Constraint] = field(default_factory=list)

    def column(self, name: str) -> str:
        """Add a column that is 0 or 1; returns its name. Raises `InputError` beyond the limit."""
        if len(self.whole) == COLUMNS_MOST:
            raise InputError(f"too large for MPS: expected at most {COLUMNS_MOST:,} columns")
        self.whole.append(name)
        return name

    def row(self, terms: Terms, sense: str, bound: int) -> None:
        """Add a constraint."""
        self.rows.append(Constraint(terms, sense, bound))

    def steps(self, name: str, count: Terms, costs: Sequence[int]) -> Terms:
        """The cost of a count whose n-th unit costs `costs[n - 1]`, never less than the one before."""
        units = [f"{name}_{n}" for n in range(1, len(costs) + 1)]
        self.real.update(dict.fromkeys(units, 1))
        self.row([*count, *((unit, -1) for unit in units)], "E", 0)
        return list(zip(units, costs, strict=True))


@dataclass
class Objective(Part):
    """An objective with what only it needs; `value` is its proven optimum, None if there is none."""

    name: str
    terms: Terms = field(default_factory=list)
    constant: int = 0
    value: int | None = None


class LinearModel(NamedTuple):
    """What the names stand for, the constraints, and the objectives in order."""

    legend: Sequence[str]
    constraints: Part
    levels: Sequence[Objective]


class Goals(dict[str, Mapping[str, Any]]):
    """The goals of a result by name, in order."""

    def __init__(self, goals: Iterable[Mapping[str, Any]]) -> None:
        super().__init__({goal["goal"]: goal for goal in goals})

    def proven(self, name: str) -> int | None:
        """The value of the goal if it is proven."""
        return self[name]["value"] if self[name]["proven"] else None


def squares(least: int, most: int) -> list[int]:
    """What units `least` + 1 to `most` add to the square of their number."""
    return [2 * n - 1 for n in range(least + 1, most + 1)]


def named(prefix: str, names: Iterable[object]) -> Iterator[str]:
    """Lines that say what the numbers in the names of columns stand for."""
    return (f"{prefix} {number}: {json_text(name, ascii_only=True)}" for number, name in enumerate(names))


def mps(model: LinearModel, number: int, name: str) -> Iterator[str]:
    """The lines of the file for the level at this position; the levels before it have values."""
    level, fixed = model.levels[number], model.levels[:number]
    parts = [model.constraints, *fixed, level]
    rows = [row for part in parts for row in part.rows] + [_fixing(each) for each in fixed]
    objective = level.name.replace(" ", "_")
    yield f"* {json_text(name, ascii_only=True)}: minimise {level.name}"
    yield from (f"* fixed: {each.name} = {each.value}" for each in fixed)
    yield from (f"* {line}" for line in model.legend)
    yield f"NAME {objective}"
    yield "ROWS"
    yield f" N {objective}"
    yield from (f" {row.sense} c{n}" for n, row in enumerate(rows))
    yield "COLUMNS"
    yield from _columns(
        parts, [(objective, level.terms), *((f"c{n}", row.terms) for n, row in enumerate(rows))]
    )
    yield "RHS"
    if level.constant:
        yield f" rhs {objective} {-level.constant}"
    yield from (f" rhs c{n} {row.bound}" for n, row in enumerate(rows) if row.bound)
    yield "BOUNDS"
    for part in parts:
        yield from (f" UP bound {column} 1" for column in part.whole)
        yield from (f" UP bound {column} {most}" for column, most in part.real.items() if most is not None)
    yield "ENDATA"


def _fixing(level: Objective) -> Constraint:
    """The constraint that keeps a level at its value, in the smallest whole numbers."""
    assert level.value is not None
    bound = level.value - level.constant
    unit = gcd(bound, *(factor for _, factor in level.terms)) or 1
    return Constraint([(name, factor // unit) for name, factor in level.terms], "E", bound // unit)


def _columns(parts: Sequence[Part], rows: Iterable[tuple[str, Terms]]) -> Iterator[str]:
    """The entries column by column, those of whole columns between markers."""
    entries: dict[str, dict[str, int]] = {name: {} for part in parts for name in (*part.whole, *part.real)}
    for row, terms in rows:
        for name, factor in terms:
            entries[name][row] = entries[name].get(row, 0) + factor
    yield " whole 'MARKER' 'INTORG'"
    for part in parts:
        yield from _entries(part.whole, entries)
    yield " whole 'MARKER' 'INTEND'"
    for part in parts:
        yield from _entries(part.real, entries)


def _entries(names: Iterable[str], entries: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for name in names:
        yield from (f" {name} {row} {factor}" for row, factor in entries[name].items())
