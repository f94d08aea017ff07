"""Small share groups, and what trying everything says of them; shares nothing with solver and checker."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kassay.solver.check.check import check_certificate
from kassay.solver.instances.families import Wanted, solve_document

Document = dict[str, Any]
Copy = tuple[str, str, int]


class Part(NamedTuple):
    """What is shared out by itself."""

    name: str | None
    readers: list[str]
    targets: list[tuple[str, int]]


def small(rng: random.Random, members: int = 4, partitions: int = 5) -> Document:
    """A share group of any kind: any owners, unread topics, partitions that may not be given out."""
    names = [f"t{i}" for i in range(rng.randint(1, 3))]
    left, topics = partitions, []
    for name in names:
        count = rng.randint(0, left)
        left -= count
        numbers = [p for p in range(count) if rng.random() < 0.8]
        topics.append(
            {"name": name, "partitions": count, "assignable": numbers if rng.random() < 0.4 else None}
        )
    equal = rng.random() < 0.5
    everybody = [name for name in names if rng.random() < 0.8]
    chance = rng.random()
    return {
        "family": "D",
        "name": "small",
        "members": [
            {
                "id": f"m{i}",
                "topics": everybody if equal else [name for name in names if rng.random() < 0.7],
                "owned": [
                    [topic["name"], p]
                    for topic in topics
                    for p in range(topic["partitions"])
                    if rng.random() < chance
                ],
            }
            for i in range(rng.randint(1, members))
        ],
        "topics": topics,
    }


def parts(case: Document) -> list[Part]:
    """What of a group is shared out by itself."""
    members = case["members"]
    sets = {frozenset(member["topics"]) for member in members}
    by_topic = {
        topic["name"]: [
            (topic["name"], p)
            for p in range(topic["partitions"])
            if topic.get("assignable") is None or p in topic["assignable"]
        ]
        for topic in case["topics"]
    }
    if len(sets) == 1:
        targets = [tp for name in sorted(next(iter(sets))) for tp in by_topic[name]]
        return [Part(None, [m["id"] for m in members], targets)] if targets else []
    readers = {n: [m["id"] for m in members if n in m["topics"]] for n in by_topic}
    return [Part(n, readers[n], tps) for n, tps in sorted(by_topic.items()) if tps and readers[n]]


def held(case: Document, part: Part) -> set[Copy]:
    """The copies of a part that members have and may keep."""
    return {
        (member["id"], name, p)
        for member in case["members"]
        if member["id"] in part.readers
        for name, p in member["owned"]
        if (name, p) in part.targets
    }


def every(part: Part) -> Iterator[set[Copy]]:
    """All ways to share a part out evenly."""
    sharing = -(-len(part.readers) // len(part.targets))
    rows = list(itertools.combinations(part.readers, sharing))
    for chosen in itertools.product(rows, repeat=len(part.targets)):
        counts = Counter(reader for row in chosen for reader in row)
        numbers = [counts[reader] for reader in part.readers]
        if max(numbers) - min(numbers) <= 1:
            yield {(m, name, p) for (name, p), row in zip(part.targets, chosen, strict=True) for m in row}


def least_taken_back(case: Document) -> int:
    """The fewest copies that any even answer takes back."""
    return sum(min(len(held(case, part) - given) for given in every(part)) for part in parts(case))


def copies(assignment: Document) -> set[Copy]:
    """The copies of an assignment."""
    return {(m, name, p) for m, topics in assignment.items() for name, ps in topics.items() for p in ps}


def solved(case: Document, wanted: Wanted | None = None) -> Document:
    """The accepted result of a group."""
    result = solve_document(case) if wanted is None else solve_document(case, wanted)
    assert check_certificate(result).accepted
    return result


def drawn(seed: int, number: int, members: int = 4, partitions: int = 5) -> Sequence[Document]:
    """So many small groups."""
    rng = random.Random(seed)
    return [small(rng, members, partitions) for _ in range(number)]
