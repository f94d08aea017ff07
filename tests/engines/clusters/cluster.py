"""Groups as Kafka's tools would print them, for tests that start from any group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.observed import ObservedGroup, observe

TITLES = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"


def offsets(owned: Mapping[str, Sequence[str]], unowned: Sequence[str] = (), group: str = "g") -> str:
    """The offsets view of a group in which members own partitions such as `t-0`."""
    rows = [TITLES]
    for member, tps in owned.items():
        for tp in tps or ["--"]:
            topic, _, number = tp.rpartition("-")
            rows.append(f"{group} {topic} {number or '-'} - - - {member} /h-{member} c-{member}")
    for tp in unowned:
        topic, _, number = tp.rpartition("-")
        rows.append(f"{group} {topic} {number} 1 1 0 - - -")
    return "\n".join(rows) + "\n"


def topics(counts: Mapping[str, int], brokers: int = 3) -> str:
    """What kafka-topics says of topics with two replicas."""
    rows = []
    for name, count in counts.items():
        rows.append(f"Topic: {name}\tPartitionCount: {count}\tReplicationFactor: 2\tConfigs: ")
        for p in range(count):
            ids = f"{p % brokers},{(p + 1) % brokers}"
            rows.append(
                f"\tTopic: {name}\tPartition: {p}\tLeader: {p % brokers}\tReplicas: {ids}\tIsr: {ids}"
            )
    return "\n".join(rows) + "\n"


def inputs(*texts: str) -> ClusterInputs:
    """What these texts say, called f1, f2, ..."""
    read = ClusterInputs()
    for number, text in enumerate(texts, start=1):
        read.take(text, f"f{number}")
    return read


def observed(*texts: str, group: str | None = None) -> ObservedGroup:
    """The group of these texts."""
    return observe(inputs(*texts), group)
