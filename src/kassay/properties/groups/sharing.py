"""Claims about share groups, and their situations.

Claims about share groups: members of a partition, partitions of a member, and revoked copies.

Where all members read the same topics, all their partitions are compared; else those of each topic, over its
readers. Partitions that are not assignable (KIP-932: their state is not initialised yet) do not count.

The situations of share groups, each a predicate over a rebalance that was played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.groups.kinds import SHARE
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups import situations as _of_all_groups  # noqa: F401
from kassay.properties.registry import Evidence, Scope, claim, situation
from kassay.writing.text import counted, only, series

ALL: Final = "all topics"


class BestSharing(NamedTuple):
    """The certified optimum of a share group, supplied by a caller with a solver.

    `taken_back` is the least possible where each partition has ceil(readers / partitions) members and the
    members' counts are within one.
    """

    taken_back: int


class _Part(NamedTuple):
    """Topics that are compared with each other: their name, assignable partitions, and readers."""

    name: str
    tps: list[TopicPartition]
    readers: tuple[str, ...]

    @property
    def copies(self) -> int:
        """The number of members of each partition if all is shared evenly."""
        return -(-len(self.readers) // len(self.tps)) if self.tps else 0

    def held(self, step: Step) -> dict[str, frozenset[TopicPartition]]:
        """Each reader's previous partitions of it."""
        by_id = step.group.by_id
        return {reader: frozenset(self.tps).intersection(by_id[reader].owned) for reader in self.readers}


def _parts(step: Step) -> list[_Part]:
    """The parts to compare: all subscribed topics, or topic by topic."""
    group = step.group
    targets = {topic: step.assignable_of(topic) for topic in group.subscribers}
    if group.equal_subscriptions:
        return [_Part(ALL, [tp for tps in targets.values() for tp in tps], tuple(group.by_id))]
    return [_Part(topic, targets[topic], ids) for topic, ids in group.subscribers.items()]


def _may_assign_unassignable(step: Step) -> bool:
    """Whether a member lacks a partition that is not assignable."""
    assignable = step.group.assignable
    if assignable is None:
        return False
    withheld = step.cluster.everything - assignable
    return any(not withheld.issubset(member.owned) for member in step.group.members)


@claim(
    "assignable",
    kinds=SHARE,
    breakable=_may_assign_unassignable,
    source="KIP-932; KAFKA-18827, KAFKA-19344",
    fix="assign only assignable partitions",
)
def newly_assignable(step: Step) -> Iterator[Evidence]:
    """No member newly gets a partition that is not assignable.

    A member that has one may keep it: Kafka's rule revokes only unread or unevenly shared partitions.
    """
    if step.group.assignable is None:
        return
    withheld, by_id = step.cluster.everything - step.group.assignable, step.group.by_id
    for member_id, tps in sorted(step.given.items()):
        had = by_id[member_id].owned if member_id in by_id else ()
        for tp in sorted(withheld.intersection(tps).difference(had)):
            facts = {"newly assigned to": member_id, "assignable": False}
            yield Evidence(str(tp), facts, f"{tp} was newly assigned to {member_id} but is not assignable.")


def _one_may_have_three(step: Step) -> bool:
    """Whether a partition could have three members, and another of the same part one."""
    return any(len(part.tps) > 1 and len(part.readers) > 2 for part in _parts(step))


@claim(
    "shared-evenly",
    kinds=SHARE,
    scope=Scope.OUTCOME,
    breakable=_one_may_have_three,
    source="KIP-932; KAFKA-19362, KAFKA-19363",
    fix="assign the next subscriber the partition with the fewest members so far",
)
def shared_evenly(step: Step) -> Iterator[Evidence]:
    """No partition has two members more than another of its topic; of any, if subscriptions are equal."""
    sharing: dict[TopicPartition, int] = {}
    for tps in step.given.values():
        for tp in tps:
            sharing[tp] = sharing.get(tp, 0) + 1
    for part in _parts(step):
        ordered = sorted(part.tps, key=lambda tp: sharing.get(tp, 0))
        if ordered and (most := sharing.get(ordered[-1], 0)) - (least := sharing.get(ordered[0], 0)) > 1:
            shared, other = str(ordered[-1]), str(ordered[0])
            yield Evidence(
                shared,
                {"members": most, "while": other, "with members": least},
                f"{shared} is assigned to {counted(most, 'member')}, but {other} to {only(least)}.",
            )


def _one_may_have_two(step: Step) -> bool:
    """Whether a member could have two partitions, and another of the same part none."""
    return any(len(part.tps) > 1 and len(part.readers) > 1 for part in _parts(step))


