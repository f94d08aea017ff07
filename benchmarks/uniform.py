"""How long `uniform` takes at doubled sizes, and how its time grows.

Run `python benchmarks/uniform.py [REPEATS]`. Each line is a size in members x partitions with the
median time of one call, for the first assignment and for the round in which one member has left,
and the growth exponent against the line before (1.0 is linear). `same`: all members read all of
20 topics. `mixed`: member i reads 5 of them, starting at i.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable

from kassay.assignors.groups.server.uniform import Uniform
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member

SIZES = ((125, 1_250), (250, 2_500), (500, 5_000), (1_000, 10_000), (2_000, 20_000))
TOPICS = 20
WINDOW = 5

Reads = Callable[[int, tuple[str, ...]], tuple[str, ...]]


def same(_: int, topics: tuple[str, ...]) -> tuple[str, ...]:
    """Every member reads everything."""
    return topics


def mixed(member: int, topics: tuple[str, ...]) -> tuple[str, ...]:
    """A window of the topics, one further on for each member."""
    return tuple(topics[(member + i) % len(topics)] for i in range(WINDOW))


def median_seconds(cluster: Cluster, members: tuple[Member, ...], repeats: int) -> float:
    """The median time of one call on a new group value each, so that nothing is remembered."""
    times = []
    for _ in range(repeats):
        group = Group(members)
        start = time.perf_counter()
        Uniform().assign(cluster, group)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(members_count: int, partitions: int, reads: Reads, repeats: int) -> tuple[float, float]:
    """Seconds for the first assignment, and after one member has left."""
    topics = tuple(f"topic-{i}" for i in range(TOPICS))
    size, rest = divmod(partitions, TOPICS)
    cluster = Cluster.of({topic: size + (i < rest) for i, topic in enumerate(topics)})
    members = tuple(Member(f"member-{i:05}", reads(i, topics)) for i in range(members_count))
    answer = Uniform().assign(cluster, Group(members))
    left = tuple(
        m._replace(owned=answer[m.member_id]) for i, m in enumerate(members) if i != members_count // 2
    )
    return median_seconds(cluster, members, repeats), median_seconds(cluster, left, repeats)


def main() -> None:
    """Print a table for equal and one for mixed subscriptions."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for reads in (same, mixed):
        print(f"{reads.__name__:<8} {'members x partitions':>21} {'first ms':>9} {'leave ms':>9}   exponents")
        before: tuple[float, float] | None = None
        for members, partitions in SIZES:
            now = measure(members, partitions, reads, repeats)
            growth = (
                "" if before is None else "  ".join(f"{math.log2(b / a):4.2f}" for a, b in zip(before, now))
            )
            size = f"{members} x {partitions}"
            print(f"{'':<8} {size:>21} {now[0] * 1e3:9.2f} {now[1] * 1e3:9.2f}   {growth}")
            before = now


if __name__ == "__main__":
    main()
