"""A consumer group as observed: members, owned partitions, and assumptions.

Ownership of partitions, read from the offsets view and the members view of a group. No tool of Kafka
prints what a member of a classic group subscribes to: each member is assumed to read every topic of
which the group owns a partition, unless a file says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kassay.engines.clusters import facts
from kassay.engines.clusters.figures import PLAIN, LagsAndLeaders
from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.stability import SCHEMA as UNSTABLE
from kassay.engines.clusters.stability import (
    WITHOUT_MEMBERS,
    Stability,
    contradictions,
    ownership,
    stability_of,
)
from kassay.engines.clusters.topic_facts import broker_facts, partition_facts, topic_facts
from kassay.model.cluster import Cluster, Topic, TopicPartition, numbers_by_topic
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.lazy import lazy
from kassay.reading.documents import shown, suggestion
from kassay.reading.kafka.groups import GroupOutputs, MemberRow, Said, of_group

NOW: Final = 1
"""The generation of the partitions that members own now."""
_GAPS_MAX: Final = 4
_FEW: Final = 1_000
"""A topic known only by this few of its partitions is unknown: its partition count must be given."""


@dataclass(frozen=True)
class Consumer:
    """A member and the names by which users may refer to it."""

    member_id: str
    client_id: str | None
    host: str | None
    is_consumer: bool | None = None


@dataclass(frozen=True)
class ObservedGroup:
    """A group at one moment.

    `strategy`: the assignor that the coordinator printed, None if no output has it. `is_consumer_group`: the
    group uses the consumer protocol (KIP-848). `warnings`: conditions that may make an answer meaningless;
    `assumptions`: facts taken for granted; `unused`: fields of the files on which no answer rests, and why;
    `cleaned`: what was removed from the files as pasted.
    """

    name: str
    cluster: Cluster
    group: Group
    consumers: tuple[Consumer, ...]
    strategy: str | None
    is_consumer_group: bool
    warnings: tuple[str, ...]
    assumptions: tuple[str, ...]
    stability: Stability
    gaps: tuple[str, ...] = ()
    scales: LagsAndLeaders = PLAIN
    unused: Mapping[str, str] = field(default_factory=dict)
    cleaned: tuple[str, ...] = ()

    @lazy
    def assignment(self) -> Assignment:
        """The partitions that each member owns now."""
        return Assignment({member.member_id: member.owned for member in self.group.members})

    @lazy
    def unowned(self) -> tuple[TopicPartition, ...]:
        """The partitions of subscribed topics without an owner, in order."""
        owned = self.assignment.owners()
        read = self.group.subscribers
        return tuple(
            tp
            for name, tps in sorted(self.cluster.partitions.items())
            if name in read
            for tp in tps
            if tp not in owned
        )

    @lazy
    def labels(self) -> dict[str, str]:
        """The display name of each member: its client id if unique, else its member id."""
        return labels_of(self.consumers)

    @property
    def protocol(self) -> str:
        """The rebalance protocol of the group, as documents name it."""
        return "consumer" if self.is_consumer_group else "classic"

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the group in every document about it."""
        return {
            "group": self.name,
            "strategy": self.strategy,
            "protocol": self.protocol,
            "state": self.stability.state,
            "epoch": self.stability.epoch,
            "static_members": self.static,
            "warnings": list(self.warnings),
            "assumptions": list(self.assumptions),
            "not_shown": list(self.gaps),
            "cleaned": list(self.cleaned),
            "not_used": dict(self.unused),
        }

    def unstable_document(self) -> dict[str, Any]:
        """The document of a group that is not stable: who holds what, and who waits."""
        return {
            "schema": UNSTABLE,
            "group": self.name,
            "strategy": self.strategy,
            "protocol": self.protocol,
            "warnings": list(self.warnings),
            "not_used": dict(self.unused),
            "cleaned": list(self.cleaned),
            **self.stability.to_json(),
        }

    @property
    def static(self) -> int:
        """The number of static members (KIP-345)."""
        return sum(member.instance_id is not None for member in self.group.members)

    @property
    def is_static(self) -> bool:
        """Whether every member is static (KIP-345)."""
        return all(member.instance_id is not None for member in self.group.members)


