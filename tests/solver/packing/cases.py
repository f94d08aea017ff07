"""Small random packings, and every packing of one tried."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.documents import solve_packing
from kassay.solver.packing.items import Packing
from kassay.solver.results import result

Document = dict[str, Any]
Maker = Callable[[random.Random], Document]


def small(rng: random.Random, weighted: bool, partitions: int = 6) -> Document:
    """Up to 4 members and 3 topics; weights or groups of topics of different sizes; owners, racks."""
    ids = [f"m{i}" for i in range(rng.randint(1, 4))]
    names = [f"t{i}" for i in range(rng.randint(1, 3) if weighted else rng.randint(2, 5))]
    groups: list[list[str]] = []
    counts = dict.fromkeys(names, 1)
    left = partitions
    if weighted:
        for name in names:
            counts[name] = rng.randint(0, left)
            left -= counts[name]
    else:
        groups = [names[: rng.randint(2, len(names))]]
        counts = dict.fromkeys(names, rng.randint(1, 2)) | dict.fromkeys(names[len(groups[0]) :], 1)
        for name in names[len(groups[0]) :]:
            counts[name] = rng.randint(0, 2)
    reads = {id_: {name for name in names if rng.random() < 0.8} for id_ in ids}
    for group in groups:
        for topics in reads.values():
            together = group[0] in topics
            topics.difference_update(group)
            topics.update(group if together else [])
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for name, count in counts.items():
        for partition in range(count):
            if rng.random() < 0.8:
                owned[rng.choice(ids)].append([name, partition])
    racks = ("a", "b") if rng.random() < 0.4 else ()
    span = rng.choice((2, 5, 30, 10**7))
    return {
        "family": "A",
        "name": "small",
        "members": [
            {
                "id": id_,
                "rack": rng.choice(racks) if racks else None,
                "topics": sorted(reads[id_]),
                "owned": owned[id_],
            }
            for id_ in ids
        ],
        "topics": [
            {
                "name": name,
                "partitions": count,
                "racks": [[rng.choice(racks)] for _ in range(count)] if racks else None,
                "weights": [rng.randint(0, span) for _ in range(count)] if weighted else None,
            }
            for name, count in counts.items()
        ],
        "copartition": groups,
    }


def weighted(rng: random.Random) -> Document:
    """A small packing whose weights differ."""
    while True:
        case = small(rng, weighted=True)
        if Problem.parse(case).weighted:
            return case


def bundled(rng: random.Random) -> Document:
    """A small packing of bundles of several sizes."""
    while True:
        case = small(rng, weighted=False)
        if len(Problem.parse(case).bundle_sizes) > 1:
            return case


def one_topic(weights: list[int], members: int) -> Document:
    """One topic of partitions with these weights, read by everybody."""
    return {
        "family": "A",
        "members": [{"id": f"m{i}", "topics": ["t"]} for i in range(members)],
        "topics": [{"name": "t", "partitions": len(weights), "weights": weights}],
    }


def large(seed: int, members: int = 12, partitions: int = 60) -> Problem:
    """One topic whose weights are up to a thousand times apart, each partition with an owner."""
    rng = random.Random(seed)
    ids = [f"m{i:02}" for i in range(members)]
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for number in range(partitions):
        owned[rng.choice(ids)].append(["t", number])
    weights = [1 + rng.randint(0, 9) ** 3 for _ in range(partitions)]
    return Problem.parse(
        {
            "family": "A",
            "members": [{"id": id_, "topics": ["t"], "owned": owned[id_]} for id_ in ids],
            "topics": [{"name": "t", "partitions": partitions, "weights": weights}],
        }
    )


def units(case: Document) -> list[tuple[list[tuple[str, int]], list[int], int]]:
    """What goes together: its partitions, who may take it (positions), its weight."""
    readers = {
        topic["name"]: [i for i, member in enumerate(case["members"]) if topic["name"] in member["topics"]]
        for topic in case["topics"]
    }
    by_name = {topic["name"]: topic for topic in case["topics"]}
    bound = {name for group in case["copartition"] for name in group}
    found = []
    for group in [*case["copartition"], *([name] for name in by_name if name not in bound)]:
        for number in range(by_name[group[0]]["partitions"] if readers[group[0]] else 0):
            weight = sum(
                1 if by_name[name]["weights"] is None else by_name[name]["weights"][number] for name in group
            )
            found.append(([(name, number) for name in group], readers[group[0]], weight))
    return found


def value(case: Document, owner: Sequence[int]) -> tuple[int, int, int, int]:
    """(heaviest weight, sum of squared counts, moved, rack mismatch) when unit i goes to `owner[i]`."""
    members = case["members"]
    before = {
        (topic, number): i
        for i, member in enumerate(members)
        for topic, number in member["owned"]
        if topic in member["topics"]
    }
    by_name = {topic["name"]: topic for topic in case["topics"]}
    weights, counts = [0] * len(members), [0] * len(members)
    moved = mismatch = 0
    for (tps, _, weight), member in zip(units(case), owner, strict=True):
        weights[member] += weight
        counts[member] += len(tps)
        for name, number in tps:
            moved += before.get((name, number), member) != member
            racks = by_name[name]["racks"]
            mismatch += racks is not None and members[member]["rack"] not in racks[number]
    return max(weights), sum(count * count for count in counts), moved, mismatch


def every(case: Document) -> Iterator[tuple[int, int, int, int]]:
    """The value of every packing."""
    return (value(case, owner) for owner in itertools.product(*(able for _, able, _ in units(case))))


def solved(case: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The result of a weighted or unevenly co-partitioned document."""
    problem = Problem.parse(case)
    return result(problem.name, solve_packing(problem, **options), time.perf_counter())


def packed(rng: random.Random, case: Document) -> tuple[Packing, list[int]]:
    """The items of the document, and some packing of them."""
    packing = Packing.of(Problem.parse(case), weighted=any(topic["weights"] for topic in case["topics"]))
    return packing, [rng.choice(item.able) for item in packing.items]


def owners(case: Document, assignment: Mapping[str, Mapping[str, Sequence[int]]]) -> list[int]:
    """The owner of each unit, as `value` wants them."""
    place = {member["id"]: i for i, member in enumerate(case["members"])}
    owner = {
        (topic, number): place[id_]
        for id_, topics in assignment.items()
        for topic, numbers in topics.items()
        for number in numbers
    }
    return [owner[tps[0]] for tps, _, _ in units(case)]


def owners_of(packing: Packing) -> Iterator[tuple[int, ...]]:
    """The owners of the items in every packing."""
    return itertools.product(*(item.able for item in packing.items))
