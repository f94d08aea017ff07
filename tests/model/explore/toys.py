"""Models that need no Kafka: small graphs written down, and graphs drawn by Hypothesis."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, permutations

from hypothesis import strategies as st

from kassay.model.explore.values import Action


def act(name, actor="a", **more):
    return Action(actor, name, **more)


@dataclass
class Toy:
    """A graph by hand: `arrows` maps a state to its (action, state) pairs; `good` states are converged."""

    arrows: dict
    good: frozenset = frozenset()
    starts: tuple = (0,)

    def initial(self):
        return self.starts

    def steps(self, state):
        return self.arrows.get(state, [])

    def canonical(self, state):
        return state

    def converged(self, state):
        return state in self.good


def chain(*states, **more):
    """One state after the other, converged at the end."""
    arrows = {a: [(act(f"to {b}"), b)] for a, b in pairwise(states)}
    return Toy(arrows, frozenset(states[-1:]), states[:1], **more)


@dataclass
class Counter(Toy):
    """Counts for ever."""

    arrows: dict = field(default_factory=dict)

    def steps(self, state):
        return [(act("one more"), state + 1)]


@dataclass
class Clients(Toy):
    """Interchangeable clients, each walking the same arrows by itself; a state lists where each one is."""

    arrows: dict
    good: frozenset = frozenset()
    count: int = 3

    def initial(self):
        return [(0,) * self.count]

    def steps(self, state):
        return [
            (action._replace(actor=f"c{c + 1}"), (*state[:c], after, *state[c + 1 :]))
            for c, place in enumerate(state)
            for action, after in self.arrows.get(place, [])
        ]

    def converged(self, state):
        return set(state) <= self.good


def in_order(state):
    """The representative under all ways to rename clients."""
    return tuple(sorted(state))


def renamings(state):
    return set(permutations(state))


@st.composite
def graphs(draw, states_max=7):
    """Any graph: each state with up to three arrows, some of them faults, some unfair, two actors."""
    count = draw(st.integers(1, states_max))
    arrows = {}
    for state in range(count):
        targets = draw(st.lists(st.integers(0, count - 1), max_size=3))
        arrows[state] = [
            (
                Action(
                    draw(st.sampled_from("ab")),
                    f"{turn}",
                    fault=draw(st.booleans()),
                    fair=draw(st.booleans()),
                    disturbs=draw(st.booleans()),
                    rounds=draw(st.integers(0, 1)),
                ),
                target,
            )
            for turn, target in enumerate(targets)
        ]
    return Toy(arrows, frozenset(draw(st.sets(st.integers(0, count - 1)))))
