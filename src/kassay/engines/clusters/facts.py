"""Facts of the outputs that warn, and facts that the outputs lack.

A topic with offsets that no member owns is lost, or no longer subscribed. Rows that contradict each other are
of different times, or were edited. A member that uses the classic protocol in a consumer group is half of a
migration. The offsets view has no row for a member without partitions (Kafka 2.0 to 4.4, seen on 3.9 and
4.4), nor the members' racks, nor the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from kassay.engines.clusters.figures import LagsAndLeaders
from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.stability import STABLE, WITHOUT_MEMBERS, several
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group
from kassay.reading.kafka.groups import GroupOutputs, MemberRow, OffsetRow
from kassay.reading.kafka.topics import DescribedPartition
from kassay.writing.text import counted

_BARE_UUID: Final = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
"""A `Uuid` of Kafka as its own text: 16 bytes in URL-safe base64."""
_CLASSIC_ONLY: Final = frozenset({"roundrobin", "sticky", "cooperative-sticky"})
_TITLES_READ: Final = frozenset(
    {
        "GROUP",
        "TOPIC",
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        "CONSUMER-ID",
        "CLIENT-ID",
        "GROUP-INSTANCE-ID",
        "#PARTITIONS",
        "ASSIGNMENT",
        "CURRENT-EPOCH",
        "CURRENT-ASSIGNMENT",
        "TARGET-EPOCH",
        "TARGET-ASSIGNMENT",
        "UPGRADED",
        "ASSIGNMENT-STRATEGY",
        "STATE",
        "GROUP-EPOCH",
        "TARGET-ASSIGNMENT-EPOCH",
        "#MEMBERS",
    }
)
"""The titles of the tools' tables on which an answer rests."""
NOT_USED: Final = {
    "HOST": "names a member",
    "COORDINATOR (ID)": "which broker coordinates makes no difference",
    "LEADER-EPOCH": "assignment does not rest on it",
    "TopicId": "only the order of Kafka's hash maps rests on it",
    "host, port and API versions of brokers": "id and rack name a broker",
}
"""Fields of the tools on which no question about a group rests, with the reason."""


def unused(inputs: ClusterInputs) -> dict[str, str]:
    """The fields of these files on which the answer does not rest, each with the reason."""
    titles = sorted({title for each in inputs.groups for title in each.titles} - _TITLES_READ)
    return {
        name: NOT_USED.get(
            name,
            "no question about a group rests on it"
            if name.startswith("Configs: ")
            else "not known to kassay",
        )
        for name in (*titles, *inputs.fields)
    }


def lost_topics(outputs: GroupOutputs, read: Collection[str]) -> Iterator[str]:
    """Each topic with offsets and no owner to which no member is known to subscribe, with its lag."""
    rows: dict[str, dict[int, int | None]] = {}
    for row in outputs.offsets:
        if row.topic is not None and row.topic not in read:
            rows.setdefault(row.topic, {})[row.partition] = row.records_behind
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


def lags_elsewhere(inputs: ClusterInputs, cluster: Cluster) -> Iterator[str]:
    """The lines of lags that name partitions which the group does not read."""
    tps = sorted(tp for tp in inputs.lags or {} if not cluster.has(tp))
    if tps:
        line, names = ("line", "names") if len(tps) == 1 else ("lines", "name")
        yield f"{len(tps)} {line} of lags {names} partitions that the group does not read: {several(tps)}"


def contradicted(outputs: GroupOutputs) -> Iterator[str]:
    """Rows of the offsets view that contradict themselves, or each other."""
    known: dict[TopicPartition, OffsetRow] = {}
    lags, owners, wrong = [], [], []
    for row in outputs.offsets:
        if row.topic is None:
            continue
        tp = TopicPartition(row.topic, row.partition)
        before = known.setdefault(tp, row)
        if before is row:
            pass
        elif (row.records_behind, row.is_past_end) != (before.records_behind, before.is_past_end):
            lags.append(f"{tp} ({_lag(before)} at {before.place}, {_lag(row)} at {row.place})")
        if row.member != before.member:
            owners.append(f"{tp} ({before.member or 'none'} at {before.place}, {row.member or 'none'})")
        if row.lag != row.behind and row.is_lag_contradicted:
            wrong.append(f"{tp} ({row.lag:,}, not {row.behind:,})")
    if wrong:
        yield (
            f"{counted(len(wrong), 'row')} with a LAG that is not LOG-END-OFFSET less CURRENT-OFFSET: "
            f"{several(wrong)}: edited by hand? LAG is taken"
        )
    if lags:
        yield (
            f"{counted(len(lags), 'row')} with another LAG of the same partition: {several(lags)}: "
            "outputs of different times? The last is taken"
        )
    if owners:
        yield (
            f"{counted(len(owners), 'row')} with another owner of the same partition: {several(owners)}: "
            "outputs of different times? Taken as owned"
        )


def _lag(row: OffsetRow) -> str:
    lag = row.records_behind
    return "-" if lag is None else f"{lag:,}"


