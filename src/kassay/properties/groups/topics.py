"""Claims about how each topic is shared among its readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from operator import attrgetter

from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS
from kassay.model.groups.step import Step
from kassay.model.java import utf16_key
from kassay.properties.registry import Evidence, Scope, claim
from kassay.writing.text import counted, only, series

PRIORITY_CONFIG = "assignment.consumer.priority"
PRIORITY_DEFAULT = 2**31 - 1
FEW = 8
"""From this number of readers of a topic, counting all its partitions together is faster."""


def _in_order(step: Step) -> list[str]:
    """The members: static ones by instance id, then the others by member id."""
    members = step.group.members
    static = {m.member_id: m.instance_id or m.member_id for m in members if m.instance_id is not None}
    dynamic = [member_id for member_id in step.group.ids if member_id not in static]
    # Java and Python compare plain ASCII in the same way, so such texts need no encoding.
    key = None if "".join([*dynamic, *static.values()]).isascii() else utf16_key
    instances = static if key is None else {m: key(instance_id) for m, instance_id in static.items()}
    return [*sorted(static, key=instances.__getitem__), *sorted(dynamic, key=key)]


_is_divisible = attrgetter("is_divisible")


def _is_even(step: Step) -> bool:
    """Whether every complete answer gives each reader of a topic the same count, or one more."""
    for topic, owners in step.facts.by_number.items():
        readers = step.group.subscribers[topic]
        if len(owners) <= len(readers):
            if len(set(owners)) < len(owners):
                return False
        elif len(readers) > 1:
            few = len(readers) < FEW
            counts = list(map(owners.count, readers)) if few else Counter(owners).values()
            if len(counts) < len(readers) or max(counts) > min(counts) + 1:
                return False
    return True


@claim(
    "topic-even",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OUTCOME,
    breakable=_is_divisible,
    source="RangeAssignor",
    fix=("split each topic by itself: count // subscribers each, one more for the first count % subscribers"),
)
def topic_even(step: Step) -> Iterator[Evidence]:
    """For each topic, the counts of its subscribers differ by at most one."""
    if step.facts.is_whole and _is_even(step):
        return
    for topic, by_member in sorted(step.shares.items()):
        sizes = list(map(len, by_member.values()))
        if max(sizes) - min(sizes) > 1:
            counts = dict(zip(by_member, sizes))
            heavy, light = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
            yield Evidence(
                topic,
                {"partitions": step.cluster.counts[topic], "counts": counts},
                f"{heavy} has {counts[heavy]} of the {step.cluster.counts[topic]} partitions of {topic}, "
                f"but {light} has {only(counts[light])}.",
            )


def _no_rack_matching(step: Step) -> bool:
    """Whether racks cannot make a rule deviate from plain ranges; co-partitioning spreads one effect."""
    return not step.cluster.has_replica_racks or all(member.rack is None for member in step.group.members)


def _ascends(step: Step, place: dict[str | None, int]) -> bool:
    """Whether in every complete answer the owners are in the order of these places in each topic."""
    of = place.__getitem__
    for owners in step.facts.by_number.values():
        places = list(map(of, owners))
        if places != sorted(places):
            return False
    return True


@claim(
    "contiguous",
    kinds=CLIENT,
    scope=Scope.OUTCOME,
    applies=_no_rack_matching,
    breakable=_is_divisible,
    source="RangeAssignor",
    fix=("assign each subscriber of a topic, in member order, the next run of consecutive numbers"),
)
def contiguous(step: Step) -> Iterator[Evidence]:
    """Each member's partitions of a topic are consecutive, in member order.

    Not judged where rack matching applies.
    """
    place: dict[str | None, int] = dict(zip(_in_order(step), count()))
    if step.facts.is_whole and _ascends(step, place):
        return
    for topic, by_member in sorted(step.shares.items()):
        end = -1
        given = [
            (place[member_id], member_id, numbers) for member_id, numbers in by_member.items() if numbers
        ]
        for _, member_id, numbers in sorted(given):
            if numbers[-1] - numbers[0] + 1 != len(numbers) or numbers[0] <= end:
                words = (
                    f"{member_id} has {_partitions(topic, numbers)}, which are not consecutive."
                    if numbers[-1] - numbers[0] + 1 != len(numbers)
                    else f"{member_id} has {topic}-{numbers[0]}, but a member before it has {topic}-{end}."
                )
                yield Evidence(topic, {"share of": member_id, "is": numbers, "after": end}, words)
            end = max(end, numbers[-1])


def _partitions(topic: str, numbers: Iterable[int]) -> str:
    return series([f"{topic}-{number}" for number in numbers], f"none of {topic}")


def _has_pair(step: Step) -> bool:
    """Whether two topics have equal counts and the same subscribers, two or more."""
    subscribers = step.group.subscribers
    shared = [
        (count, subscribers[topic])
        for topic, count in step.cluster.counts.items()
        if len(subscribers.get(topic, ())) > 1
    ]
    return len(set(shared)) < len(shared)


def _is_copartitioned(step: Step) -> bool:
    """Whether every complete answer assigns topics with equal counts and readers identically."""
    equal: dict[tuple[int, tuple[str, ...]], tuple[str | None, ...]] = {}
    readers = step.group.subscribers
    return all(
        equal.setdefault((len(owners), readers[topic]), owners) == owners
        for topic, owners in step.facts.by_number.items()
    )


@claim(
    "copartitioned",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OUTCOME,
    breakable=_has_pair,
    source="RangeAssignor; KIP-881",
    fix="assign equal indices of topics with equal counts and subscribers to the same member",
)
def copartitioned(step: Step) -> Iterator[Evidence]:
    """Topics with equal counts and equal subscriber sets have the same owner at each index."""
    if len(step.facts.by_number) < 2 or (step.facts.is_whole and _is_copartitioned(step)):
        return
    equal: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    shares = step.shares
    for topic in sorted(shares):
        key = (step.cluster.counts[topic], tuple(shares[topic]))
        equal.setdefault(key, []).append(topic)
    for topics in equal.values():
        first = topics[0]
        for other in topics[1:]:
            if shares[first] != shares[other]:
                member_id = min(m for m, numbers in shares[first].items() if shares[other][m] != numbers)
                has, there = shares[other][member_id], shares[first][member_id]
                yield Evidence(
                    other,
                    {"like": first, "but": member_id, "has": has, "and there": there},
                    f"{first} and {other} have the same size and subscribers, but {member_id} has "
                    f"{_partitions(first, there)} next to {_partitions(other, has)}.",
                )


def priority(step: Step, member_id: str) -> int:
    """The member's configured priority; the default where it has none."""
    return int(step.configs.get(member_id, {}).get(PRIORITY_CONFIG, PRIORITY_DEFAULT))


@claim(
    "active-passive",
    kinds=CLIENT,
    scope=Scope.OUTCOME,
    breakable=attrgetter("is_contested"),
    source="articles on custom assignors, active/passive groups",
    fix="assign the whole topic to the subscriber with the highest priority",
)
def active_passive(step: Step) -> Iterator[Evidence]:
    """All partitions of a topic go to its highest-priority subscriber.

    The larger number goes first; ties by instance id, then member id.
    """
    in_order = _in_order(step)
    for topic, by_member in sorted(step.shares.items()):
        best = max(priority(step, m) for m in by_member)
        wanted = next(m for m in in_order if m in by_member and priority(step, m) == best)
        if len(by_member[wanted]) != step.cluster.counts[topic]:
            count = counted(step.cluster.counts[topic], "partition")
            yield Evidence(
                topic,
                {
                    "active": wanted,
                    "priority": best,
                    "counts": {m: len(numbers) for m, numbers in by_member.items()},
                },
                f"{wanted} has the highest priority for {topic} "
                f"but gets {only(len(by_member[wanted]))} of its {count}.",
            )
