"""What every solver returns: its result as a line of JSON, and the gap of an answer.

The distance of an answer from the certified optimum, in figures common to all families of instances.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from kassay.model.errors import InputError, KassayError
from kassay.solver.check.balance import ORDERS

NO_OWNER: Final = -1
"""The owner of a partition that no member owns."""


def parse_order(text: str) -> tuple[str, ...]:
    """The order that a user writes as `balance,movement,rack`; raises `InputError` for any other text."""
    order = tuple(part.strip() for part in text.split(","))
    if order not in ORDERS:
        raise InputError(f"--order: found {text!r}, expected {' or '.join(map(','.join, ORDERS))}")
    return order


class OutOfTimeError(KassayError):
    """The time limit is over and there is no answer."""


class InfeasibleError(InputError):
    """No assignment obeys the limits of the instance; `witness` are the members that show it."""

    def __init__(self, message: str, witness: Iterable[int]) -> None:
        super().__init__(message)
        self.witness = tuple(sorted(witness))


class Solved(NamedTuple):
    """A certificate with the other fields of a result: the figures that its checker derives, and more."""

    certificate: dict[str, Any]
    figures: Mapping[str, Any]


def result(name: str, solved: Solved, began: float) -> dict[str, Any]:
    """The line of `kassay optimum --json` for a solved instance."""
    return {
        "name": name,
        "family": solved.certificate["instance"]["family"],
        "status": solved.figures["status"],
        **solved.figures,
        "assignment": solved.certificate["assignment"],
        "certificate": solved.certificate,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def no_result(document: dict[str, Any], status: str, why: str, began: float) -> dict[str, Any]:
    """The line for an instance without an assignment, with the reason."""
    nothing = dict.fromkeys(("lower", "upper", "bound", "assignment", "certificate"))
    return {
        "name": str(document.get("name") or "unnamed"),
        "family": document.get("family"),
        "status": status,
        "why": why,
        **nothing,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


class AnyProblem(Protocol):
    """What problems of all families have in common."""

    @property
    def name(self) -> str:
        """The name of the instance."""


class AnyOptimum(Protocol):
    """The common part of all families' optima: loads ascending, units moved, units away from their rack."""

    @property
    def loads(self) -> tuple[int, ...]: ...  # noqa: D102  # said of the class
    @property
    def moved(self) -> int: ...  # noqa: D102  # said of the class
    @property
    def rack_mismatch(self) -> int: ...  # noqa: D102  # said of the class


class Least(NamedTuple):
    """The optimum's side of a gap where the solver's result uses other names."""

    loads: tuple[int, ...]
    moved: int
    rack_mismatch: int = 0


P_co = TypeVar("P_co", bound=AnyProblem, covariant=True)
B_co = TypeVar("B_co", bound=AnyOptimum, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Gap(Generic[P_co, B_co]):
    """An answer's distance to the optimum; None is "not judged". `missing` units were left out.

    `loads` are those of the answer, ascending; `moved` is in the family's unit: partitions, revoked copies,
    or the cost of restores and changes of process.
    """

    problem: P_co
    best: B_co
    loads: tuple[int, ...]
    moved: int
    missing: int
    rack_mismatch: int = 0
    balance: int | None = None
    spread: int | None = None
    movement: int | None = None
    rack: int | None = None

    def document(self) -> dict[str, Any]:
        """The gap as JSON."""
        return {
            "name": self.problem.name,
            "loads": list(self.loads),
            "optimal_loads": list(self.best.loads),
            **{name: getattr(self, name) for name in ("moved", "rack_mismatch", "missing")},
            **{goal: getattr(self, goal) for goal in ("balance", "spread", "movement", "rack")},
        }
