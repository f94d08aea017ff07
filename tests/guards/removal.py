"""What comes of it when a guard is removed: which world, genuine trace or test notices first."""

import importlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from tests.guards.catalogue import Guard, Removing, Watching, compiled, install, modules, name_of, sites
from tests.guards.rows import REMOVED, remove_row, rows, watch_rows
from tests.guards.suites import UnitTest, first_to_fail, outcomes
from tests.guards.worlds import Trace, World, breach

Judge: TypeAlias = World | Trace | UnitTest
Outcome: TypeAlias = tuple[str, int, bool]
"""A condition, by its module and number in it, and what it came to; of a row its table and number, and True."""


class Came(NamedTuple):
    """What came of a removal: which judge noticed, how it shows, and the states until then."""

    by: str
    how: str
    states: int = 0


NOT_MET = "not met"
"""No listed walk, trace or test asks the condition with the outcome that the removal changes."""
UNNOTICED = "unnoticed, the walks have as many states as with it"
OTHER_STATES = "unnoticed, with other states in"
IN_NO_WALK = "unnoticed, in no listed walk"
GIVEN_UP = 5
"""Tests that take so many times as long as with the guard in place are given up: they have not noticed."""
FAILS = "fails"
"""How a test notices."""


def module_of(path: Path) -> ModuleType:
    """The imported module of a file."""
    return importlib.import_module(f"kassay.model.protocols.{name_of(path).removesuffix('.__init__')}")


def _watched() -> set[Outcome]:
    """In a fork: have all conditions and rows watched; what they came to is added to the set."""
    met: set[Outcome] = set()
    numbers = {place.guard: number for number, place in enumerate(rows())}

    def watch(module: str, number: int, value: Any) -> Any:
        met.add((module, number, bool(value)))
        return value

    for path in modules():
        module = module_of(path)
        vars(module)[Watching.WATCH] = watch
        install(module, compiled(path, Watching(name_of(path))))
    watch_rows(lambda guard: met.add((REMOVED, numbers[guard], True)))
    return met


def outcomes_in(judges: Sequence[World | Trace]) -> list[tuple[int, list[Outcome]]]:
    """In a fork: which conditions each world or trace asks, with which outcomes, and the states of the world."""
    met = _watched()
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


def outcomes_in_tests() -> list[tuple[str, float, list[Outcome]]]:
    """In a fork: the same of the collected tests, with the seconds of each; those that fail are left out."""
    met = _watched()
    asked: list[tuple[str, float, list[Outcome]]] = []
    for test, failed in outcomes():
        if not failed:
            asked.append((test.name, test.seconds, sorted(met)))
        met.clear()
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
        self._sites |= {
            place.guard: (REMOVED, number, frozenset((True,))) for number, place in enumerate(rows())
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
    """In a fork: take the guard out of the running code, and what it answered out of its caches."""
    if guard.removed == REMOVED:
        remove_row(guard)
        return
    for path in modules():
        module = module_of(path)
        if name_of(path) == guard.module:
            install(module, compiled(path, Removing(guard.module, guard)))
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def come_of(judge: World | Trace, states: int) -> Came:
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


def _likeliest(guard: Guard, tests: list[UnitTest], seconds: float) -> list[str]:
    """The tests that take so long together, those of the guard's module first, and of these the quickest.

    Before them comes that of a switch that the guard asks.
    """
    folders, name = guard.module.rpartition(".")[::2]
    mirrored = f"{folders.replace('.', '/')}/test_{name}.py::"
    of_switch = [test for test in tests if f"'{test.name.rpartition('[')[2][:-1]}'" in guard.text]
    others = sorted((mirrored not in test.name, test.seconds, test.name) for test in tests)
    spent = accumulate(taken for _, taken, _ in others)
    return [test.name for test in of_switch] + [
        name for (*_, name), so_far in zip(others, spent) if so_far <= seconds
    ]


def judged(
    guard: Guard, judges: Mapping[Judge, int], states_max: int, traces_max: int, tests_s: float = 0
) -> Came:
    """In a fork: the first world that notices, or trace, or test; else whether any walk was another.

    `judges` has the states of each world with every guard in place. Worlds are walked until they have
    `states_max` of these together; the likeliest tests are run, for `tests_s` seconds together.
    """
    remove(guard)
    worlds = [judge for judge in judges if isinstance(judge, World)]
    nothing = Came("", UNNOTICED if worlds else IN_NO_WALK)
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
    names = _likeliest(guard, [judge for judge in judges if isinstance(judge, UnitTest)], tests_s)
    noticed = first_to_fail(names, GIVEN_UP * max(1, tests_s)) if tests_s else ""
    return Came(noticed, FAILS) if noticed else nothing
