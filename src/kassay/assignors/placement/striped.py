"""Striped: each partition starts one rack further; each rack provides its unfenced brokers round robin.

Goals, in order: replicas of a partition spread over racks; replicas spread over the brokers of a rack;
unfenced brokers before fenced ones. The leader is never fenced.
A broker without a rack belongs to the rack without a name, which comes first; the others come by name. Each
rack has two lists, fenced and unfenced, by id, each with a random starting offset; the starting rack is
random too. A partition takes one broker of each rack from the starting rack on, unfenced ones first, and goes
round again while replicas are missing; its leader is the first unfenced broker that it takes. For the next
partition the starting rack and each list's offset move by one. After as many partitions as there are unfenced
brokers, the racks and all lists are shuffled.
A list identifies the partition that it last served by its number in the lap. So a list that ran out and is
next used for the partition of that number in a later lap still counts as run out, and its rack provides
fenced brokers. The racks of the partition before it were used since and suffice, so the spread over racks
holds.
Leaders are balanced over racks, not over brokers (KAFKA-15354). Existing partitions are ignored
(KAFKA-14437).
Refusals, in order: `InvalidReplicationFactorException` for a factor under 1, for no unfenced broker, and for
a factor above the number of brokers. 0 partitions give an empty placement; for fewer the controller answers
`InvalidPartitionsException` before it calls the placer.
Random numbers: an offset for each list that is not empty, fenced before unfenced, racks in the order of
Java's hash map (`rack_order` of the request if it is recorded); the starting rack; the shuffles.
Source: Kafka `org.apache.kafka.metadata.placement.StripedReplicaPlacer` (KRaft), late 2024.
Cost: O(P * (R + K)) for P partitions of R replicas over K racks, O(P) more for the shuffles.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.model.cluster import Broker
from kassay.model.java import RandomSource, bucket_order, shuffle, string_hash, utf16_key
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import (
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    Placement,
    PlacementRequest,
    Replicas,
)

_Rack = str | None


@reference(
    "striped",
    kind=PLACER,
    claims=("replicas-distinct", "rack-spread", "no-fenced-leader"),
    source="org.apache.kafka.metadata.placement.StripedReplicaPlacer",
    since="4.0.0",
    alike_by_rack=True,
)
class Striped:
    """Stripes over the racks, unfenced brokers of each rack first (KRaft)."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The replicas of each new partition; raises `PlacementRefusedError`."""
        if request.partitions < 0:
            raise InvalidPartitionsError(f"{request.partitions} partitions requested, expected 0 or more")
        stripes = _Stripes(request, random)
        _check(request)
        return tuple(stripes.next(request.replication_factor) for _ in range(request.partitions))


def _check(request: PlacementRequest) -> None:
    """Raise Kafka's refusals, in Kafka's order."""
    factor, size = request.replication_factor, len(request.brokers)
    if factor <= 0:
        raise InvalidReplicationFactorError(f"replication factor {factor}, expected at least 1")
    if not request.unfenced:
        raise InvalidReplicationFactorError(f"none of the {size} brokers is unfenced, so none may lead")
    if factor > size:
        raise InvalidReplicationFactorError(f"replication factor {factor}, but there are only {size} brokers")


class _Deal:
    """Some brokers of a rack, used round robin; each partition starts one broker further."""

    def __init__(self, ids: list[int], random: RandomSource) -> None:
        self.ids = sorted(ids)
        self._offset = random.next_int(len(ids)) if ids else 0
        self._stripe = 0
        self._dealt = 0

    def next(self, stripe: int) -> int | None:
        """The next broker for the partition with that number in this lap; None when it got all of them."""
        if not self.ids:
            return None
        if stripe != self._stripe:
            self._stripe, self._dealt = stripe, 0
            self._offset = (self._offset + 1) % len(self.ids)
        if self._dealt == len(self.ids):
            return None
        self._dealt += 1
        return self.ids[(self._dealt - 1 + self._offset) % len(self.ids)]


class _RackDeals:
    """The brokers of one rack: the unfenced ones, and the fenced ones for when those run out."""

    def __init__(self, brokers: list[Broker], random: RandomSource) -> None:
        self.fenced = _Deal([b.broker_id for b in brokers if b.fenced], random)
        self.unfenced = _Deal([b.broker_id for b in brokers if not b.fenced], random)

    def next(self, stripe: int) -> int | None:
        """The next broker of the rack; None when this partition got all of them."""
        broker = self.unfenced.next(stripe)
        return self.fenced.next(stripe) if broker is None else broker

    def shuffle(self, random: RandomSource) -> None:
        """Put both lists into a random order."""
        shuffle(self.fenced.ids, random)
        shuffle(self.unfenced.ids, random)


class _Stripes:
    """The racks, which provide the brokers of one partition at a time."""

    def __init__(self, request: PlacementRequest, random: RandomSource) -> None:
        by_rack: dict[_Rack, list[Broker]] = {rack: [] for rack in _rack_order(request)}
        for broker in request.brokers:
            by_rack[broker.rack].append(broker)
        self._random = random
        self._racks = {rack: _RackDeals(brokers, random) for rack, brokers in by_rack.items()}
        self._turns = sorted(by_rack, key=_by_name)
        self._start = random.next_int(len(self._turns)) if self._turns else 0
        self._lap = len(request.unfenced)
        self._stripe = 0

    def next(self, replication_factor: int) -> Replicas:
        """The replicas of the next partition."""
        # With a single unfenced broker a lap would end at once, and every list would start again at its
        # offset.
        if self._stripe == self._lap > 1:
            self._shuffle()
            self._stripe = 0
        turns = self._turns[self._start :] + self._turns[: self._start]
        leading, leader = self._leader(turns)
        chosen = [leader]
        # The leader's rack has served this partition in the first round, at whatever place it comes.
        visits = [rack for rack in turns if rack != leading]
        while len(chosen) < replication_factor:
            for rack in visits:
                broker = self._racks[rack].next(self._stripe)
                if broker is not None:
                    chosen.append(broker)
                if len(chosen) == replication_factor:
                    break
            visits = turns
        self._stripe += 1
        self._start = (self._start + 1) % len(self._turns)
        return tuple(chosen)

    def _leader(self, turns: list[_Rack]) -> tuple[_Rack, int]:
        """The first rack that still has an unfenced broker, and that broker."""
        return next(
            (rack, broker)
            for rack in turns
            if (broker := self._racks[rack].unfenced.next(self._stripe)) is not None
        )

    def _shuffle(self) -> None:
        """Put the racks and all their lists into a random order."""
        shuffle(self._turns, self._random)
        for rack in self._racks.values():
            rack.shuffle(self._random)


def _rack_order(request: PlacementRequest) -> list[_Rack]:
    """The racks in the order in which Java's map of them iterates."""
    racks = [broker.rack for broker in request.brokers]
    if request.rack_order is not None:
        return list(dict.fromkeys((*request.rack_order, *racks)))
    return bucket_order(racks, lambda rack: 0 if rack is None else string_hash(rack))


def _by_name(rack: _Rack) -> tuple[bool, bytes]:
    """Racks in Java's order of their names, the one without a name first."""
    return rack is not None, utf16_key(rack or "")