def labels_of(consumers: Iterable[Consumer]) -> dict[str, str]:
    """The display name of each member: its client id if unique, else its member id."""
    consumers = tuple(consumers)
    clients = Counter(each.client_id for each in consumers)
    unique = {client for client, count in clients.items() if client and count == 1}
    return {
        each.member_id: each.client_id if each.client_id in unique else each.member_id for each in consumers
    }


def observe(inputs: ClusterInputs, name: str | None = None) -> ObservedGroup:
    """The group of this name, or the only group in the files; raises `InputError`."""
    group = _named(inputs, name)
    outputs = of_group(inputs.groups, group)
    warnings: list[str] = [*inputs.notes]
    assumptions: list[str] = []
    _require_consumers(outputs, group)
    owned, rows = ownership(outputs, group, warnings)
    consumers = tuple(_consumer(outputs, rows, member_id) for member_id in sorted(owned))
    labels = labels_of(consumers)
    stability = stability_of(outputs, owned, rows, labels)
    if not owned:
        _require_rebalancing(outputs, group, stability)
    if not (stability.is_stable or stability.state in WITHOUT_MEMBERS or outputs.empty):
        warnings.append("the group was rebalancing when this was printed: ownership may be incomplete")
    warnings += contradictions(stability, labels)
    counts = _counts(inputs, outputs, owned, warnings, assumptions)
    topics = _subscriptions(inputs, consumers, owned, rows, counts, assumptions)
    members = _members(inputs, consumers, owned, rows, topics, warnings)
    read = {topic for member in members for topic in member.topics}
    cluster = Cluster(
        tuple(_topic(inputs, topic, counts[topic]) for topic in sorted(read)),
        tuple(inputs.brokers[key] for key in sorted(inputs.brokers)),
    )
    warnings += facts.members_counted(outputs, len(members))
    warnings += facts.migrating(rows, labels)
    if stability.is_stable:
        warnings += facts.lost_topics(outputs, read)
    warnings += facts.past_end(outputs)
    warnings += facts.lags_elsewhere(inputs, cluster)
    warnings += facts.contradicted(outputs)
    warnings += facts.renamed(outputs)
    warnings += facts.states_told(outputs, len(owned))
    warnings += facts.epochs_told(outputs)
    warnings += partition_facts(inputs, cluster)
    warnings += topic_facts(inputs, cluster)
    warnings += broker_facts(inputs, cluster)
    is_consumer_group, protocol = facts.is_consumer_group(outputs, [each.member_id for each in members])
    if protocol is not None:
        assumptions.append(protocol)
    seen = Group(members, members[0].member_id if members else None)
    return ObservedGroup(
        group,
        cluster,
        seen,
        consumers,
        next((row.strategy for row in outputs.states if row.strategy), None),
        is_consumer_group,
        tuple(warnings),
        tuple(assumptions),
        stability,
        tuple(facts.gaps(outputs, seen, cluster, are_racks_known=inputs.are_racks_known)),
        facts.scales_of(inputs, outputs, cluster),
        facts.unused(inputs),
        tuple(inputs.cleaned),
    )


def _members(
    inputs: ClusterInputs,
    consumers: tuple[Consumer, ...],
    owned: Mapping[str, set[TopicPartition]],
    rows: Mapping[str, MemberRow],
    topics: Mapping[str, tuple[str, ...]],
    warnings: list[str],
) -> tuple[Member, ...]:
    """The members with their racks and instance ids."""
    racks = _by_consumer(inputs.racks, consumers, rows)
    if inputs.racks and not inputs.are_racks_known and (without := len(consumers) - len(racks)):
        warnings.append(f"{without} of {len(consumers)} members have no rack in the file of racks")
    return tuple(
        Member(
            each.member_id,
            topics[each.member_id],
            tuple(sorted(owned[each.member_id])),
            NOW,
            (racks.get(each.member_id) or (None,))[0],
            rows[each.member_id].instance_id if each.member_id in rows else None,
        )
        for each in consumers
    )


