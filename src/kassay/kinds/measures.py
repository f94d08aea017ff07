"""Outcomes of targets: compared with the certified best, on instances, and next to the rules that users know.

One outcome of a target, compared with the certified best.

Movement is judged only where the loads are optimal, rack locality only where the moves are the fewest as
well: the goals are lexicographic.

How targets answer instances, and how far each answer is from the optimum.

An instance is played as a history with a start and no further change: members join with the owned partitions
of the instance. What counts is the answer (eager), or the assignment once it is stable (cooperative, Streams
tasks); moves are counted from the owners before the first round.

Figures of a rule, next to those of the rules that users know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.solver.results import AnyOptimum, AnyProblem, Gap


class Measure(NamedTuple):
    """One outcome compared with the best: `members`, the `units` that they share, and the gaps.

    `equal`: every member may have every unit. `movement` and `rack` are None where they are not judged.
    """

    members: int
    units: int
    equal: bool
    balance: int
    spread: int
    moved: int
    moved_least: int
    movement: int | None = None
    rack: int | None = None


class MeasuredRest(NamedTuple):
    """What followed a change: its outcomes, None where there is no answer, and the rounds until stable.

    `rounds` is None where it never became stable.
    """

    measures: list[Measure | None]
    rounds: int | None


def measure_of(gap: Gap[AnyProblem, AnyOptimum], equal: bool) -> Measure | None:
    """A gap as a measure; None where some unit is unassigned."""
    if gap.balance is None or gap.spread is None:
        return None
    members, units = len(gap.best.loads), sum(gap.best.loads)
    return Measure(members, units, equal, gap.balance, gap.spread, gap.moved, gap.best.moved, gap.movement)


A = TypeVar("A")
G = TypeVar("G")


class ToldInstance(NamedTuple):
    """A step in the form of a trace, and the optimum in the form of its answer; `about` names the instance.

    `place` is that of the answer: the step, and the round in it where a step has rounds.
    """

    step: Mapping[str, Any]
    best: Mapping[str, Any]
    about: str
    place: tuple[int, int | None]


Telling = Callable[[], ToldInstance]
NewTarget = Callable[[Mapping[str, str]], Any]
"""Makes a configured object of a target."""


class PlayedInstance(NamedTuple, Generic[A]):
    """A target's answer to an instance, or why there is none, with the rounds and seconds it took."""

    answer: A | None
    failure: str | None
    rounds: int
    seconds: float


class Missed(NamedTuple):
    """An instance without a gap, and why."""

    name: str
    reason: str


class AskedInstance(NamedTuple):
    """The gap of a target on an instance, or why there is none, with its rounds and seconds.

    `telling` returns what a board shows of it; None where there was no answer.
    """

    gap: Gap[AnyProblem, AnyOptimum] | Missed
    rounds: int
    seconds: float
    telling: Telling | None = None


Asking = Callable[[NewTarget, RebalanceProtocol], AskedInstance]
"""Calls a target that speaks the protocol with an instance."""


class How(NamedTuple):
    """How to compute optima: the solver, the order of the goals, and a limit in seconds or none."""

    solver: str
    order: tuple[str, ...]
    seconds: float | None

    def flow_only(self, what: str) -> None:
        """Raise `InputError` for a solver other than the flow."""
        if self.solver != "flow":
            raise InputError(f"solver: {self.solver} does not take {what}, expected flow")


def gap_of_played(name: str, played: PlayedInstance[A], gap_of: Callable[[A], G]) -> G | Missed:
    """The gap of an answer, or why there is none."""
    if played.answer is None:
        return Missed(name, played.failure or "no answer")
    try:
        return gap_of(played.answer)
    except InputError as error:
        return Missed(name, f"no assignment: {error}")


@dataclass(frozen=True)
class Growth:
    """The load of each member, for a number of topics with four partitions, and the spread of the loads."""

    topics: int
    loads: tuple[int, ...]
    spread: int
    others: Mapping[str, int]


@dataclass(frozen=True)
class Leaving:
    """What each rule moves when the second of three members leaves.

    `needed` are the partitions of the member that leaves, `moved` all partitions whose owner changes.
    """

    topics: int
    partitions: int
    needed: Mapping[str, int]
    moved: Mapping[str, int]


class RuleFigures(NamedTuple):
    """The figures of a rule; empty where its kind has none."""

    growth: tuple[Growth, ...] = ()
    leaving: tuple[Leaving, ...] = ()
