"""Instances as targets are asked them: what a target makes of one, next to the optimum.

An instance is played as a history that only starts: members join with what the instance says they own. What
counts is the answer (eager), or the assignment once nothing changes any more (cooperative, Streams tasks),
counted from the owners before the first round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.solver.gap import AnyOptimum, AnyProblem, Gap

A = TypeVar("A")
G = TypeVar("G")


class ToldInstance(NamedTuple):
    """A step as traces keep it, and the optimum in the form of its answer; `about` says what it is of.

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
    """What a target made of an instance: its answer or why there is none, in how many rounds and seconds."""

    answer: A | None
    failure: str | None
    rounds: int
    seconds: float


class Missed(NamedTuple):
    """An instance without a gap, and why."""

    name: str
    reason: str


class AskedInstance(NamedTuple):
    """The gap of a target on an instance, or why there is none, after so many rounds and seconds.

    `telling` makes what a board of it shows, None where there was no answer.
    """

    gap: Gap[AnyProblem, AnyOptimum] | Missed
    rounds: int
    seconds: float
    telling: Telling | None = None


Asking = Callable[[NewTarget, RebalanceProtocol], AskedInstance]
"""Puts an instance to a target that speaks the protocol."""


class How(NamedTuple):
    """How optima are searched: the solver, the order of the goals, and a limit in seconds or none."""

    solver: str
    order: tuple[str, ...]
    seconds: float | None

    def flow_only(self, what: str) -> None:
        """Raise `InputError` where another solver is wanted."""
        if self.solver != "flow":
            raise InputError(f"--solver: {self.solver} does not take {what}, expected flow")


def gap_of_played(name: str, played: PlayedInstance[A], gap_of: Callable[[A], G]) -> G | Missed:
    """The gap of an answer, or why there is none."""
    if played.answer is None:
        return Missed(name, played.failure or "no answer")
    try:
        return gap_of(played.answer)
    except InputError as error:
        return Missed(name, f"no assignment: {error}")