OTHERS: Final = {
    "stream": "Kafka Streams",
    "compatible": "Kafka Connect",
    "sessioned": "Kafka Connect",
    "eager": "Kafka Connect",
}
"""The strategies that the coordinator names for groups of other clients."""


def _require_consumers(outputs: GroupOutputs, group: str) -> None:
    """Raises `InputError` if the strategy is that of other clients than consumers."""
    for row in outputs.states:
        if row.strategy in OTHERS:
            raise InputError(
                f"{row.place}: group {shown(group)} is a group of {OTHERS[row.strategy]} (strategy "
                f"{shown(row.strategy)}), expected a group of plain consumers"
            )


def _require_rebalancing(outputs: GroupOutputs, group: str, stability: Stability) -> None:
    """Raises `InputError` if a group without members is not one whose members are only not shown."""
    if any(row.members for row in outputs.states):
        raise InputError(
            f"group {shown(group)}: no output shows ownership, expected the offsets view as well: "
            f"kafka-consumer-groups.sh --describe --group {group}"
        )
    if group in outputs.empty:
        said = f"the tool says \"Consumer group '{group}' has no active members.\""
    elif stability.state in WITHOUT_MEMBERS:
        said = f"its state is {stability.state}"
    elif not stability.is_stable:
        return
    else:
        said = "no row has a CONSUMER-ID; if it runs, print it again with --state"
    raise InputError(f"group {shown(group)}: has no members ({said}), expected a group with active members")


def _named(inputs: ClusterInputs, name: str | None) -> str:
    """The name of the group to observe."""
    names = inputs.group_names
    if not names:
        read = f"{', '.join(inputs.files)}: " if inputs.files else ""
        raise InputError(
            f"{read}no consumer group, expected the output of kafka-consumer-groups.sh --describe --group G"
        )
    if name is None:
        if len(names) > 1:
            listed = ", ".join(map(shown, names[:5])) + (", ..." if len(names) > 5 else "")
            raise InputError(f"{len(names)} groups ({listed}): expected --group with one of them")
        return names[0]
    if name not in names:
        if names == ("",):
            return ""
        raise InputError(f"--group: there is no group {shown(name)}{suggestion(name, names)}")
    return name


def _consumer(outputs: GroupOutputs, rows: Mapping[str, MemberRow], member_id: str) -> Consumer:
    if member_id in rows:
        row = rows[member_id]
        return Consumer(member_id, row.client_id, row.host, row.is_consumer)
    client_id, host = next((r.client_id, r.host) for r in outputs.offsets if r.member == member_id)
    return Consumer(member_id, client_id, host)


def _counts(
    inputs: ClusterInputs,
    outputs: GroupOutputs,
    owned: Mapping[str, set[TopicPartition]],
    warnings: list[str],
    assumptions: list[str],
) -> dict[str, int]:
    """The partition count of each topic that an output mentions; raises `InputError`."""
    shown_tps = {TopicPartition(row.topic, row.partition) for row in outputs.offsets if row.topic is not None}
    numbers = numbers_by_topic(shown_tps.union(*owned.values()))
    seen = {topic: max(each) + 1 for topic, each in numbers.items()}
    if inputs.topics is None:
        for topic, least in sorted(seen.items()):
            if least > _GAPS_MAX * len(numbers[topic]) + _FEW:
                raise InputError(
                    f"topic {shown(topic)}: found partition {least - 1} and {len(numbers[topic]) - 1} more, "
                    "expected the output of kafka-topics.sh --describe as well"
                )
        assumptions.append("topics have the partitions that the group shows: no kafka-topics output")
        return seen
    counts = {name: topic.partitions for name, topic in inputs.topics.items()}
    for name, least in sorted(seen.items()):
        if name not in counts:
            warnings.append(
                f"topic {shown(name)} is not in the kafka-topics output: deleted, or left out of it?"
            )
            counts[name] = least
        elif least > counts[name]:
            raise InputError(
                f"topic {shown(name)}: found partition {least - 1} in the group's outputs, "
                f"expected one up to {counts[name] - 1} as kafka-topics says: take both at one time"
            )
    return counts


