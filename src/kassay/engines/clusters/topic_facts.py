"""What the lines of topics and the brokers say that makes an answer about a group doubtful.

A member fetches from the leader of a partition or from a replica in sync. Partitions without a leader,
replicas that do not answer, are fenced or are being moved, and lines that contradict themselves are warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.stability import several
from kassay.model.cluster import Cluster
from kassay.reading.kafka.topics import DescribedPartition
from kassay.writing.text import counted

_Row = DescribedPartition


def _has_lagging(row: _Row) -> bool:
    apart = {*row.isr, *row.observers, *row.adding}
    return bool(row.isr) and not apart.issuperset(row.replicas)


def _is_led_from_outside(row: _Row) -> bool:
    named = {*row.isr, *row.observers, *row.offline} | (set() if row.leader is None else {row.leader})
    return not named.issubset(row.replicas)


def _is_led_out_of_sync(row: _Row) -> bool:
    return row.leader is not None and row.leader in row.replicas and row.leader not in row.isr


_CONDITIONS: Final[tuple[tuple[Callable[[_Row], bool], str], ...]] = (
    (lambda row: row.leader is None, "{has} no leader, so no member reads {it}"),
    (_has_lagging, "{has} replicas out of sync, from which no member fetches"),
    (lambda row: bool(row.offline), "{has} replicas that are offline, from which no member fetches"),
    (
        lambda row: bool(row.elr or row.last_known_elr),
        "{has} eligible leaders out of sync (Elr): fewer in sync than min.insync.replicas, so producers with "
        "acks=all wait",
    ),
    (
        lambda row: bool(row.observers),
        "{has} observers (Confluent Server), which count as replicas in their racks",
    ),
    (lambda row: row.is_moving, "{is} being reassigned: racks and leaders will be others"),
    (
        _is_led_from_outside,
        "{has} a leader or a replica in sync that Replicas lacks: edited by hand? Describe the topics again",
    ),
    (
        _is_led_out_of_sync,
        "{has} a leader that Isr lacks: edited by hand? Describe the topics again",
    ),
)
"""Of which partitions something is said, and what."""


def partition_facts(inputs: ClusterInputs, cluster: Cluster) -> Iterator[str]:
    """What the lines of partitions say, one sentence a kind, with the partitions that it is true of."""
    rows = [row for row in inputs.rows if cluster.has(row.partition)]
    for is_true, said in _CONDITIONS:
        tps = sorted(row.partition for row in rows if is_true(row))
        if tps:
            one = len(tps) == 1
            words = said.format_map(
                {"has": "has" if one else "have", "is": "is" if one else "are", "it": "it" if one else "them"}
            )
            yield f"{counted(len(tps), 'partition')} {words}: {several(tps)}"


def topic_facts(inputs: ClusterInputs, cluster: Cluster) -> Iterator[str]:
    """What the topics' own lines say: a topic that vanishes, a number of replicas that is not there."""
    topics = [topic for name, topic in sorted(inputs.described.items()) if name in cluster.counts]
    deleted = [topic.name for topic in topics if topic.is_being_deleted]
    if deleted:
        yield f"{counted(len(deleted), 'topic')} marked for deletion: {several(deleted)}"
    for topic in topics:
        factor = topic.replication_factor
        other = [
            row.partition
            for row in topic.partitions
            if factor is not None and factor not in (len(row.replicas), len(row.target))
        ]
        if other:
            have = "has" if len(other) == 1 else "have"
            yield (
                f"ReplicationFactor of {topic.name} is {factor}, but {counted(len(other), 'partition')} "
                f"{have} another number of replicas: {several(other)}"
            )


def broker_facts(inputs: ClusterInputs, cluster: Cluster) -> Iterator[str]:
    """Brokers with replicas that are fenced, not described, or without a rack where others have one."""
    holding = {broker for topic in cluster.topics for row in topic.replicas or () for broker in row}
    if not inputs.brokers or not holding:
        return
    known = {key: inputs.brokers[key] for key in holding if key in inputs.brokers}
    absent = sorted(holding - known.keys())
    if absent:
        does, its = ("does", "its rack is") if len(absent) == 1 else ("do", "their racks are")
        yield f"{_brokers(absent)} not among the brokers: {does} not answer, {its} not known"
    fenced = sorted(key for key, broker in known.items() if broker.fenced)
    if fenced:
        yield f"{_brokers(fenced)} fenced: no member fetches from there"
    in_use = {
        broker
        for row in inputs.rows
        if row.leader is not None and cluster.has(row.partition)
        for broker in (row.leader, *row.isr)
    }
    doubted = sorted(in_use.intersection({*absent, *fenced}))
    if doubted:
        yield f"{_brokers(doubted)} leading or in sync by the topics' lines: outputs of different times?"
    without = sorted(key for key, broker in known.items() if broker.rack is None)
    if without and len(without) < len(known):
        yield f"{_brokers(without)} without a rack, which others have: replicas there are in no member's rack"


def _brokers(ids: list[int]) -> str:
    """`broker 3 is`, `brokers 3 and 4 are`."""
    word, are = ("broker", "is") if len(ids) == 1 else ("brokers", "are")
    return f"{word} {several(ids)} {are}"
