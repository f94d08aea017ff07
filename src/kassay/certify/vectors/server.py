"""Checks for the vectors of the server-side assignors: `server-uniform`, `server-range`, `server-simple`.

A topic's name here is its topic id in base64url. Members, the first member's topics and everybody's
owned partitions come in the recorded iteration order, or else in the order of Java's hash tables.
Answers are sets per member; `exact` also tells a member that is absent from one that has nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kassay.certify.vectors.registry import vector_format
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import InputError, KafkaError
from kassay.model.groups.group import Assignment, Group, Member, SubscriptionType
from kassay.model.java.hashes import bucket_order, hash_map_order, uuid_halves, uuid_hash

Runs = Sequence[Sequence[Any]]
Given = dict[str, tuple[TopicPartition, ...] | None]


class ServerCase(NamedTuple):
    """One vector read: the input, and either each member's partitions or the error's Java class."""

    cluster: Cluster
    group: Group
    given: Given
    error: str | None


def read_case(vector: Mapping[str, Any]) -> ServerCase:
    """The vector as values; raises `InputError` if a field is missing or not of its form."""
    try:
        expected = vector["expected"]
        answer = {} if "error" in expected else expected["assignment"]
        return ServerCase(
            Cluster(tuple(Topic(t["id"], t["partitions"], topic_id=t["id"]) for t in vector["topics"])),
            _read_group(vector),
            {m: None if runs is None else tuple(read_runs(runs)) for m, runs in answer.items()},
            expected.get("error"),
        )
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise InputError(
            f"vector {vector.get('id', '?')}: expected the fields of a server-side vector, got {problem!r}"
        ) from problem


def read_runs(runs: Runs) -> Iterable[TopicPartition]:
    """The partitions of a run list `[[topic, [p, ...]], ...]` in their order."""
    return (TopicPartition(topic, p) for topic, partitions in runs for p in partitions)


@vector_format("server-uniform", reference="uniform")
def check_uniform(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `UniformAssignor`."""
    return _check(vector, factory, exact)


@vector_format("server-range", reference="server-range")
def check_range(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's server-side `RangeAssignor`."""
    return _check(vector, factory, exact)


@vector_format("server-simple", reference="share-simple")
def check_simple(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `SimpleAssignor` for share groups."""
    return _check(vector, factory, exact)


def _check(vector: Mapping[str, Any], factory: Callable[[], Any], exact: bool) -> str | None:
    case = read_case(vector)
    try:
        answer: Assignment = factory().assign(case.cluster, case.group)
    except KafkaError as raised:
        if raised.java_class == case.error:
            return None
        wanted = "an answer" if case.error is None else case.error
        return f"raised {raised.java_class} ({raised}) where Kafka gives {wanted}"
    if case.error is not None:
        return f"answered where Kafka raises {case.error}"
    return _difference(case.given, answer, exact)


def _difference(given: Given, answer: Assignment, exact: bool) -> str | None:
    """How the answer differs from what Kafka gave, member by member, or None."""
    for foreign in answer.keys() - given.keys():
        return f"{foreign} is no member of the group"
    for member_id, wanted in given.items():
        got = answer.get(member_id)
        if exact and (got is None) != (wanted is None):
            return f"{member_id}: got {_shown(got)}, Kafka gives {_shown(wanted)}"
        if sorted(got or ()) != sorted(wanted or ()):
            return f"{member_id}: got {_shown(got)}, Kafka gives {_shown(wanted)}"
    return None


def _shown(tps: Iterable[TopicPartition] | None) -> str:
    return "no entry" if tps is None else " ".join(map(str, sorted(tps))) or "nothing"


def _read_group(vector: Mapping[str, Any]) -> Group:
    listed = {member["id"]: member for member in vector["members"]}
    order = vector.get("iteration_order") or _java_order(vector)
    ids = order["members"]
    members = []
    for place, member_id in enumerate(ids):
        member = listed[member_id]
        topics = order["first_member_topics"] if place == 0 else member["topics"]
        owned = tuple(read_runs(order["owned"].get(member_id, ())))
        members.append(
            Member(member_id, tuple(topics), owned, rack=member["rack"], instance_id=member["instance_id"])
        )
    return Group(
        tuple(members),
        assigned=frozenset(read_runs(vector.get("stale_inverted", ()))),
        subscription_type=SubscriptionType(vector["subscription_type"]),
    )


def _java_order(vector: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `iteration_order` that follows from the hashes where a vector does not record it.

    Kafka's own tests (`members_map`) use insertion-ordered maps of members and of owned topics.
    """
    listed = {member["id"]: member for member in vector["members"]}
    linked = "members_map" in vector
    ids = list(listed) if linked else hash_map_order(listed)
    owned = {}
    for member_id, member in listed.items():
        runs = {topic: bucket_order(partitions, int) for topic, partitions in member["owned"]}
        owned[member_id] = [[topic, runs[topic]] for topic in (runs if linked else _id_order(runs))]
    first = _id_order(listed[ids[0]]["topics"]) if ids else []
    return {"members": ids, "first_member_topics": first, "owned": owned}


def _id_order(topic_ids: Iterable[str]) -> list[str]:
    return bucket_order(topic_ids, lambda text: uuid_hash(uuid_halves(base64.urlsafe_b64decode(text + "=="))))
