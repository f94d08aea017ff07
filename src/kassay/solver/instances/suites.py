"""The instance suites: the instances and sizes used in all comparisons.

`small` is for brute force, `bench` has consumers, placements and tasks, `large` goes to 1,000 members
and 100,000 partitions, `share` has share groups, `streams` tasks for members inside processes. `to_line`
writes a document as the instance files hold it.

*Staircases and ladders*: instances on which a rule may be far from the optimum, smallest first.
A rule that makes one move at a time gets stuck where only a chain of moves helps; the smallest group
where that happens has 3 members and 3 partitions, and in the staircase the gap grows with the size.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.reading.documents import one_of
from kassay.solver.algorithms.splitmix import SplitMix
from kassay.solver.check.balance import Member, Topic
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.brokers_and_tasks import MEMBER_SHAPES, member_tasks, placement, tasks
from kassay.solver.instances.groups import SHARE_SHAPES, consumer, share_group
from kassay.solver.results import NO_OWNER

SUITES: Final = {
    "small": "2,400 consumer instances of at most 4 members and 7 partitions",
    "bench": "52 instances: consumers to 50 x 500, placements to 48 x 1,000, tasks to 40 x 600",
    "large": "12 consumer instances to 1,000 members and 100,000 partitions",
    "share": "36 share groups: more and fewer members than partitions, to 500 members",
    "streams": "30 sets of tasks for members inside processes, to 50 processes x 1,000 tasks",
}

_SMALL_SHAPES: Final = ("shuffle", "groups", "random", "nested", "racks", "leave")
_BENCH_CONSUMERS: Final = ("join", "leave", "random", "nested", "racks", "weighted", "copart")
_BENCH_PLACEMENTS: Final = ("create", "add", "remove", "rack_skew")
_LARGE_SHAPES: Final = ("join", "groups", "random", "racks")

Document = dict[str, Any]


def suite(name: str) -> Iterator[Document]:
    """The suite's instances, made one at a time; raises `InputError` for an unknown suite."""
    makers = {"small": _small, "bench": _bench, "large": _large, "share": _share, "streams": _streams}
    if name not in makers:
        raise InputError(f"suite: found {name!r}, expected {one_of(makers, name)}")
    return makers[name]()


def to_line(document: Document) -> str:
    """The document on one line, keys sorted, without spaces."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _small() -> Iterator[Document]:
    for seed in range(400):
        for shape in _SMALL_SHAPES:
            rng = SplitMix("small", shape, seed)
            members, partitions, topics = rng.between(2, 4), rng.between(2, 7), rng.between(1, 3)
            yield consumer(shape, seed, members=members, partitions=partitions, topics=topics, change=1)


def _bench() -> Iterator[Document]:
    for shape in _BENCH_CONSUMERS:
        for members, partitions in ((10, 40), (20, 100), (30, 300), (50, 500)):
            yield consumer(shape, 1, members=members, partitions=partitions)
    for shape in _BENCH_PLACEMENTS:
        for brokers, partitions in ((6, 30), (12, 100), (24, 300), (48, 1000)):
            yield placement(shape, 1, brokers=brokers, partitions=partitions)
    for shape in ("join", "leave"):
        for clients, count in ((5, 20), (10, 60), (20, 200), (40, 600)):
            yield tasks(shape, 1, clients=clients, tasks=count)


def _large() -> Iterator[Document]:
    for shape in _LARGE_SHAPES:
        for members, partitions in ((100, 10_000), (300, 30_000), (1000, 100_000)):
            topics, change = min(200, partitions // 50), members // 20
            yield consumer(shape, 1, members=members, partitions=partitions, topics=topics, change=change)


def _share() -> Iterator[Document]:
    for shape in SHARE_SHAPES:
        for members, topics, partitions in (
            (7, 2, 2),
            (10, 3, 4),
            (30, 5, 4),
            (50, 10, 10),
            (200, 6, 5),
            (500, 10, 50),
        ):
            yield share_group(
                shape, 1, members=members, topics=topics, partitions=partitions, change=1 + members // 10
            )


def _streams() -> Iterator[Document]:
    for shape in MEMBER_SHAPES:
        for processes, members, count, standbys in (
            (3, 2, 8, 1),
            (4, 3, 30, 0),
            (6, 1, 40, 2),
            (10, 4, 100, 1),
            (20, 4, 300, 1),
            (50, 4, 1000, 1),
        ):
            yield member_tasks(
                shape,
                1,
                processes=processes,
                members=members,
                tasks=count,
                standbys=standbys,
                change=1 + processes // 10,
            )


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
        previous[topic] = tuple(rng.pick(readers) if rng.chance(90) else NO_OWNER for _ in range(size))
    drawn = tuple(Member(f"m{m}", None, frozenset(read)) for m, read in enumerate(subscriptions))
    topics = tuple(Topic(topic, size) for topic, size in zip(names, sizes, strict=True))
    return Problem(drawn, topics, previous, name=name)
