"""Claims about replica placement (kind P): where the replicas of new partitions may be.

The rack rule is judged where every broker has a rack. A placer may use unfenced brokers only: then the rule
of those brokers' racks suffices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate, combinations
from typing import NamedTuple

from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest, PlacementStep, Replicas
from kassay.properties.registry import Evidence, always, claim
from kassay.writing.text import counted, only, series


class RackRule(NamedTuple):
    """How many racks the replicas of one partition must be in, and how many of them a rack may hold."""

    racks: int
    most: int

    def broken_by(self, replicas: Iterable[int], racks: Mapping[int, str | None]) -> bool:
        """Whether these replicas break it."""
        held = Counter(racks[broker] for broker in replicas if broker in racks)
        return len(held) < self.racks or max(held.values(), default=0) > self.most


def rack_rule(brokers: Iterable[Broker], replication_factor: int) -> RackRule:
    """The rule for partitions with this number of replicas on these brokers.

    min(RF, racks) racks, and in each at most ceil(RF / racks), or the least number above it with
    which small racks leave enough room.

    >>> rack_rule([Broker(0, "a"), Broker(1, "a"), Broker(2, "a"), Broker(3, "b")], 4)
    RackRule(racks=2, most=3)
    """
    sizes = Counter(broker.rack for broker in brokers).values()
    room = range(1, max(sizes, default=0) + 1)
    most = next((m for m in room if sum(min(m, size) for size in sizes) >= replication_factor), len(room))
    return RackRule(min(replication_factor, len(sizes)), most)


def is_too_few(step: PlacementStep) -> bool:
    """Whether more replicas are requested than there are brokers."""
    return step.request.replication_factor > len(step.request.brokers)


def is_placed(step: PlacementStep) -> bool:
    """Whether there is a placement to check."""
    return step.placed is not None


@claim(
    "replicas-distinct",
    kinds=PLACER,
    validity=True,
    applies=is_placed,
    breakable=always,
    source="AdminUtils",
    fix=("choose for each partition as many different, known brokers as the replication factor says"),
)
def replicas_distinct(step: PlacementStep) -> Iterator[Evidence]:
    """Every new partition has exactly RF different, known brokers."""
    request = step.request
    wanted, given = max(0, request.partitions), len(step.placed or ())
    if given != wanted:
        words = f"The answer has {counted(given, 'partition')} instead of {wanted}."
        yield Evidence("the answer", {"partitions": given, "requested": wanted}, words)
    for partition, replicas in step.numbered():
        for facts, words in wrong_replicas(replicas, request.by_id, request.replication_factor):
            words = f"Partition {partition} {words}."
            yield Evidence(f"partition {partition}", {"replicas": replicas, **facts}, words)


def brokers(ids: Collection[int], most: int = 6) -> str:
    """The brokers in words: the first `most`, and the number of the others.

    >>> brokers([]), brokers([1]), brokers([1, 2])
    ('no broker', 'broker 1', 'brokers 1 and 2')
    """
    return f"broker{'s' if len(ids) > 1 else ''} {series(ids, most=most)}" if ids else "no broker"


def wrong_replicas(
    replicas: Replicas, known: Mapping[int, Broker], replication_factor: int
) -> Iterator[tuple[dict[str, object], str]]:
    """The errors in the replicas of one partition, racks aside: one fact each, and words after its name."""
    are = f"({brokers(replicas)})"
    if len(replicas) != replication_factor:
        words = f"has {counted(len(replicas), 'replica')} instead of {replication_factor} {are}"
        yield {"expected": replication_factor}, words
    repeated = sorted(broker for broker, times in Counter(replicas).items() if times > 1)
    if repeated:
        yield {"more than once": repeated}, f"has several replicas on {brokers(repeated)} {are}"
    unknown = sorted({broker for broker in replicas if broker not in known})
    if unknown:
        missing = "which does not exist" if len(unknown) == 1 else "which do not exist"
        yield {"no such broker": unknown}, f"has a replica on {brokers(unknown)}, {missing} {are}"


@claim(
    "too-few-brokers",
    kinds=PLACER,
    validity=True,
    applies=is_too_few,
    breakable=always,
    source="AdminUtils",
    fix=("raise an error (ValueError) if the replication factor is larger than the number of brokers"),
)
def too_few_brokers(step: PlacementStep) -> Iterator[Evidence]:
    """A replication factor above the number of brokers is refused with an error."""
    request = step.request
    if step.placed is not None:
        yield Evidence(
            "the answer",
            {
                "replication factor": request.replication_factor,
                "brokers": len(request.brokers),
                "placed": step.placed,
            },
            f"The answer is a placement, although {counted(len(request.brokers), 'broker')} cannot hold "
            f"{counted(request.replication_factor, 'replica')} of a partition.",
        )


def has_rack_rule(step: PlacementStep) -> bool:
    """Whether there is a placement on enough brokers that all have a rack."""
    return is_placed(step) and step.request.has_racks and not is_too_few(step)


def may_break_rule(brokers: Collection[Broker], replication_factor: int) -> bool:
    """Whether this number of replicas on different ones of these racked brokers could break their rule.

    The fewest racks are those of the fullest ones; no rack can hold more than it has brokers.
    """
    if not 1 <= replication_factor <= len(brokers):
        return False
    sizes = sorted(Counter(broker.rack for broker in brokers).values(), reverse=True)
    rule = rack_rule(brokers, replication_factor)
    return (
        _racks_needed(replication_factor, sizes) < rule.racks or min(sizes[0], replication_factor) > rule.most
    )


def _racks_needed(replicas: int, sizes: Iterable[int]) -> int:
    """How many racks of these sizes, in this order, the replicas fill."""
    return sum(room < replicas for room in accumulate(sizes, initial=0))


def _may_break_spread(step: PlacementStep) -> bool:
    """Whether the new replicas could be in too few racks, or too many of them in one.

    With a fenced broker among them the rule of all brokers counts, else that of the unfenced ones.
    """
    request = step.request
    factor, brokers = request.replication_factor, request.brokers
    if request.partitions < 1 or factor < 1:
        return False
    if may_break_rule([broker for broker in brokers if not broker.fenced], factor):
        return True
    rule, sizes = rack_rule(brokers, factor), Counter(broker.rack for broker in brokers)
    fenced = {broker.rack for broker in brokers if broker.fenced}
    for rack in fenced:
        others = sorted((size for other, size in sizes.items() if other != rack), reverse=True)
        if _racks_needed(factor, (sizes[rack], *others)) < rule.racks:
            return True
    return any(
        min(size, factor if rack in fenced else factor - 1) > rule.most
        for rack, size in sizes.items()
        if fenced
    )


@claim(
    "rack-spread",
    kinds=PLACER,
    applies=has_rack_rule,
    breakable=_may_break_spread,
    source="KIP-36",
    fix="put the next replica into a rack that has none yet, as long as there is one",
)
def rack_spread(step: PlacementStep) -> Iterator[Evidence]:
    """Replicas lie in min(RF, racks) racks, at most ceil(RF / racks) in each where brokers allow."""
    request = step.request
    factor = request.replication_factor
    racks = {broker.broker_id: broker.rack for broker in request.brokers}
    rule = rack_rule(request.brokers, factor)
    unfenced_rule = rack_rule((b for b in request.brokers if not b.fenced), factor)
    for partition, replicas in step.numbered():
        if rule.broken_by(replicas, racks) and (
            not request.unfenced.issuperset(replicas) or unfenced_rule.broken_by(replicas, racks)
        ):
            held = tuple(racks.get(broker) for broker in replicas)
            yield Evidence(
                f"partition {partition}",
                {"replicas": replicas, "in racks": held, "racks wanted": rule.racks, "in one": rule.most},
                f"Partition {partition} {crowded_words(replicas, held, rule)}.",
            )


def crowded_words(replicas: Replicas, held: Iterable[str | None], rule: RackRule) -> str:
    """Words after the name of a partition whose replicas, in these racks, break the rule."""
    counts = Counter(rack for rack in held if rack is not None)
    if len(counts) < rule.racks:
        return (
            f"has replicas in {only(len(counts))} of {rule.racks} possible racks "
            f"({brokers(replicas)} in {series(counts)})"
        )
    rack, number = counts.most_common(1)[0]
    return (
        f"has {counted(number, 'replica')} in rack {rack}, where {rule.most} would do ({brokers(replicas)})"
    )


def has_partial_racks(step: PlacementStep) -> bool:
    """Whether some brokers have a rack and some have none."""
    return step.request.has_partial_racks


def _is_enough(step: PlacementStep) -> bool:
    """Whether the request could be met, racks aside."""
    return not is_too_few(step)


@claim(
    "partial-racks-refused",
    kinds=PLACER,
    applies=has_partial_racks,
    breakable=_is_enough,
    source="AdminUtils",
    fix="raise an error if only some of the brokers have a rack",
)
def partial_racks_refused(step: PlacementStep) -> Iterator[Evidence]:
    """A cluster in which only some brokers have a rack is refused."""
    if step.placed is not None:
        bare = tuple(broker.broker_id for broker in step.request.brokers if broker.rack is None)
        have = "has" if len(bare) == 1 else "have"
        words = f"The answer is a placement, although {brokers(bare)} {have} no rack."
        yield Evidence("the answer", {"brokers without a rack": bare, "placed": step.placed}, words)


def has_laps(step: PlacementStep) -> bool:
    """Whether the followers of some broker could be judged."""
    request = step.request
    leads = Counter(replicas[0] for replicas in step.placed or () if replicas)
    return 1 < request.replication_factor < len(request.unfenced) and max(leads.values(), default=0) >= len(
        request.brokers
    )


def _may_repeat_followers(step: PlacementStep) -> bool:
    """Whether some broker could lead all new partitions, one for each broker or more, and has a choice."""
    request = step.request
    return request.partitions >= len(request.brokers) and any(
        _has_choice(request, broker.broker_id) for broker in request.brokers
    )


@claim(
    "follower-spread",
    kinds=PLACER,
    applies=has_laps,
    breakable=_may_repeat_followers,
    source="AdminUtils, its second goal",
    fix="shift the followers by one more after each pass over the brokers",
)
def follower_spread(step: PlacementStep) -> Iterator[Evidence]:
    """A broker that leads at least as many partitions as there are brokers has two follower sets or more.

    With more unfenced brokers than RF > 1, and where the rack rule leaves the leader a choice.
    """
    sets: dict[int, list[frozenset[int]]] = {}
    for replicas in step.placed or ():
        if replicas:
            sets.setdefault(replicas[0], []).append(frozenset(replicas[1:]))
    for leader, followers in sorted(sets.items()):
        if (
            len(followers) >= len(step.request.brokers)
            and len(set(followers)) == 1
            and _has_choice(step.request, leader)
        ):
            by = sorted(followers[0])
            yield Evidence(
                f"broker {leader}",
                {"leads": len(followers), "always followed by": by},
                f"Broker {leader} leads {counted(len(followers), 'partition')}, "
                f"and all have their followers on {brokers(by)}.",
            )


def _has_choice(request: PlacementRequest, leader: int) -> bool:
    """Whether the leader could have two follower sets of unfenced brokers that keep the rack rule."""
    if not request.has_racks:
        return True
    usable = [broker for broker in request.brokers if not broker.fenced]
    racks = {broker.broker_id: broker.rack for broker in request.brokers}
    rule = rack_rule(usable, request.replication_factor)
    others = [broker.broker_id for broker in usable if broker.broker_id != leader]
    choices = (
        followers
        for followers in combinations(others, request.replication_factor - 1)
        if not rule.broken_by((leader, *followers), racks)
    )
    return next(choices, None) is not None and next(choices, None) is not None


def _may_lead_fenced(step: PlacementStep) -> bool:
    """Whether a fenced broker could lead a partition that has an unfenced replica too."""
    request = step.request
    return (
        request.partitions > 0
        and 2 <= request.replication_factor <= len(request.brokers)
        and 0 < len(request.unfenced) < len(request.brokers)
    )


@claim(
    "no-fenced-leader",
    kinds=PLACER,
    applies=is_placed,
    breakable=_may_lead_fenced,
    source="StripedReplicaPlacer",
    fix="put an unfenced broker first in each row that has one",
)
def no_fenced_leader(step: PlacementStep) -> Iterator[Evidence]:
    """No fenced broker leads a partition that an unfenced replica could lead."""
    unfenced, known = step.request.unfenced, step.request.by_id
    for partition, replicas in step.numbered():
        if replicas and replicas[0] in known and replicas[0] not in unfenced:
            able = tuple(broker for broker in replicas if broker in unfenced)
            if able:
                are = "is" if len(able) == 1 else "are"
                words = (
                    f"Partition {partition} has the unavailable broker {replicas[0]} as its preferred "
                    f"leader, although {brokers(able)} {are} available."
                )
                facts = {"led by fenced": replicas[0], "could be": able}
                yield Evidence(f"partition {partition}", facts, words)
