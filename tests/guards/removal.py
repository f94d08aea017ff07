"""What comes of it when a guard is removed: which world, or which genuine trace, notices first."""

import importlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from tests.guards.catalogue import Guard, Removing, Watching, compiled, install, modules, name_of, sites
from tests.guards.worlds import Trace, World, breach

Judge: TypeAlias = World | Trace
Outcome: TypeAlias = tuple[str, int, bool]
"""A condition, by its module and number in it, and what it came to."""


class Came(NamedTuple):
    """What came of a removal: which judge noticed, how it shows, and the states until then."""

    by: str
    how: str
    states: int = 0


NOT_MET = "not met"
"""No listed walk and no trace asks the condition with the outcome that the removal changes."""
UNNOTICED = "unnoticed, the walks have as many states as with it"
OTHER_STATES = "unnoticed, with other states in"
UNNOTICED_BY_TRACES = "unnoticed by traces, in no listed walk"


def module_of(path: Path) -> ModuleType:
    """The imported module of a file."""
    return importlib.import_module(f"kassay.model.protocols.{name_of(path).removesuffix('.__init__')}")


def outcomes_in(judges: Sequence[Judge]) -> list[tuple[int, list[Outcome]]]:
    """In a fork: which conditions each world or trace asks, with which outcomes, and the states of the world."""
    met: set[Outcome] = set()

    def watch(module: str, number: int, value: Any) -> Any:
        met.add((module, number, bool(value)))
        return value

    for path in modules():
        module = module_of(path)
        vars(module)[Watching.WATCH] = watch
        install(module, compiled(path, Watching(name_of(path))))
    asked = []
    for judge in judges:
        met.clear()
        states = 0
        if isinstance(judge, World):
            states = judge.walk().exploration.states
        elif judge.difference():
            raise ValueError(f"{judge.name} fails with every guard in place")
        asked.append((states, sorted(met)))
    return asked


class Met:
    """Which judges can notice the removal of a guard: those that ask it with an outcome that is changed."""

    def __init__(self) -> None:
        self._states: dict[Judge, int] = {}
        self._asked: dict[tuple[str, int], dict[Judge, set[bool]]] = defaultdict(dict)
        self._sites = {
            guard: (name_of(path), number, matters)
            for path in modules()
            for number, site in enumerate(sites(path))
            for guard, matters in site.guards
        }

    def add(self, judge: Judge, states: int, outcomes: Iterable[Outcome]) -> None:
        """Remember what a judge asks, and how many states a world has."""
        self._states[judge] = states
        for module, number, outcome in outcomes:
            self._asked[module, number].setdefault(judge, set()).add(outcome)

    def by(self, guard: Guard) -> dict[Judge, int]:
        """The judges of a guard with their states, in the order in which they were added."""
        module, number, matters = self._sites[guard]
        return {
            judge: self._states[judge]
            for judge, outcomes in self._asked[module, number].items()
            if outcomes & matters
        }


def remove(guard: Guard) -> None:
    """In a fork: take the guard out of the running code."""
    for path in modules():
        if name_of(path) == guard.module:
            install(module_of(path), compiled(path, Removing(guard.module, guard)))


def come_of(judge: Judge, states: int) -> Came:
    """What a world or trace says of the code as it is now; `by` is "" if it says nothing against it."""
    name = judge.name if isinstance(judge, Trace) else judge.command
    try:
        if isinstance(judge, Trace):
            difference = judge.difference()
            return Came(name, difference.partition(":")[0]) if difference else Came("", UNNOTICED)
        how, reached = breach(judge, states)
    except Exception as problem:  # whatever a walk raises without the guard, it has noticed
        return Came(name, f"raises {type(problem).__name__}")
    if how:
        return Came(name, how, reached)
    return Came("", UNNOTICED if reached == states else f"{OTHER_STATES} {name}: {reached} and not {states}")


def judged(guard: Guard, judges: Mapping[Judge, int], states_max: int, traces_max: int) -> Came:
    """In a fork: the first world that notices, or else the first trace; else whether any walk was another.

    `judges` has the states of each world with every guard in place. Worlds are walked until they have
    `states_max` of these together.
    """
    remove(guard)
    worlds = [judge for judge in judges if isinstance(judge, World)]
    nothing = Came("", UNNOTICED if worlds else UNNOTICED_BY_TRACES)
    for world, walked in zip(worlds, accumulate(judges[world] for world in worlds)):
        if walked > states_max:
            break
        came = come_of(world, judges[world])
        if came.by:
            return came
        if nothing.how == UNNOTICED:
            nothing = came
    for trace in [judge for judge in judges if isinstance(judge, Trace)][:traces_max]:
        if (came := come_of(trace, 0)).by:
            return came
    return nothing