@claim(
    "balanced-within-one",
    kinds=SHARE,
    scope=Scope.OUTCOME,
    breakable=_one_may_have_two,
    source="KIP-932; KAFKA-19362, KAFKA-19363",
    fix="assign the next partition to the subscriber with the fewest so far",
)
def counts_within_one(step: Step) -> Iterator[Evidence]:
    """Members differ by at most one partition: per topic, or in total if subscriptions are equal."""
    for part in _parts(step):
        compared = frozenset(part.tps)
        counts = {reader: len(compared.intersection(step.given.get(reader, ()))) for reader in part.readers}
        ordered = sorted(counts, key=lambda reader: (counts[reader], reader))
        if ordered and counts[ordered[-1]] - counts[ordered[0]] > 1:
            heavy, light = ordered[-1], ordered[0]
            partitions = counted(counts[heavy], "partition") + (
                "" if part.name == ALL else f" of {part.name}"
            )
            yield Evidence(
                heavy,
                {"has": counts[heavy], "while": light, "with": counts[light], "of": part.name},
                f"{heavy} has {partitions}, but {light} has {only(counts[light])}.",
            )


def is_even(step: Step, *_: BestSharing) -> bool:
    """Whether every partition has the optimum's number of members, and members have counts within one."""
    for part in _parts(step):
        given = [frozenset(part.tps).intersection(step.given.get(reader, ())) for reader in part.readers]
        sharing = Counter(tp for tps in given for tp in tps)
        counts = list(map(len, given))
        if any(sharing[tp] != part.copies for tp in part.tps) or max(counts) - min(counts) > 1:
            return False
    return True


def _may_take_back_more(step: Step, _: BestSharing) -> bool:
    """Whether some even answer keeps fewer copies than another.

    With two readers and two partitions or more, any two copies may be swapped. So all even answers keep the
    same number only where each partition is with all readers or none, or, if all readers have equal counts,
    each reader has everything or nothing.
    """
    for part in _parts(step):
        members, size = len(part.readers), len(part.tps)
        if members < 2 or size < 2:
            continue
        held = part.held(step).values()
        sharing = Counter(tp for tps in held for tp in tps)
        by_partition = all(count == members for count in sharing.values())
        by_member = part.copies * size % members == 0 and all(len(tps) in (0, size) for tps in held)
        if not by_partition and not by_member:
            return True
    return False


def taken_back(step: Step) -> list[tuple[str, TopicPartition]]:
    """The copies revoked from members that had them and could keep them, each with its member."""
    return [
        (reader, tp)
        for part in _parts(step)
        for reader, tps in part.held(step).items()
        for tp in sorted(tps.difference(step.given.get(reader, ())))
    ]


@claim(
    "fewest-taken-back",
    kinds=SHARE,
    scope=Scope.OPTIMUM,
    applies=is_even,
    breakable=_may_take_back_more,
    source="KAFKA-19362, KAFKA-19363",
    fix="let members keep what they have, and revoke only what balance needs",
)
def fewest_taken_back(step: Step, best: BestSharing) -> Iterator[Evidence]:
    """Among even answers, the fewest copies are revoked from members that had them and could keep them.

    Judged where each partition has ceil(readers / partitions) members and their counts are within one.
    """
    gone = [f"{tp} from {reader}" for reader, tp in taken_back(step)]
    if len(gone) > best.taken_back:
        subject, were = counted(len(gone), "copy"), "was" if len(gone) == 1 else "were"
        yield Evidence(
            subject,
            {"revoked": tuple(gone), "needed": best.taken_back},
            f"{subject} {were} revoked ({series(gone)}), but {only(best.taken_back, 'had')} to be.",
        )


# The order of situations decides their aims: those of all groups come first, whoever imports this first.

SHARED = ("shared-evenly", "balanced-within-one", "fewest-taken-back")


@situation("unassignable", kinds=SHARE, required_by=("complete", "assignable", *SHARED))
def unassignable(rebalanced: Rebalanced) -> bool:
    """A subscribed topic has some assignable partitions, and some that are not assignable yet."""
    step = rebalanced.steps[0]
    if step.group.assignable is None:
        return False
    counts = step.cluster.counts
    return any(0 < len(step.assignable_of(topic)) < counts.get(topic, 0) for topic in step.group.subscribers)


@situation("outnumbered", kinds=SHARE, required_by=SHARED)
def outnumbered(rebalanced: Rebalanced) -> bool:
    """Several partitions are shared by more members than partitions, and not by a multiple."""
    step = rebalanced.steps[0]
    sizes = [(len(step.assignable_of(topic)), len(ids)) for topic, ids in step.group.subscribers.items()]
    if step.group.equal_subscriptions:
        sizes = [(sum(size for size, _ in sizes), len(step.group.members))]
    return any(1 < size < readers and readers % size for size, readers in sizes)


@situation("unread-owned", kinds=SHARE, required_by=("subscribed",))
def unread_owned(rebalanced: Rebalanced) -> bool:
    """A member has partitions of a topic that no member reads any more."""
    step = rebalanced.steps[0]
    counts, subscribers = step.cluster.counts, step.group.subscribers
    return any(
        tp[0] in counts and tp[0] not in subscribers for member in step.group.members for tp in member.owned
    )
