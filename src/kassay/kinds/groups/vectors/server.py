"""Checks for the vectors of the server-side assignors: `server-uniform`, `server-range`, `server-simple`.

A topic's name here is its topic id in base64url. Members, the first member's topics and all owned partitions
are in the recorded iteration order, or else in the order of Java's hash tables. Answers are sets per member;
`exact` also distinguishes a missing member from one with an empty set.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.kinds.groups.vectors.client import AssignmentExpected, read_runs
from kassay.kinds.vectors import Runs, vector_format
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Group, Member, SubscriptionType
from kassay.model.java import bucket_order, hash_map_order, uuid_halves, uuid_hash
from kassay.reading.documents import Limited, within


@dataclass(frozen=True)
class ServerTopic:
    """A topic."""

    id: str
    partitions: Limited


@dataclass(frozen=True)
class ServerMember:
    """A member and its current target."""

    id: str
    topics: tuple[str, ...]
    owned: Runs
    rack: str | None
    instance_id: str | None


@dataclass(frozen=True)
class ServerOrder:
    """The iteration order of the coordinator's maps and sets."""

    members: tuple[str, ...]
    first_member_topics: tuple[str, ...]
    owned: Mapping[str, Runs]


@dataclass(frozen=True)
class ServerVector:
    """One vector."""

    topics: tuple[ServerTopic, ...]
    members: tuple[ServerMember, ...]
    subscription_type: str
    expected: AssignmentExpected
    iteration_order: ServerOrder | None = None
    stale_inverted: Runs = ()
    assignable: Runs | None = None
    members_map: str | None = None


@vector_format("server-uniform", ServerVector, reference="uniform")
@vector_format("server-range", ServerVector, reference="server-range")
@vector_format("server-simple", ServerVector, reference="share-simple")
def check_server(vector: ServerVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Compare the target's answer with Kafka's `UniformAssignor`, `RangeAssignor` or `SimpleAssignor`."""
    within((max(0, topic.partitions) for topic in vector.topics), "topics")
    cluster = Cluster(tuple(Topic(t.id, t.partitions, topic_id=t.id) for t in vector.topics))
    group = _group(vector)
    return vector.expected.check(
        lambda: factory().assign(cluster, group), exact=exact, ordered=False, entries=exact
    )


def _group(vector: ServerVector) -> Group:
    listed = {member.id: member for member in vector.members}
    order = vector.iteration_order or _java_order(vector)
    members = []
    for place, member_id in enumerate(order.members):
        member = listed[member_id]
        topics = order.first_member_topics if place == 0 else member.topics
        owned = tuple(read_runs(order.owned.get(member_id, ())))
        members.append(Member(member_id, topics, owned, rack=member.rack, instance_id=member.instance_id))
    return Group(
        tuple(members),
        assigned=frozenset(read_runs(vector.stale_inverted)),
        subscription_type=SubscriptionType(vector.subscription_type),
        assignable=None if vector.assignable is None else frozenset(read_runs(vector.assignable)),
    )


def _java_order(vector: ServerVector) -> ServerOrder:
    """The `iteration_order` that follows from the hashes where a vector does not record it."""
    listed = {member.id: member for member in vector.members}
    linked = vector.members_map is not None
    ids = list(listed) if linked else hash_map_order(listed)
    owned = {}
    for member_id, member in listed.items():
        runs = {topic: tuple(bucket_order(partitions, int)) for topic, partitions in member.owned}
        owned[member_id] = tuple((topic, runs[topic]) for topic in (runs if linked else _id_order(runs)))
    first = _id_order(listed[ids[0]].topics) if ids else []
    return ServerOrder(tuple(ids), tuple(first), owned)


def _id_order(topic_ids: Iterable[str]) -> list[str]:
    return bucket_order(topic_ids, lambda text: uuid_hash(uuid_halves(base64.urlsafe_b64decode(text + "=="))))
