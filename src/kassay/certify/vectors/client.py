"""Checks for the vectors of the client-side assignors: range, roundrobin, sticky, cooperative-sticky.

Members and topics come in the recorded iteration order, or else in the order of Java's hash tables.
A vector's racks become one broker a rack. What a consumer sends besides its topics is made here: the
user data of `sticky` in version 0 or 1, the generation of `cooperative-sticky`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kassay.assignors.sticky.user_data import encode_generation, sticky_user_data
from kassay.certify.vectors.registry import vector_format
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import InputError, KafkaError
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.java.hashes import hash_map_order

Vector = Mapping[str, Any]
Runs = Sequence[tuple[str, Sequence[int]]]
Tps = tuple[TopicPartition, ...]
_MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, struct.error)
UserData = Callable[[Vector], bytes | None]


class Case(NamedTuple):
    """One vector read: the input, and Kafka's answer or the Java class of its error."""

    cluster: Cluster
    group: Group
    given: dict[str, Tps]
    error: str | None
    options: dict[str, bool]


@vector_format("client-range", reference="range")
def check_range(vector: Vector, factory: Callable[..., Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `RangeAssignor`."""
    return _check(read_case(vector), factory, exact)


@vector_format("client-roundrobin", reference="roundrobin")
def check_roundrobin(vector: Vector, factory: Callable[..., Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `RoundRobinAssignor`."""
    return _check(read_case(vector), factory, exact)


@vector_format("client-sticky", reference="sticky")
def check_sticky(vector: Vector, factory: Callable[..., Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `StickyAssignor`."""
    return _check(read_case(vector, _sticky_user_data, "subscription_generation"), factory, exact)


@vector_format("client-cooperative-sticky", reference="cooperative-sticky")
def check_cooperative_sticky(vector: Vector, factory: Callable[..., Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `CooperativeStickyAssignor`."""
    return _check(read_case(vector, _cooperative_user_data), factory, exact)


def _sticky_user_data(member: Vector) -> bytes | None:
    if member["owned"] is None:
        return None
    old = member.get("user_data_version") == 0
    return sticky_user_data(read_runs(member["owned"]), None if old else member["generation"])


def _cooperative_user_data(member: Vector) -> bytes | None:
    generation = member["user_data_generation"]
    return None if generation is None else encode_generation(generation)


def _no_user_data(_member: Vector) -> bytes | None:
    return None


def read_case(
    vector: Vector, user_data: UserData = _no_user_data, generation_field: str = "generation"
) -> Case:
    """The vector as values; raises `InputError` if a field is missing or not of its form."""
    try:
        expected = vector["expected"]
        answer = {} if "error" in expected else expected["assignment"]
        return Case(
            _read_cluster(vector),
            Group(tuple(_read_members(vector, user_data, generation_field))),
            {member_id: tuple(read_runs(runs)) for member_id, runs in answer.items()},
            expected.get("error"),
            {"prefer_rack_aware": True} if vector.get("prefer_rack_aware") else {},
        )
    except _MALFORMED as problem:
        name = vector.get("id", "?") if isinstance(vector, Mapping) else "?"
        raise InputError(
            f"vector {name}: expected the fields of a client-side vector, got {problem!r}"
        ) from problem


def read_runs(runs: Runs) -> Iterable[TopicPartition]:
    """The partitions of a run list `[[topic, [p, ...]], ...]` in their order."""
    return (TopicPartition(topic, p) for topic, partitions in runs for p in partitions)


def _read_cluster(vector: Vector) -> Cluster:
    listed = {topic["name"]: topic for topic in vector["topics"]}
    order = vector["iteration_order"]["topics"] if "iteration_order" in vector else _java_topics(vector)
    names = dict.fromkeys((*order, *listed))
    racks = dict.fromkeys(
        rack for topic in listed.values() for replicas in topic["replica_racks"] or () for rack in replicas
    )
    brokers = {rack: broker_id for broker_id, rack in enumerate(racks)}
    return Cluster(
        tuple(_read_topic(listed[name], brokers) for name in names),
        tuple(Broker(broker_id, rack) for rack, broker_id in brokers.items()),
    )


def _read_topic(topic: Vector, brokers: Mapping[str | None, int]) -> Topic:
    racks = topic["replica_racks"]
    if racks is None:
        return Topic(topic["name"], topic["partitions"])
    replicas = tuple(tuple(brokers[rack] for rack in replicas) for replicas in racks)
    if len(replicas) != topic["partitions"]:
        raise ValueError(f"racks of {len(replicas)} partitions for a topic of {topic['partitions']}")
    return Topic(topic["name"], topic["partitions"], replicas)


def _read_members(vector: Vector, user_data: UserData, generation_field: str) -> Iterable[Member]:
    listed = {member["id"]: member for member in vector["members"]}
    order = vector["iteration_order"]["members"] if "iteration_order" in vector else _java_members(vector)
    if sorted(order) != sorted(listed):
        raise ValueError("an iteration order of other members")
    for member_id in order:
        member = listed[member_id]
        yield Member(
            member_id,
            tuple(member["topics"]),
            tuple(read_runs(member.get("owned") or ())),
            member.get(generation_field, NO_GENERATION),
            member["rack"],
            member["instance_id"],
            user_data(member),
        )


def _java_members(vector: Vector) -> list[str]:
    """Members as the leader's map iterates them; Kafka's own tests fill an insertion-ordered map."""
    ids = [member["id"] for member in vector["members"]]
    return ids if "members_map" in vector else hash_map_order(ids)


def _java_topics(vector: Vector) -> list[str]:
    """Topics as the map of known topics iterates them, which is filled from the set of subscribed ones."""
    reads = {member["id"]: member["topics"] for member in vector["members"]}
    subscribed = hash_map_order(topic for member_id in _java_members(vector) for topic in reads[member_id])
    known = {topic["name"] for topic in vector["topics"] if topic["partitions"] > 0}
    return hash_map_order(topic for topic in subscribed if topic in known)


def _check(case: Case, factory: Callable[..., Any], exact: bool) -> str | None:
    wanted = "an answer" if case.error is None else case.error
    try:
        target = factory(**case.options)
        target.configure({})
        answer: Assignment = target.assign(case.cluster, case.group)
    except KafkaError as raised:
        if raised.java_class == case.error or (case.error is not None and not exact):
            return None
        return f"raised {raised.java_class} ({raised}) where Kafka gives {wanted}"
    except Exception as raised:
        return f"raised {type(raised).__name__} ({raised}) where Kafka gives {wanted}"
    if case.error is not None:
        return f"answered where Kafka raises {case.error}"
    return _difference(case.given, answer, exact)


def _difference(given: Mapping[str, Tps], answer: Mapping[str, Tps], exact: bool) -> str | None:
    """How the answer differs from what Kafka gave, member by member, or None."""
    if foreign := answer.keys() - given.keys():
        return f"{min(foreign)} is no member of the group"
    for member_id, wanted in given.items():
        if member_id not in answer:
            return f"{member_id}: no entry, Kafka gives {_shown(wanted)}"
        got = answer[member_id]
        if got != wanted if exact else sorted(got) != sorted(wanted):
            return f"{member_id}: got {_shown(got)}, Kafka gives {_shown(wanted)}"
    return None


def _shown(tps: Iterable[TopicPartition]) -> str:
    return " ".join(map(str, tps)) or "nothing"
