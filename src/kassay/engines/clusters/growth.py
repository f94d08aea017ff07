"""What more partitions do next to a rebalance: keys that change partition, and records that are not read.

A producer's default partitioner takes murmur2 of the key modulo the number of partitions (KIP-480, Kafka
`BuiltInPartitioner`), so that a change of this number moves keys. A consumer learns of new partitions with
its next metadata; with `auto.offset.reset=latest` it starts at the end of each, and what was written before
is never read (KAFKA-20539). Measured on Kafka 4.4.0 with kafka-clients 4.4.0 and librdkafka 2.16.0: in
classic groups records of 4.7 to 12.7 s were skipped with metadata.max.age.ms of 10 to 20 s; in consumer
groups of 2.8 to 5.2 s whatever that setting, with heartbeats every 5 s; none with earliest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple

from kassay.engines.clusters.clients.rules import ClientLibrary, client_named
from kassay.engines.clusters.events import PlannedChange
from kassay.model.groups.history import AddPartitions

HEARTBEAT_MS: Final = 5_000
"""`group.consumer.heartbeat.interval.ms` by default."""
HASHES: Final = 2**31
"""A key's hash is murmur2 without its sign: 0 to 2^31 - 1."""


def moved_share(before: int, after: int) -> Fraction:
    """The exact share of all hashes whose partition differs between these numbers of partitions.

    A hash stays if both remainders are equal: of each run of lcm(before, after) hashes the first
    min(before, after).

    >>> moved_share(1, 2), moved_share(6, 6)
    (Fraction(1, 2), Fraction(0, 1))
    """
    period, least = lcm(before, after), min(before, after)
    staying = HASHES // period * least + min(HASHES % period, least)
    return 1 - Fraction(staying, HASHES)


class TopicGrowth(NamedTuple):
    """A topic that gets more partitions."""

    topic: str
    before: int
    after: int

    @property
    def moved(self) -> Fraction:
        """The share of keys whose next record goes to another partition."""
        return moved_share(self.before, self.after)

    @property
    def new(self) -> Fraction:
        """The share of keys whose next record goes to a new partition."""
        staying = HASHES // self.after * self.before + min(HASHES % self.after, self.before)
        return 1 - Fraction(staying, HASHES)

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the topic; shares in percent."""
        return {
            "topic": self.topic,
            "before": self.before,
            "after": self.after,
            "keys_moved_percent": float(100 * self.moved),
            "keys_to_new_percent": float(100 * self.new),
        }


def growths_of(changes: Iterable[PlannedChange], counts: Mapping[str, int]) -> tuple[TopicGrowth, ...]:
    """The topics that grow, in order; a topic that grows twice stands twice."""
    now, growths = dict(counts), []
    for change in changes:
        for event in change.change:
            if isinstance(event, AddPartitions) and event.topic in now:
                growths.append(TopicGrowth(event.topic, now[event.topic], event.partitions))
                now[event.topic] = event.partitions
    return tuple(growths)


class LateReader(NamedTuple):
    """How late a consumer learns of new partitions by default, and what it does then.

    `within_ms`: the age at which it renews its metadata, or of the consumer protocol the interval of its
    heartbeats, in whose answer the brokers assign new partitions; 0 for never. `reset`: where it starts.
    """

    library: str
    within_ms: int
    reset: str
    is_consumer: bool = False

    @property
    def setting(self) -> str:
        """The setting that says how late."""
        return "group.consumer.heartbeat.interval.ms" if self.is_consumer else "metadata.max.age.ms"

    @property
    def skips(self) -> bool:
        """Whether records are never read: those written before it learns of the partition."""
        return self.reset == "latest"

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the consumer."""
        return {"client": self.library, "learns_within_ms": self.within_ms, "starts_at": self.reset}


def late_reader(client: ClientLibrary | None, *, is_consumer: bool) -> LateReader:
    """The defaults of the members' library, Java's if none is given."""
    name, rules = client or client_named("java")
    within = HEARTBEAT_MS if is_consumer else rules.source.metadata_ms
    return LateReader(name, within, rules.source.reset, is_consumer)
