"""Walks of toys by several shards, in this process or in others."""

from kassay.model.explore.parallel import Crew, first_levels, put_together, shared_out
from kassay.model.explore.search import Search, concluded
from kassay.model.explore.shard import Shard, WalkShare
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Parts
from kassay.model.explore.values import Finding, Invariant, Severity, WalkLimits
from tests.model.explore.toys import Toy, act


def odd(state):
    return [Finding(Severity.REAL, f"{state} is odd")] if state % 2 else []


def rises(before, after):
    return [Finding(Severity.ZOMBIE, "up")] if after > before else []


INVARIANTS = (Invariant("even", "even", odd), Invariant("falls", "falls", check_step=rises))


def shares_of(toy, invariants=INVARIANTS):
    parts = Parts(lambda state: (state,), lambda state: state[0], 1)
    return WalkShare(toy, invariants, parts, StateCodec(), lambda state: state * 7 // 2)


RING = Toy({n: [(act("on"), (n + 1) % 60), (act("leap"), n * 5 % 60)] for n in range(60)}, frozenset({3}))


def ring():
    """What each process makes for itself."""
    return shares_of(RING)


def broken():
    raise ValueError("no such ring")


class Here(Crew):
    """Shards of this process, told what to do one after the other."""

    def __init__(self, shards):
        super().__init__(shards[0], [])
        self.shards = shards

    def all(self, order, values):
        return [shard.obey(order, *each) for shard, each in zip(self.shards, values, strict=True)]


def explored_by(toy, count, budget=None, alone_most=0):
    """The walk of a toy by so many shards, and the shards."""
    budget = budget or WalkLimits()
    shares = shares_of(toy)
    search = Search(shares.model, shares.invariants, budget, None)
    levels = first_levels(search, alone_most)
    begun, names = shared_out(search.graph, levels, shares, count)
    crew = Here([Shard(shares_of(toy), number, count, budget) for number in range(count)])
    limit, graphs = crew.walk(begun)
    put_together(search, shares, graphs, names)
    return concluded(search, shares.invariants, limit or None), crew.shards
