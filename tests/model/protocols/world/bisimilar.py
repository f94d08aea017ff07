"""Worlds and their representatives, held to do the same for ever to whoever judges a walk."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.engines.protocols.views import views_of
from kassay.model.explore.search import explore
from kassay.model.explore.values import Action, Invariant, WalkLimits
from kassay.properties.protocols.logged import ONCE
from kassay.properties.protocols.registry import invariants

ID = re.compile(r"\b([A-Za-z]\w*)-\d+")
Steps = frozenset[tuple[int, int]]
"""What is seen of each step, by number, and the number of the representative that it leads to."""


@dataclass(frozen=True)
class Comparison:
    """Worlds as a step leaves them, beside the representatives that a walk goes on from.

    `runs`: worlds of runs that were never numbered anew, and whether these are all there are. `pairs`: worlds
    that differ from their representative, of runs or as a step of a representative leaves them; `differ`:
    those whose steps lead to other representatives than its own do, or are other steps; `left_out`:
    representatives that only such steps lead to, in no walk; `unlike`: worlds that whoever judges could tell
    from their representative, by some steps of either. Whether a number is given out twice is left out of that:
    it goes by which number it is, so a run may give one out some steps before or after its representative
    does. `twice_run` and `twice_walked` are what it says of all steps of either.
    """

    states: int
    runs: int
    whole: bool
    pairs: int
    differ: int
    left_out: int
    unlike: int
    twice_run: frozenset[str]
    twice_walked: frozenset[str]


@dataclass
class _Seen:
    """Worlds by number, what is seen of each, and its steps to representatives."""

    model: Any
    judged: Sequence[Invariant[Any]]
    once: Invariant[Any]
    numbers: dict[Any, int] = field(default_factory=dict)
    worlds: list[Any] = field(default_factory=list)
    looks: dict[Hashable, int] = field(default_factory=dict)
    steps: list[Steps] = field(default_factory=list)

    def number(self, world: Any) -> int:
        """The world's number, the next one if it is new."""
        number = self.numbers.setdefault(world, len(self.worlds))
        if number == len(self.worlds):
            self.worlds.append(world)
        return number

    def look(self, seen: Hashable) -> int:
        """A number for what is seen: of a world, or of a step."""
        return self.looks.setdefault(seen, len(self.looks))

    def of_world(self, world: Any) -> int:
        """What invariants say of a world by itself, and whether runs may rest in it."""
        said = {(i.name, f.severity) for i in self.judged if i.check for f in i.check(world) or ()}
        return self.look((frozenset(said), self.model.converged(world)))

    def of_step(self, before: Any, action: Action, after: Any) -> int:
        """What invariants, fairness and the bounds of convergence go by; of member ids, whose they are."""
        said = frozenset(self._said(before, after))
        flags = (action.fault, action.fair, action.disturbs, action.rounds)
        return self.look((action.actor, ID.sub(r"\1", action.name), flags, said))

    def twice(self, worlds: Iterable[Any]) -> frozenset[str]:
        """How severe it is, in any step of the worlds, that a number is given out twice."""
        pairs = ((world, after) for world in worlds for _, after in self.model.steps(world))
        return frozenset(said for each in pairs for _, said in self._said(*each, [self.once]))

    def _said(
        self, before: Any, after: Any, judged: Sequence[Invariant[Any]] = ()
    ) -> Iterator[tuple[str, str]]:
        if before is after:
            return
        for invariant in judged or self.judged:
            if invariant.check_step and (invariant.relevant is None or invariant.relevant(before, after)):
                for finding in invariant.check_step(before, after) or ():
                    yield invariant.name, finding.severity

    def of(self, world: Any) -> tuple[Steps, set[Any]]:
        """The steps of a world to representatives, and the worlds as these steps leave them."""
        found, raw = set(), set()
        for action, after in self.model.steps(world):
            found.add((self.of_step(world, action, after), self.number(self.model.canonical(after))))
            raw.add(after)
        return frozenset(found), raw


def compared(model: Any, runs_max: int = 0) -> Comparison:
    """Whether numbering anew changes what can be seen, by the coarsest bisimulation.

    Its nodes are all representatives, those that only a world's steps lead to as well, and the worlds that
    differ from theirs. If no world is unlike its representative, each run can be followed in the walk,
    and the walk in a run, step by step, for ever: a step of the one is seen as a step of the other, and
    they lead to worlds whose representatives are bisimilar. That is asked of the worlds that a step of a
    representative leaves, and of those of whole runs, breadth first, up to `runs_max`.
    """
    judged = {invariant.name: invariant for invariant in invariants(views_of(model))}
    once = judged.pop(ONCE)
    seen = _Seen(model, [*judged.values()], once)
    for state in explore(model, budget=WalkLimits(None), check_liveness=False).graph.states:
        seen.number(state)
    states = len(seen.worlds)
    others: dict[Any, Steps] = {}
    runs, whole = _runs(seen, others, runs_max)
    twice_run, twice_walked = seen.twice([*others]), seen.twice(seen.worlds[:states])
    while len(seen.steps) < len(seen.worlds):
        steps, left = seen.of(seen.worlds[len(seen.steps)])
        seen.steps.append(steps)
        for world in left:
            if world not in others and world not in seen.numbers:
                others[world] = seen.of(world)[0]
    own = {world: seen.number(model.canonical(world)) for world in others}
    pairs = [world for world in others if seen.worlds[own[world]] != world]
    differ = [world for world in pairs if others[world] != seen.steps[own[world]]]
    looks = [seen.of_world(world) for world in (*seen.worlds, *pairs)]
    classes = _classes(looks, [*seen.steps, *(others[world] for world in pairs)])
    unlike = sum(kind != classes[own[world]] for kind, world in zip(classes[len(seen.worlds) :], pairs))
    left_out = len(seen.worlds) - states
    return Comparison(states, runs, whole, len(pairs), len(differ), left_out, unlike, twice_run, twice_walked)


def _runs(seen: _Seen, others: dict[Any, Steps], runs_max: int) -> tuple[int, bool]:
    """How many worlds of runs were added, each with its steps, and whether there are no more."""
    queue = list(seen.model.initial() if runs_max else ())
    met = set(queue)
    for world in queue:
        if len(others) == runs_max:
            return runs_max, False
        others[world], left = seen.of(world)
        queue += left - met
        met |= left
    return len(others), runs_max > 0


def _classes(looks: Sequence[int], steps: Sequence[Steps]) -> list[int]:
    """The classes of the coarsest bisimulation, by number."""
    classes, count = list(looks), len(set(looks))
    while True:
        ids: dict[Hashable, int] = {}
        classes = [
            ids.setdefault((own, frozenset((seen, classes[to]) for seen, to in after)), len(ids))
            for own, after in zip(classes, steps, strict=True)
        ]
        if len(ids) == count:
            return classes
        count = len(ids)
