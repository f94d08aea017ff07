"""Share groups and Streams groups as their coordinators describe them, in the values of Kafka's outputs.

ShareGroupDescribe (KIP-932; version 0 is that of Kafka 4.0) has members, subscriptions and partitions;
StreamsGroupDescribe (KIP-1071, since 4.1) members, processes and tasks. Source: the message schemas of Kafka
4.4, in `schemas/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.other_groups import (
    ACTIVE,
    SHARE,
    STANDBY,
    STREAMS,
    WARMUP,
    OtherGroup,
    OtherMember,
    TPs,
)
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.groups import ListedGroup, batches

_ABSENT: Final = frozenset({69, 35})
"""GROUP_ID_NOT_FOUND; UNSUPPORTED_VERSION, where a broker has that type turned off (`KafkaApis`)."""


@dataclass(frozen=True)
class LiveOther:
    """A group that is none of consumers; `subscriptions`: the topics of each member of a share group."""

    group: OtherGroup
    subscriptions: Mapping[str, tuple[str, ...]]


def describe_other(cluster: LiveCluster, name: str) -> LiveOther | None:
    """The share group or Streams group of this name; None where there is none. Raises `InputError`."""
    (node,) = cluster.coordinators([name])
    for request, read in (("ShareGroupDescribe", _share), ("StreamsGroupDescribe", _streams)):
        version = cluster.offers(request, node)
        if version < 0:
            continue

        def ask(request: str = request) -> tuple[int, Any]:
            (described,) = cluster.ask(request, {"group_ids": [name]}, node).groups
            is_absent = described.error_code in _ABSENT
            return (0, None) if is_absent else (described.error_code, described)

        described = cluster.settled(ask, "group", name)
        if described is not None:
            return read(described, cluster.bootstrap, version)
    return None


def describe_listed_others(
    cluster: LiveCluster, listed: Iterable[ListedGroup]
) -> dict[str, LiveOther | InputError]:
    """The listed share and Streams groups by name, with a request for each hundred of a type on a broker.

    In place of one that cannot be described stands its error; raises `ConnectFailure`.
    """
    kinds: dict[tuple[int, str], list[str]] = {}
    for each in listed:
        kinds.setdefault((each.node, (each.group_type or each.protocol_type).lower()), []).append(each.name)
    described: dict[str, LiveOther | InputError] = {}
    for (node, kind), names in kinds.items():
        request, read = (
            ("ShareGroupDescribe", _share) if kind == "share" else ("StreamsGroupDescribe", _streams)
        )
        version = cluster.offers(request, node)
        for batch in batches(names) if version >= 0 else ():
            answer = cluster.ask(request, {"group_ids": batch}, node)
            for each in answer.groups:
                described[each.group_id] = (
                    cluster.refused(each.error_code, "group", each.group_id)
                    if each.error_code
                    else read(each, cluster.bootstrap, version)
                )
    return described


def _share(described: Any, bootstrap: str, version: int) -> LiveOther:
    """A share group; `version` 0 has the rule of Kafka 4.0."""
    members = tuple(
        OtherMember(
            Place(bootstrap, number),
            each.member_id,
            each.client_id or None,
            each.client_host or None,
            None,
            {ACTIVE: _partitions(each.assignment)},
            is_first_form=version == 0,
        )
        for number, each in enumerate(described.members, start=1)
    )
    topics = {each.member_id: tuple(each.subscribed_topic_names) for each in described.members}
    return LiveOther(_group(SHARE, described, members, described.assignor_name), topics)


def _partitions(assignment: Any) -> TPs:
    return tuple(
        sorted(
            (each.topic_name, number) for each in assignment.topic_partitions for number in each.partitions
        )
    )


def _streams(described: Any, bootstrap: str, _: int) -> LiveOther:
    """A Streams group, a member a thread."""
    kinds = ((ACTIVE, "active_tasks"), (STANDBY, "standby_tasks"), (WARMUP, "warmup_tasks"))
    views = (("", "assignment"), ("TARGET-", "target_assignment"))
    members = tuple(
        OtherMember(
            Place(bootstrap, number),
            each.member_id,
            each.client_id or None,
            each.client_host or None,
            each.process_id or None,
            {
                before + kind: _tasks(getattr(getattr(each, view), field))
                for before, view in views
                for kind, field in kinds
            },
        )
        for number, each in enumerate(described.members, start=1)
    )
    return LiveOther(_group(STREAMS, described, members, None), {})


def _tasks(tasks: Any) -> TPs:
    return tuple((each.subtopology_id, number) for each in tasks for number in each.partitions)


def _group(kind: str, described: Any, members: tuple[OtherMember, ...], assignor: str | None) -> OtherGroup:
    return OtherGroup(
        kind,
        described.group_id,
        members,
        None,
        described.group_state or None,
        assignor or None,
        len(members),
    )
