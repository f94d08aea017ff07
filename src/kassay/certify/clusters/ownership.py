"""Ownership of partitions, read from the offsets view and the members view of a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.fields import shown
from kassay.reading.kafka.groups import GroupOutputs, MemberRow
from kassay.reading.kafka.lines import Place


def ownership(
    outputs: GroupOutputs, group: str, warnings: list[str]
) -> tuple[dict[str, set[TopicPartition]], dict[str, MemberRow]]:
    """The partitions of each member, and each member's row of the members view; raises `InputError`."""
    by_offsets: dict[str, set[TopicPartition]] = {}
    seen: dict[TopicPartition, tuple[str, Place]] = {}
    for row in outputs.offsets:
        if row.member is None:
            continue
        tps = by_offsets.setdefault(row.member, set())
        if row.topic is not None:
            tp = TopicPartition(row.topic, row.partition)
            owner, place = seen.setdefault(tp, (row.member, row.place))
            if owner != row.member:
                raise InputError(
                    f"{row.place}: CONSUMER-ID: found {shown(row.member)}, expected {shown(owner)}, "
                    f"who owns {tp} at {place}: two outputs of different times?"
                )
            tps.add(tp)
    rows = {row.member: row for row in outputs.members}
    if not rows:
        return by_offsets, rows
    verbose_rows = {
        member: {TopicPartition(*tp) for tp in row.owned}
        for member, row in rows.items()
        if row.owned is not None
    }
    untold = next((row for row in rows.values() if row.owned is None and row.partitions != 0), None)
    if untold is not None and not outputs.offsets:
        what = (
            "ASSIGNMENT: the names of the topics are lost (Kafka 3.8, 3.9)"
            if untold.lost
            else "no ASSIGNMENT"
        )
        verbose = "" if untold.lost else "--members --verbose, or "
        raise InputError(
            f"{untold.place}: {what}, expected {verbose}the offsets view as well: "
            f"kafka-consumer-groups.sh --describe --group {group} > offsets.txt"
        )
    gone = sorted(by_offsets.keys() - rows.keys())
    if gone:
        warnings.append(
            f"{len(gone)} members of the offsets view are not in the members view: taken at other times?"
        )
    owned = {member: verbose_rows.get(member, by_offsets.get(member, set())) for member in rows}
    for member, own in rows.items():
        if own.partitions is not None and len(owned[member]) != own.partitions:
            raise InputError(
                f"{own.place}: #PARTITIONS: found {own.partitions}, expected {len(owned[member])}, which the "
                "offsets view gives the member: take both outputs at one time"
            )
    _warn_of_doubles(owned, warnings)
    return owned, rows


def _warn_of_doubles(owned: Mapping[str, set[TopicPartition]], warnings: list[str]) -> None:
    """Warn about partitions that two members own."""
    owners = Counter(tp for tps in owned.values() for tp in tps)
    twice = sorted(tp for tp, count in owners.items() if count > 1)
    if twice:
        warnings.append(
            f"{len(twice)} partitions have two owners, {twice[0]} first: the group is between steps"
        )
