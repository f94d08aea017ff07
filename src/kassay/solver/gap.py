"""The distance of an answer from the certified optimum, in figures common to all families of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


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
