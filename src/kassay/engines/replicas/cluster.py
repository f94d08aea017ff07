"""A cluster as its tools describe it, and the requested change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from kassay.engines.replicas.states import States, idle_brokers
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.request import Replicas
from kassay.reading.documents import suggestion
from kassay.reading.kafka.brokers import LogDirs

Rows = Mapping[TopicPartition, Replicas]
_SHOWN = 6


@dataclass(frozen=True)
class PlacedCluster:
    """Brokers by id, and the replicas of every partition, preferred leader first.

    `sizes`: bytes of one copy of each partition, None if unknown. `moving`: partitions under reassignment;
    their rows are the destination. `cordoned` brokers accept no new replicas; `gone` brokers hold replicas
    but no longer exist. `outputs`: what kafka-log-dirs printed. `undescribed` brokers hold replicas, and the
    cluster's tools did not list them. `states`: what brokers said of the partitions, as far as it is known.
    `factors`: replication factors that are wanted and differ from the rows'. `pinned` partitions keep their
    rows, whatever balance would want. `unused`: fields of the files that no answer rests on. `cleaned`: what
    was removed from the files as pasted. `directories`:
    log directories of replicas by partition and broker, where a reassignment names them.
    """

    brokers: tuple[Broker, ...]
    rows: Rows
    sizes: Mapping[TopicPartition, int] | None = None
    moving: frozenset[TopicPartition] = frozenset()
    cordoned: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    warnings: tuple[str, ...] = ()
    outputs: tuple[LogDirs, ...] = ()
    undescribed: frozenset[int] = frozenset()
    states: States = field(default_factory=dict)
    factors: Mapping[TopicPartition, int] = field(default_factory=dict)
    pinned: frozenset[TopicPartition] = frozenset()
    unused: tuple[str, ...] = ()
    cleaned: tuple[str, ...] = ()
    directories: Mapping[tuple[TopicPartition, int], str] = field(default_factory=dict)

    @cached_property
    def silent(self) -> frozenset[int]:
        """The brokers that hold replicas and do not answer.

        The cluster's tools did not list them, or as fenced; or they lead nothing and are in sync nowhere.
        """
        fenced = {broker.broker_id for broker in self.brokers if broker.fenced}
        held = {broker for row in self.rows.values() for broker in row}
        return self.undescribed | (fenced & held) | idle_brokers(self.states)

    @cached_property
    def observed(self) -> frozenset[TopicPartition]:
        """The partitions with observers."""
        return frozenset(tp for tp, state in self.states.items() if state.observers)

    def unsized(self, tps: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        """Those of the partitions whose size is missing although others have theirs."""
        return () if self.sizes is None else tuple(tp for tp in tps if tp not in self.sizes)

    def factor_of(self, tp: TopicPartition) -> int:
        """The replication factor that the partition is to have."""
        return self.factors.get(tp, len(self.rows[tp]))

    @cached_property
    def ids(self) -> frozenset[int]:
        """The brokers' ids."""
        return frozenset(broker.broker_id for broker in self.brokers)

    @cached_property
    def racks(self) -> dict[int, str | None]:
        """The rack of each broker."""
        return {broker.broker_id: broker.rack for broker in self.brokers}

    @property
    def has_racks(self) -> bool:
        """Whether every broker has a rack."""
        return bool(self.brokers) and all(broker.rack is not None for broker in self.brokers)

    def bytes_of(self, tp: TopicPartition) -> int:
        """Bytes of one copy of the partition, 0 if unknown."""
        return 0 if self.sizes is None else self.sizes.get(tp, 0)


@dataclass(frozen=True)
class PlacementChange:
    """The requested change: brokers to decommission, to drain but keep, to add, to cordon.

    `factor` is the replication factor wanted for all topics, `factors` for single ones.
    """

    removed: frozenset[int] = frozenset()
    drained: frozenset[int] = frozenset()
    added: tuple[Broker, ...] = ()
    cordoned: frozenset[int] = frozenset()
    factor: int | None = None
    factors: Mapping[str, int] = field(default_factory=dict)

    @property
    def leaving(self) -> frozenset[int]:
        """The brokers that must hold nothing."""
        return self.removed | self.drained

    @property
    def is_none(self) -> bool:
        """Whether the change is empty."""
        return not (self.removed or self.drained or self.added or self.factor or self.factors)

    def apply(self, cluster: PlacedCluster) -> PlacedCluster:
        """The cluster with the brokers that may hold replicas; raises `InputError` for invalid ids."""
        known = cluster.ids | cluster.gone
        for option, ids in (
            ("--remove-broker", self.removed),
            ("--drain", self.drained),
            ("--cordon", self.cordoned),
        ):
            for id_ in sorted(ids - known - {broker.broker_id for broker in self.added}):
                raise InputError(f"{option} {id_}: no such broker, expected one of {listed(known)}")
        for broker in self.added:
            if broker.broker_id in known:
                raise InputError(
                    f"--add-broker {broker.broker_id}: found among the brokers, expected a new id"
                )
        brokers = (*(b for b in cluster.brokers if b.broker_id not in self.leaving), *self.added)
        return replace(
            cluster,
            factors=self._factors(cluster),
            brokers=tuple(sorted(brokers)),
            cordoned=(cluster.cordoned | self.cordoned) - self.leaving,
            gone=frozenset(),
            warnings=(),
            outputs=(),
        )

    def _factors(self, cluster: PlacedCluster) -> dict[TopicPartition, int]:
        """The wanted replication factors that differ from today's; topics with observers keep theirs."""
        topics = {tp.topic for tp in cluster.rows}
        for topic in self.factors:
            if topic not in topics:
                raise InputError(f"--replication-factor: no topic {topic!r}{suggestion(topic, topics)}")
        kept = {tp.topic for tp in cluster.observed}
        for topic in sorted(kept & self.factors.keys()):
            raise InputError(
                f"--replication-factor {topic}: has observers, expected a topic without: change its "
                "confluent.placement.constraints"
            )
        wanted = {
            tp: self.factors.get(tp.topic, self.factor or len(row))
            for tp, row in cluster.rows.items()
            if tp.topic not in kept
        }
        return {tp: factor for tp, factor in wanted.items() if factor != len(cluster.rows[tp])}


def listed(ids: Iterable[int]) -> str:
    """Broker ids for a sentence."""
    ids = sorted(ids)
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    names = ", ".join(map(str, ids[:_SHOWN])) + more
    return f"broker{'s' if len(ids) != 1 else ''} {names}" if ids else "no broker"


def named(tps: Iterable[TopicPartition]) -> str:
    """Partitions for a sentence."""
    tps = sorted(tps)
    return ", ".join(map(str, tps[:_SHOWN])) + (f" and {len(tps) - _SHOWN} more" if len(tps) > _SHOWN else "")


def leaders_of(rows: Iterable[Replicas]) -> Counter[int]:
    """The number of partitions that each broker leads if preferred leaders lead."""
    return Counter(row[0] for row in rows if row)


def replicas_of(rows: Iterable[Replicas]) -> Counter[int]:
    """The number of replicas on each broker."""
    return Counter(broker for row in rows for broker in row)


def bytes_on(cluster: PlacedCluster, rows: Rows) -> Counter[int]:
    """The bytes of the replicas on each broker in these rows."""
    held: Counter[int] = Counter()
    for tp, row in rows.items():
        for broker in row:
            held[broker] += cluster.bytes_of(tp)
    return held