def _subscriptions(
    inputs: ClusterInputs,
    consumers: tuple[Consumer, ...],
    owned: Mapping[str, set[TopicPartition]],
    rows: Mapping[str, MemberRow],
    counts: Mapping[str, int],
    assumptions: list[str],
) -> dict[str, tuple[str, ...]]:
    """The topics of each member's subscription; raises `InputError` for an unknown topic."""
    everything = {topic for tps in owned.values() for topic, _ in tps}
    everything |= {tp[0] for row in rows.values() for tp in row.target or ()}
    said = _by_consumer(inputs.subscriptions, consumers, rows)
    for each in inputs.subscriptions:
        for topic in each.values:
            if topic not in counts:
                raise each.place.wrong("topics", topic, f"a topic of the cluster{suggestion(topic, counts)}")
    unsaid = len(consumers) - len(said)
    if unsaid:
        all_topics = {1: "the topic", 2: "both topics"}.get(len(everything), f"all {len(everything)} topics")
        who = "each member" if not said else f"each of the {unsaid} members without a line"
        assumptions.append(
            f"{who} subscribes to {all_topics} of the group; override with a consumer,topics file"
        )
    usual = tuple(sorted(everything))
    return {
        each.member_id: tuple(sorted(said[each.member_id])) if each.member_id in said else usual
        for each in consumers
    }


def _by_consumer(
    said: Iterable[Said], consumers: tuple[Consumer, ...], rows: Mapping[str, MemberRow]
) -> dict[str, tuple[str, ...]]:
    """The subscriptions given for each member by any of its names; raises `InputError` if unknown."""
    by_name: dict[str, list[str]] = {}
    for each in consumers:
        instance = rows[each.member_id].instance_id if each.member_id in rows else None
        host = each.host
        names = {each.member_id, instance, each.client_id, host, host and host.removeprefix("/")}
        for name in names - {None, ""}:
            by_name.setdefault(str(name), []).append(each.member_id)
    values: dict[str, tuple[str, ...]] = {}
    for entry in said:
        if entry.consumer not in by_name:
            expected = f"a member id, instance id, client id or host{suggestion(entry.consumer, by_name)}"
            raise entry.place.wrong("consumer", entry.consumer, expected)
        values.update((member_id, entry.values) for member_id in by_name[entry.consumer])
    return values


def _topic(inputs: ClusterInputs, name: str, partitions: int) -> Topic:
    """The topic from its own output, or as the group's output shows it."""
    known = (inputs.topics or {}).get(name)
    return known if known is not None else Topic(name, partitions)


def lags_of(inputs: ClusterInputs, observed: ObservedGroup) -> dict[TopicPartition, int]:
    """The lags of the group from lines of lags, else from the offsets view; raises `InputError`."""
    lags = inputs.lags
    if lags is None:
        lags = {
            TopicPartition(row.topic, row.partition): lag
            for row in of_group(inputs.groups, observed.name).offsets
            if row.topic is not None and (lag := row.records_behind) is not None
        }
    known = {tp: lag for tp, lag in lags.items() if observed.cluster.has(tp)}
    if not known:
        raise InputError(
            "--lag: no lag of a partition that the group reads, expected its offsets view, or a file "
            "below the titles topic,partition,lag"
        )
    return known
