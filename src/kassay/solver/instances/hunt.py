"""Instances on which a rule may be far from the optimum, smallest first.

A rule that makes one move at a time is stuck where only a chain of moves helps; the smallest group where that
happens has 3 members and 3 partitions, and in the staircase the gap grows with the size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.solver.algorithms.splitmix import SplitMix
from kassay.solver.check.balance import Member, Topic
from kassay.solver.consumers.problem import NOBODY, Problem

STAIRS: Final = (3, 5, 8, 12)
_SAMPLES: Final = 150


def staircase(steps: int) -> Problem:
    """Member i reads topics i and i + 1 and owns topic i, which has i partitions."""
    names = [f"t{i:02d}" for i in range(1, steps + 1)]
    members = tuple(Member(f"m{i:02d}", None, frozenset(names[i : i + 2])) for i in range(steps))
    topics = tuple(Topic(name, i) for i, name in enumerate(names, 1))
    previous = {name: (i,) * (i + 1) for i, name in enumerate(names)}
    return Problem(members, topics, previous, name=f"staircase-{steps}")


def ladder(seed: int, members_max: int = 4, partitions_max: int = 6) -> Iterator[Problem]:
    """Random instances in order of size: members + partitions, then members."""
    sizes = [(m, p) for m in range(2, members_max + 1) for p in range(1, partitions_max + 1)]
    for members, partitions in sorted(sizes, key=lambda size: (sum(size), size)):
        rng = SplitMix("hunt", seed, members, partitions)
        for number in range(_SAMPLES):
            yield _drawn(rng, members, partitions, f"hunt-{members}x{partitions}-s{seed}-{number}")


def _drawn(rng: SplitMix, members: int, partitions: int, name: str) -> Problem:
    """Random topics, subscriptions and owners; every topic has a reader, every partition an owner."""
    count = rng.between(1, min(3, partitions))
    sizes = [1] * count
    for _ in range(partitions - count):
        sizes[rng.below(count)] += 1
    names = [f"t{i}" for i in range(count)]
    subscriptions = [{topic for topic in names if rng.chance(60)} for _ in range(members)]
    for read in subscriptions:
        if not read:
            read.add(rng.pick(names))
    for topic in names:
        if not any(topic in read for read in subscriptions):
            rng.pick(subscriptions).add(topic)
    previous = {}
    for topic, size in zip(names, sizes, strict=True):
        readers = [m for m, read in enumerate(subscriptions) if topic in read]
        previous[topic] = tuple(rng.pick(readers) if rng.chance(90) else NOBODY for _ in range(size))
    drawn = tuple(Member(f"m{m}", None, frozenset(read)) for m, read in enumerate(subscriptions))
    topics = tuple(Topic(topic, size) for topic, size in zip(names, sizes, strict=True))
    return Problem(drawn, topics, previous, name=name)
