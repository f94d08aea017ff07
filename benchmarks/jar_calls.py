"""What a call of a jar's assignor costs beside kafka-python's assignor of that name, in one run.

    ./dev jars && python -m benchmarks.jar_calls [JAR]

The released client runs in a Java under the guard (`kafka-clients:NAME@JAR`), kafka-python in this process.
Members own what they would own in a balanced group; every call gets a group that was not asked about last.
Medians of alternating runs. Goals, kafka-python's time over the jar's: range 0.8 at 5 x 20 and 0.9 at
100 x 1,000, cooperative-sticky 3 and 25.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path

from benchmarks._needs import lacks
from kassay.engines.processes.host import Host, Limits
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member

JAR = Path(__file__).resolve().parent.parent / ".jars" / "kafka-clients-3.9.0.jar"
LIMITS = Limits(call_timeout_s=600, start_timeout_s=60)
RUNS = 5
CASES = (
    # rule, members, partitions, calls of the jar and of kafka-python in a run, goal
    ("range", 5, 20, 2_000, 2_000, 0.8),
    ("range", 100, 1_000, 60, 60, 0.9),
    ("cooperative-sticky", 5, 20, 1_000, 300, 3.0),
    ("cooperative-sticky", 100, 1_000, 30, 1, 25.0),
)


def groups(members: int, partitions: int) -> list[Group]:
    """The same balanced group in many generations."""
    shares = [tuple(TopicPartition("t", p) for p in range(m, partitions, members)) for m in range(members)]
    return [
        Group(tuple(Member(f"m{m:03}", ("t",), share, n) for m, share in enumerate(shares)), "m000")
        for n in range(1, 9)
    ]


def calls(host: Host, members: int, partitions: int, number: int) -> Callable[[], None]:
    """So many calls of one object."""
    cluster, assignor, asked = Cluster.of({"t": partitions}), host.new({}), groups(members, partitions)
    turns = count()

    def play() -> None:
        for turn in islice(turns, number):
            assignor.assign(cluster, asked[turn % len(asked)])

    return play


def medians(plays: list[tuple[Callable[[], None], int]]) -> list[float]:
    """Seconds a call of each, the median of alternating runs."""
    times: list[list[float]] = [[] for _ in plays]
    for _ in range(RUNS):
        for (play, number), taken in zip(plays, times):
            before = time.perf_counter()
            play()
            taken.append((time.perf_counter() - before) / number)
    return list(map(statistics.median, times))


def main() -> None:
    """Print a line a case."""
    jar = Path(sys.argv[1]) if len(sys.argv) > 1 else JAR
    if not jar.exists() and jar == JAR:
        lacks(f"there is no {JAR.parent.name}/{JAR.name}, Kafka's client (./dev jars)")
    if not jar.exists():
        sys.exit(f"jar_calls: there is no {jar}, expected a jar of Kafka's client (./dev jars)")
    print(f"{'rule':<20}{'members':>8}{'partitions':>12}{'jar ms':>10}{'peer ms':>17}{'times':>8}{'goal':>7}")
    for rule, members, partitions, ours, theirs, goal in CASES:
        target = resolve(f"kafka-clients:{rule}@{jar}", limits=LIMITS)
        peer = resolve(f"kafka-python:{rule}", limits=LIMITS)
        with target.open() as one, peer.open() as other:
            mine = calls(one, members, partitions, ours), ours
            its = calls(other, members, partitions, theirs), theirs
            mine[0]()
            java, python = medians([mine, its])
        figures = f"{java * 1e3:>10.3f}{python * 1e3:>17.3f}{python / java:>8.2f}{goal:>7.1f}"
        print(f"{rule:<20}{members:>8}{partitions:>12,}{figures}")


if __name__ == "__main__":
    main()