def renamed(outputs: GroupOutputs) -> Iterator[str]:
    """Members whose rows do not agree on their client id or host."""
    rows: tuple[OffsetRow | MemberRow, ...] = (*outputs.offsets, *outputs.members)
    names = {(row.member, row.client_id, row.host) for row in rows if row.member is not None}
    for title, at in (("CLIENT-ID", 1), ("HOST", 2)):
        seen: dict[str, set[str]] = {}
        for each in names:
            member, value = each[0], each[at]
            if member is not None and value is not None:
                seen.setdefault(member, set()).add(value)
        several_names = sorted(member for member, values in seen.items() if len(values) > 1)
        if several_names:
            yield (
                f"{counted(len(several_names), 'member')} with several {title}s: {several(several_names)}: "
                "outputs of different times?"
            )


def states_told(outputs: GroupOutputs, members: int) -> Iterator[str]:
    """State views that contradict each other, or the rows of members."""
    for title, name in (("STATE", "state"), ("ASSIGNMENT-STRATEGY", "strategy"), ("GROUP-EPOCH", "epoch")):
        values = dict.fromkeys(str(getattr(row, name)) for row in outputs.states if getattr(row, name))
        if len(values) > 1:
            yield f"{title} is {' and '.join(values)} in outputs of the state: taken at different times?"
    for row in outputs.states:
        if row.state in STABLE and row.late_target is not None:
            yield f"{row.late_target}, though the state is {row.state}: edited by hand?"
    state = next((row.state for row in outputs.states if row.state in WITHOUT_MEMBERS), None)
    if members and (state is not None or outputs.empty):
        said = "the tool says that it has no active members" if state is None else f"the state is {state}"
        has = "1 member has" if members == 1 else f"{members} members have"
        yield f"{said}, but {has} rows: outputs of different times?"


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


def epochs_told(outputs: GroupOutputs) -> Iterator[str]:
    """Epochs of members and of the group that cannot be of one moment."""
    targets = sorted({row.target_epoch for row in outputs.members if row.target_epoch is not None})
    if len(targets) > 1:
        yield f"TARGET-EPOCH is {' and '.join(map(str, targets))} in rows of one group: of different times?"
    epoch = max((row.epoch for row in outputs.states if row.epoch is not None), default=None)
    title, most = ("TARGET-EPOCH", max(targets, default=None)) if epoch is None else ("GROUP-EPOCH", epoch)
    ahead = sorted(
        {
            row.member
            for row in outputs.members
            if most is not None and max(row.epoch or 0, row.target_epoch or 0) > most
        }
    )
    if ahead:
        have = "has" if len(ahead) == 1 else "have"
        yield f"{several(ahead)} {have} a later epoch than {title} {most}: outputs of different times?"


def gaps(
    outputs: GroupOutputs, group: Group, cluster: Cluster, *, are_racks_known: bool = False
) -> Iterator[str]:
    """What no output shows though an answer rests on it."""
    if outputs.offsets and all(row.records_behind is None for row in outputs.offsets):
        yield "no lag is known: LAG is `-` in each row"
    if not outputs.members and not outputs.states and all(row.topic is not None for row in outputs.offsets):
        yield "members without partitions are not in the offsets view: add the output of --members --verbose"
    has_racks = are_racks_known or any(member.rack for member in group.members)
    if cluster.has_replica_racks and group.members and not has_racks:
        yield (
            "the members' racks are not given, and Kafka's rules use racks: "
            "add lines consumer,rack if the members have client.rack"
        )
    if has_racks and not are_racks_known and not cluster.has_replica_racks:
        yield (
            "the replicas' racks are not given, so nothing says what members read within their rack: "
            "add the output of kafka-topics --describe and lines id,rack of the brokers"
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
        tp: lag
        for row in outputs.offsets
        if row.topic is not None
        and (lag := row.records_behind) is not None
        and cluster.has(tp := TopicPartition(row.topic, row.partition))
    }
    racks = {broker.broker_id: broker.rack for broker in cluster.brokers if broker.rack is not None}
    rows = [row for row in inputs.rows if racks and cluster.has(row.partition)]
    leaders = {
        row.partition: "" if row.leader is None else racks[row.leader]
        for row in rows
        if row.leader is None or row.leader in racks
    }
    fenced = {key for key, broker in inputs.brokers.items() if broker.fenced}
    readable = {
        row.partition: frozenset(racks[each] for each in fetched if each in racks)
        for row in rows
        if (fetched := _fetched(row) - fenced) != {*row.replicas}
    }
    lags.update((tp, lag) for tp, lag in (inputs.lags or {}).items() if cluster.has(tp))
    return LagsAndLeaders(lags or None, leaders, readable)


def _fetched(row: DescribedPartition) -> set[int]:
    """The replicas that members can fetch from: none without a leader, else those in sync, and observers."""
    return set() if row.leader is None else {*row.isr, *row.observers, row.leader} & {*row.replicas}
