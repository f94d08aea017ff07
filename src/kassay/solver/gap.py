"""How far an answer is from the certified optimum, in the figures that all families of instances share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


class AnyProblem(Protocol):
    """What a problem of any family has."""

    @property
    def name(self) -> str:
        """What the instance is called."""


class AnyOptimum(Protocol):
    """What an optimum of any family has: loads ascending, units moved, units away from their rack."""

    @property
    def loads(self) -> tuple[int, ...]: ...  # noqa: D102  # said of the class
    @property
    def moved(self) -> int: ...  # noqa: D102  # likewise
    @property
    def rack_mismatch(self) -> int: ...  # noqa: D102  # likewise


class Least(NamedTuple):
    """The optimum's side of a gap where the solver's own result has other names for it."""

    loads: tuple[int, ...]
    moved: int
    rack_mismatch: int = 0


P_co = TypeVar("P_co", bound=AnyProblem, covariant=True)
B_co = TypeVar("B_co", bound=AnyOptimum, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Gap(Generic[P_co, B_co]):
    """An answer's distance to the optimum; None is "not judged". `missing` units were left out.

    `loads` are those of the answer, ascending; `moved` is in the family's unit: partitions, copies taken
    back, or what restores and changes of process cost.
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
