"""How fast the client-side references are beside kafka-python's, in one run on one machine.

    python benchmarks/assignors_vs_kafka_python.py [--limit SECONDS] [--small]

Groups of 100 members x 1,000 partitions and 1,000 x 10,000 (topics of 100 partitions), with equal
subscriptions and with mixed ones (each member reads half of the topics), at the first assignment and when
one member leaves. Both sides start from the same previous assignment, only `assign` is timed, and every call
gets a new group. The cluster's metadata outlives calls, as in a client: kafka-python's hands out ready-made
sets, ours keeps the partitions it made for the first call. `cold` is our time with new metadata as well.
kafka-python runs in a child process. A call that is not back at the limit is ended, and the ratio is then a
lower bound (>=); where it raises, the error stands in place of the time and there is nothing to compare.
Then how our times grow when members and partitions both double, as exponents.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import statistics
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any

from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

from kassay.assignors.registry import load_all
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member

THEIRS: dict[str, Callable[[], Any]] = {
    "range": RangePartitionAssignor,
    "roundrobin": RoundRobinPartitionAssignor,
    "sticky": StickyPartitionAssignor,
    "cooperative-sticky": CooperativeStickyAssignor,
}
OURS = {name: load_all()[name].factory for name in THEIRS}
GOALS = {
    "range": (3, 3, 3),
    "roundrobin": (3, 3, 3),
    "sticky": (30, 100, 5),
    "cooperative-sticky": (30, 100, 5),
}
TOPIC_SIZE = 100
HEAD = f"{'rule':<20}{'size':>14}  {'topics':<7}{'event':<7}"
GENERATION = 7

JoinedMember = namedtuple("JoinedMember", "member_id group_instance_id metadata")


class TheirCluster:
    def __init__(self, counts: dict[str, int]) -> None:
        self._numbers = {name: set(range(count)) for name, count in counts.items()}

    def partitions_for_topic(self, name: str) -> set[int] | None:
        return self._numbers.get(name)

    def topics(self) -> set[str]:
        return set(self._numbers)


class TheirAssignment:
    def __init__(self, tps: tuple[TopicPartition, ...]) -> None:
        self._tps = list(tps)

    def partitions(self) -> list[TopicPartition]:
        return self._tps


@dataclass(frozen=True)
class Scene:
    """Topics, everybody's subscription, and what everybody had before."""

    counts: dict[str, int]
    topics: dict[str, tuple[str, ...]]
    before: Assignment | None = None

    def without_one(self, before: Assignment) -> Scene:
        gone = sorted(self.topics)[len(self.topics) // 2]
        return Scene(self.counts, {m: t for m, t in self.topics.items() if m != gone}, before)


def scene(members: int, partitions: int, *, mixed: bool) -> Scene:
    names = [f"topic-{number:03}" for number in range(partitions // TOPIC_SIZE)]
    choice = random.Random(members)
    reads = {
        f"consumer-{number:04}": tuple(choice.sample(names, len(names) // 2) if mixed else names)
        for number in range(members)
    }
    return Scene(dict.fromkeys(names, TOPIC_SIZE), reads)


def our_input(rule: str, at: Scene, cluster: Cluster | None = None) -> tuple[Assignor, Cluster, Group]:
    members = []
    for member_id, topics in at.topics.items():
        assignor = OURS[rule]()
        owned: tuple[TopicPartition, ...] = ()
        if at.before is not None:
            owned = at.before[member_id]
            assignor.on_assignment(owned, None, GroupMetadata(GENERATION, member_id))
        data = assignor.subscription_user_data(topics)
        generation = GENERATION if at.before is not None else -1
        members.append(Member(member_id, topics, owned, generation, user_data=data))
    return OURS[rule](), cluster or Cluster.of(at.counts), Group(tuple(members))


def their_input(rule: str, at: Scene, cluster: TheirCluster) -> tuple[Any, TheirCluster, list[JoinedMember]]:
    members = []
    for member_id, topics in at.topics.items():
        assignor = THEIRS[rule]()
        if at.before is not None:
            assignor.on_assignment(TheirAssignment(at.before[member_id]), GENERATION)
        members.append(JoinedMember(member_id, None, assignor.metadata(topics)))
    return THEIRS[rule](), cluster, members


def times(make: Callable[[], tuple[Any, Any, Any]], runs: int) -> Iterator[float]:
    """Seconds of up to `runs` calls of `assign`, each on new input; none starts after two seconds."""
    spent = 0.0
    for _ in range(runs):
        assignor, cluster, group = make()
        start = time.perf_counter()
        assignor.assign(cluster, group)
        took = time.perf_counter() - start
        yield took
        spent += took
        if spent > 2:
            return


def our_time(rule: str, at: Scene, runs: int = 9, *, cold: bool = False) -> float:
    cluster = None if cold else Cluster.of(at.counts)
    return statistics.median(times(lambda: our_input(rule, at, cluster), runs))


def _send_times(rule: str, at: Scene, out: Connection) -> None:
    cluster = TheirCluster(at.counts)
    try:
        for took in times(lambda: their_input(rule, at, cluster), 5):
            out.send(took)
    except Exception as raised:  # whatever the library throws is its answer
        out.send(type(raised).__name__)


def their_time(rule: str, at: Scene, limit: float) -> float | str | None:
    """The median of kafka-python's times, its error, or None if the first call took over the limit."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=_send_times, args=(rule, at, sender), daemon=True)
    child.start()
    sender.close()
    times, errors = list[float](), list[str]()
    end = time.monotonic() + limit
    while receiver.poll(max(0.0, end - time.monotonic())):
        try:
            answer: float | str = receiver.recv()
        except EOFError:
            break
        if isinstance(answer, str):
            errors.append(answer)
        else:
            times.append(answer)
    child.kill()
    child.join()
    return errors[0] if errors else statistics.median(times) if times else None


def first_answer(rule: str, at: Scene) -> Assignment:
    assignor, cluster, group = our_input(rule, at)
    return assignor.assign(cluster, group)


def compare(sizes: list[tuple[int, int]], limit: float) -> bool:
    """Print the table of medians; whether every ratio reaches its goal."""
    print(f"{HEAD:<50}{'ours ms':>9}{'(cold)':>9}{'theirs ms':>11}{'ratio':>9}{'goal':>6}")
    reached = True
    for rule in THEIRS:
        small, large, uneven = GOALS[rule]
        for members, partitions in sizes:
            for mixed in (False, True):
                start = scene(members, partitions, mixed=mixed)
                goal = uneven if mixed else small if members <= 100 else large
                for event, at in (("first", start), ("leave", start.without_one(first_answer(rule, start)))):
                    size, topics = f"{members} x {partitions}", "mixed" if mixed else "equal"
                    ours, theirs = our_time(rule, at), their_time(rule, at, limit)
                    shown, ratio = compared(ours, theirs, limit)
                    reached &= ratio >= goal
                    print(
                        f"{rule:<20}{size:>14}  {topics:<7}{event:<7}"
                        f"{ours * 1e3:>9.2f}{our_time(rule, at, cold=True) * 1e3:>9.2f}{shown}{goal:>6}",
                        flush=True,
                    )
    return reached


def compared(ours: float, theirs: float | str | None, limit: float) -> tuple[str, float]:
    """The columns of their time and the ratio, and the ratio as a number."""
    if isinstance(theirs, str):
        return f"{theirs:>11}{'-':>9}", math.inf
    if theirs is None:
        return f"{f'>{limit * 1e3:.0f}':>11}{f'>={limit / ours:.1f}':>9}", limit / ours
    return f"{theirs * 1e3:>11.2f}{theirs / ours:>9.1f}", theirs / ours


def growth(doublings: int) -> None:
    """Print the exponents of our times over doubled sizes (members and partitions both)."""
    sizes = [(100 << step, 1_000 << step) for step in range(doublings + 1)]
    print("\ngrowth exponents, " + " -> ".join(f"{m} x {p}" for m, p in sizes))
    for rule in OURS:
        for mixed in (False, True):
            series: dict[str, list[float]] = {"first": [], "leave": []}
            for members, partitions in sizes:
                start = scene(members, partitions, mixed=mixed)
                series["first"].append(our_time(rule, start))
                series["leave"].append(our_time(rule, start.without_one(first_answer(rule, start))))
            for event, times in series.items():
                steps = [math.log2(after / before) for before, after in pairwise(times)]
                print(
                    f"{rule:<20}{'mixed' if mixed else 'equal':<7}{event:<7}"
                    + " ".join(f"{step:5.2f}" for step in steps)
                    + f"   overall {sum(steps) / len(steps):.2f}",
                    flush=True,
                )


def small_groups() -> None:
    """Print what a rebalance of 4 members x 8 partitions takes."""
    print("\n4 members x 8 partitions, new input for each call")
    reads: dict[str, tuple[str, ...]] = {f"m{number}": ("t",) for number in range(4)}
    for rule in OURS:
        print(f"{rule:<20}{our_time(rule, Scene({'t': 8}, reads), runs=2_000) * 1e6:>8.1f} us")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--limit", type=float, default=60.0, help="seconds for a call of kafka-python")
    options.add_argument("--small", action="store_true", help="leave the 1,000 x 10,000 groups out")
    given = options.parse_args()
    reached = compare([(100, 1_000)] if given.small else [(100, 1_000), (1_000, 10_000)], given.limit)
    growth(2 if given.small else 3)
    small_groups()
    print("\nevery goal reached" if reached else "\nsome goals missed")
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
