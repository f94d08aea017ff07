"""Facts of the outputs that warn, and facts that the outputs lack.

A topic with offsets that no member owns is lost, or no longer subscribed. A partition without a leader is
read by no member. A member that uses the classic protocol in a consumer group is half of a migration. The
offsets view has no row for a member without partitions (Kafka 2.0 to 4.4, seen on 3.9 and 4.4), nor the
members' racks, nor the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from kassay.certify.clusters.figures import LagsAndLeaders
from kassay.certify.clusters.inputs import ClusterInputs
from kassay.certify.clusters.stability import several
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group
from kassay.reading.kafka.groups import GroupOutputs, MemberRow
from kassay.writing.text import counted

_BARE_UUID: Final = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
"""A `Uuid` of Kafka as its own text: 16 bytes in URL-safe base64."""
_CLASSIC_ONLY: Final = frozenset({"roundrobin", "sticky", "cooperative-sticky"})
NOT_USED: Final = {
    "HOST": "names a member",
    "COORDINATOR (ID)": "which broker coordinates makes no difference",
    "CURRENT-OFFSET": "LAG has what counts of it",
    "LOG-END-OFFSET": "LAG has what counts of it",
    "LEADER-EPOCH": "assignment does not rest on it",
    "TopicId": "only the order of Kafka's hash maps rests on it",
    "Configs": "assignment does not rest on them",
    "ReplicationFactor": "Replicas has the replicas themselves",
    "Elr": "a member fetches from leaders and in-sync replicas only",
    "LastKnownElr": "a member fetches from leaders and in-sync replicas only",
}
"""Fields of the tools on which no question about a group rests, with the reason."""


def lost_topics(outputs: GroupOutputs, read: Collection[str]) -> Iterator[str]:
    """Each topic with offsets and no owner to which no member is known to subscribe, with its lag."""
    rows: dict[str, dict[int, int | None]] = {}
    for row in outputs.offsets:
        if row.topic is not None and row.topic not in read:
            rows.setdefault(row.topic, {})[row.partition] = row.lag
    for topic, lags in sorted(rows.items()):
        known = [lag for lag in lags.values() if lag is not None]
        least = "at least " if len(known) < len(lags) else ""
        lag = f"lag {least}{sum(known):,}" if known else "lag not known"
        yield (
            f"{topic}: {counted(len(lags), 'partition')} with offsets, no owner, {lag}: "
            "lost, or no longer subscribed?"
        )


def past_end(outputs: GroupOutputs) -> Iterator[str]:
    """The partitions whose committed offset is past the end of the log: a negative LAG."""
    rows = (row for row in outputs.offsets if row.topic is not None and row.is_past_end)
    tps = sorted({TopicPartition(str(row.topic), row.partition) for row in rows})
    if tps:
        yield (
            f"{counted(len(tps), 'partition')} with a LAG below 0, taken as 0: {several(tps)}: a "
            "committed offset past the end of the log, truncated or created again?"
        )


def leaderless(inputs: ClusterInputs, cluster: Cluster) -> Iterator[str]:
    """The partitions that the group subscribes to and that no member can read."""
    tps = [tp for tp, leader in sorted(inputs.leaders.items()) if leader is None and cluster.has(tp)]
    if tps:
        have = "has" if len(tps) == 1 else "have"
        yield f"{counted(len(tps), 'partition')} {have} no leader, so no member reads it: {several(tps)}"
    tps = sorted(tp for tp in inputs.lagging if cluster.has(tp))
    if tps:
        have = "has" if len(tps) == 1 else "have"
        yield (
            f"{counted(len(tps), 'partition')} {have} replicas out of sync, from which no member fetches: "
            f"{several(tps)}"
        )


def migrating(rows: Mapping[str, MemberRow], labels: Mapping[str, str]) -> Iterator[str]:
    """Members of the classic protocol in a group of the consumer protocol."""
    classic = [labels[member] for member, row in sorted(rows.items()) if row.is_consumer is False]
    if classic and any(row.is_consumer for row in rows.values()):
        use = "uses" if len(classic) == 1 else "use"
        yield (
            f"{len(classic)} of {len(rows)} members still {use} the classic protocol ({several(classic)}): "
            "a migration is under way; restart the rest with group.protocol=consumer to finish it"
        )


def members_counted(outputs: GroupOutputs, members: int) -> Iterator[str]:
    """The difference between the members that the coordinator counts and those with a row."""
    for row in outputs.states:
        if row.members > members and not outputs.members:
            missing = row.members - members
            yield (
                f"the state counts {counted(row.members, 'member')}, the rows show {members}: "
                f"{counted(missing, 'member')} without partitions {'is' if missing == 1 else 'are'} not in "
                "this view; add the output of --members --verbose"
            )
        elif row.members != members:
            yield (
                f"the state counts {counted(row.members, 'member')}, the rows show {members}: "
                "outputs of different times?"
            )


def gaps(outputs: GroupOutputs, group: Group, cluster: Cluster) -> Iterator[str]:
    """What no output shows though an answer rests on it."""
    if not outputs.members and not outputs.states and all(row.topic is not None for row in outputs.offsets):
        yield "members without partitions are not in the offsets view: add the output of --members --verbose"
    if cluster.has_replica_racks and group.members and not any(member.rack for member in group.members):
        yield (
            "the members' racks are not given, and Kafka's rules use racks: "
            "add lines consumer,rack if the members have client.rack"
        )


def is_consumer_group(outputs: GroupOutputs, members: Sequence[str]) -> tuple[bool, str | None]:
    """Whether the group uses the consumer protocol, and the assumption under which that is so.

    Member ids of the classic protocol begin with the client's or the instance's id; those of the consumer
    protocol are bare (KIP-848, `ConsumerMembershipManager`).
    """
    if any(row.epoch is not None for row in outputs.states) or any(m.is_consumer for m in outputs.members):
        return True, None
    strategy = next((row.strategy for row in outputs.states if row.strategy), None)
    shown = outputs.members and all(row.is_consumer is not None for row in outputs.members)
    if strategy == "uniform":
        return True, None
    if shown or strategy in _CLASSIC_ONLY or not members or not all(map(_BARE_UUID.fullmatch, members)):
        return False, None
    return True, "the consumer protocol, since the member ids are bare UUIDs; --state --verbose says which"


def scales_of(inputs: ClusterInputs, outputs: GroupOutputs, cluster: Cluster) -> LagsAndLeaders:
    """The lags and the racks of the leaders of the group's partitions."""
    lags = {
        tp: row.lag
        for row in outputs.offsets
        if row.topic is not None
        and row.lag is not None
        and cluster.has(tp := TopicPartition(row.topic, row.partition))
    }
    racks = {broker.broker_id: broker.rack for broker in cluster.brokers if broker.rack is not None}
    leaders = {
        tp: racks[leader]
        for tp, leader in inputs.leaders.items()
        if leader is not None and leader in racks and cluster.has(tp)
    }
    lags.update((tp, lag) for tp, lag in (inputs.lags or {}).items() if cluster.has(tp))
    return LagsAndLeaders(lags or None, leaders)
