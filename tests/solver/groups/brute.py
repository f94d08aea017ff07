"""Every assignment of a small problem, and what is best among them: the naive oracle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kassay.solver.algorithms.splitmix import SplitMix
from kassay.solver.check.balance import MOVEMENT_FIRST, ORDERS
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import Document
from kassay.solver.results import NO_OWNER

Owners = dict[str, tuple[int, ...]]
Value = tuple[list[int], int, int]


def assignments(problem: Problem) -> Iterator[Owners]:
    """All of them; co-partitioned topics have the same owners."""
    bundles = problem.bundles
    rows = [product(problem.subscribers[bundle[0].name], repeat=bundle[0].partitions) for bundle in bundles]
    for combination in product(*rows):
        yield {topic.name: row for bundle, row in zip(bundles, combination) for topic in bundle}


def value(problem: Problem, owners: Owners, order: tuple[str, ...]) -> Value:
    """What the order compares: loads, heaviest first, then movement and rack as it says."""
    loads = [0] * len(problem.members)
    moved = wrong = 0
    for topic in problem.topics:
        for p, m in enumerate(owners.get(topic.name, ())):
            loads[m] += 1
            moved += problem.previous[topic.name][p] not in (NO_OWNER, m)
            known = topic.racks[p] if topic.racks else frozenset()
            wrong += bool(known) and problem.members[m].rack not in known
    rest = (moved, wrong) if order == MOVEMENT_FIRST else (wrong, moved)
    return sorted(loads, reverse=True), *rest


def best(problem: Problem) -> dict[tuple[str, ...], Value]:
    """The best value in each order."""
    found: dict[tuple[str, ...], Value] = {}
    for owners in assignments(problem):
        for order in ORDERS:
            mine = value(problem, owners, order)
            if order not in found or mine < found[order]:
                found[order] = mine
    return found


def small(seeds: range) -> Iterator[Document]:
    """Instances of the small suite's shapes and sizes, from these seeds."""
    for seed in seeds:
        for shape in ("shuffle", "groups", "random", "nested", "racks", "leave"):
            rng = SplitMix("small", shape, seed)
            members, partitions, topics = rng.between(2, 4), rng.between(2, 7), rng.between(1, 3)
            yield consumer(shape, seed, members=members, partitions=partitions, topics=topics, change=1)
