"""Golden vectors of Kafka's assignors of groups: client-side and server-side.

Checks for the vectors of the client-side assignors: range, roundrobin, sticky, cooperative-sticky.

Members and topics are in the recorded iteration order, or else in the order of Java's hash tables. A vector's
racks become one broker per rack. These checks make what a consumer sends besides its topics: the user data of
`sticky` in version 0 or 1, the generation of `cooperative-sticky`.

Checks for the vectors of the server-side assignors: `server-uniform`, `server-range`, `server-simple`.

A topic's name here is its topic id in base64url. Members, the first member's topics and all owned partitions
are in the recorded iteration order, or else in the order of Java's hash tables. Answers are sets per member;
`exact` also distinguishes a missing member from one with an empty set.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from kassay.assignors.groups.client.sticky_owned import encode_generation, sticky_user_data
from kassay.kinds.vectors import Runs, compared, vector_format
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member, SubscriptionType
from kassay.model.java import bucket_order, hash_map_order, uuid_halves, uuid_hash
from kassay.reading.documents import Int32, Limited, within


@dataclass(frozen=True)
class ClientTopic:
    """A topic; racks by partition and replica."""

    name: str
    partitions: Limited
    replica_racks: tuple[tuple[str | None, ...], ...] | None = None


@dataclass(frozen=True)
class ClientMember:
    """A member, and the user data of its assignor in the subscription."""

    id: str
    topics: tuple[str, ...]
    rack: str | None
    instance_id: str | None
    owned: Runs | None = None
    generation: Int32 = NO_GENERATION
    subscription_generation: Int32 = NO_GENERATION
    user_data_generation: Int32 | None = None
    user_data_version: int | None = None


@dataclass(frozen=True)
class ClientOrder:
    """The iteration order of the leader's maps."""

    members: tuple[str, ...]
    topics: tuple[str, ...]


@dataclass(frozen=True)
class AssignmentExpected:
    """Kafka's answer, None for a member without an entry, or the Java class of its error."""

    assignment: Mapping[str, Runs | None] | None = None
    error: str | None = None

    def check(
        self, ask: Callable[[], Assignment], *, exact: bool, ordered: bool, entries: bool
    ) -> str | None:
        """The difference between the answer and Kafka's, or None; without `exact` any error is accepted.

        Lists are compared as sets unless they are `ordered`; where `entries` count, an empty entry differs
        from none.
        """
        if self.assignment is None and self.error is None:
            raise InputError("expected: neither assignment nor error")
        arranged: Callable[[Iterable[TopicPartition]], list[TopicPartition]] = list if ordered else sorted
        expected = {
            member_id: None if runs is None else arranged(read_runs(runs))
            for member_id, runs in (self.assignment or {}).items()
        }

        def difference(answer: Assignment) -> str | None:
            if foreign := answer.keys() - expected.keys():
                return f"{min(foreign)} is no member of the group"
            for member_id, wanted in expected.items():
                answered = None if member_id not in answer else arranged(answer[member_id])
                if answered != wanted and (entries or answered or wanted):
                    return f"{member_id}: got {_shown(answered)}, Kafka gives {_shown(wanted)}"
            return None

        return compared(ask, self.error, difference, exact=exact)


@dataclass(frozen=True)
class ClientVector:
    """One vector; `members_map` names the map of Kafka's own tests, which is insertion-ordered."""

    topics: tuple[ClientTopic, ...]
    members: tuple[ClientMember, ...]
    expected: AssignmentExpected
    iteration_order: ClientOrder | None = None
    members_map: str | None = None
    prefer_rack_aware: bool = False


UserData = Callable[[ClientMember], bytes | None]


def _sticky_user_data(member: ClientMember) -> bytes | None:
    if member.owned is None:
        return None
    generation = None if member.user_data_version == 0 else member.generation
    return sticky_user_data(read_runs(member.owned), generation)


def _cooperative_user_data(member: ClientMember) -> bytes | None:
    generation = member.user_data_generation
    return None if generation is None else encode_generation(generation)


def read_runs(runs: Runs) -> Iterable[TopicPartition]:
    """The partitions of a run list `[[topic, [p, ...]], ...]` in their order."""
    return (TopicPartition(topic, p) for topic, partitions in runs for p in partitions)


def _cluster(vector: ClientVector) -> Cluster:
    within((max(0, topic.partitions) for topic in vector.topics), "topics")
    listed = {topic.name: topic for topic in vector.topics}
    order = vector.iteration_order.topics if vector.iteration_order else _java_topics(vector)
    racks = dict.fromkeys(
        rack for topic in vector.topics for replicas in topic.replica_racks or () for rack in replicas
    )
    brokers = {rack: broker_id for broker_id, rack in enumerate(racks)}
    return Cluster(
        tuple(_topic(listed[name], brokers) for name in dict.fromkeys((*order, *listed))),
        tuple(Broker(broker_id, rack) for rack, broker_id in brokers.items()),
    )


def _topic(topic: ClientTopic, brokers: Mapping[str | None, int]) -> Topic:
    if topic.replica_racks is None:
        return Topic(topic.name, topic.partitions)
    replicas = tuple(tuple(brokers[rack] for rack in racks) for racks in topic.replica_racks)
    if len(replicas) != topic.partitions:
        raise InputError(f"racks of {len(replicas)} partitions for a topic of {topic.partitions}")
    return Topic(topic.name, topic.partitions, replicas)


def _group(vector: ClientVector, user_data: UserData, from_subscription: bool) -> Group:
    listed = {member.id: member for member in vector.members}
    order = vector.iteration_order.members if vector.iteration_order else _java_members(vector)
    if sorted(order) != sorted(listed):
        raise InputError("iteration_order.members: expected the members of the vector")
    return Group(
        tuple(
            Member(
                member.id,
                member.topics,
                tuple(read_runs(member.owned or ())),
                member.subscription_generation if from_subscription else member.generation,
                member.rack,
                member.instance_id,
                user_data(member),
            )
            for member in map(listed.__getitem__, order)
        )
    )


def _java_members(vector: ClientVector) -> Sequence[str]:
    """Members in the iteration order of the leader's map, insertion-ordered in Kafka's own tests."""
    ids = [member.id for member in vector.members]
    return ids if vector.members_map is not None else hash_map_order(ids)


def _java_topics(vector: ClientVector) -> Sequence[str]:
    """Topics in the order of the map of known topics, which is filled from the set of subscribed ones."""
    topics = {member.id: member.topics for member in vector.members}
    subscribed = hash_map_order(topic for member_id in _java_members(vector) for topic in topics[member_id])
    known = {topic.name for topic in vector.topics if topic.partitions > 0}
    return hash_map_order(topic for topic in subscribed if topic in known)


def check_client(
    vector: ClientVector,
    factory: Callable[..., Any],
    *,
    exact: bool,
    user_data: UserData,
    from_subscription: bool = False,
) -> str | None:
    """Compare the target's answer with Kafka's client-side assignor that has this `user_data`.

    A member's generation is that of its owned partitions, or else `from_subscription`.
    """
    cluster, group = _cluster(vector), _group(vector, user_data, from_subscription)

    def ask() -> Assignment:
        target = factory(**{"prefer_rack_aware": True} if vector.prefer_rack_aware else {})
        target.configure({})
        answer: Assignment = target.assign(cluster, group)
        return answer

    return vector.expected.check(ask, exact=exact, ordered=exact, entries=True)


def _shown(tps: Iterable[TopicPartition] | None) -> str:
    return "no entry" if tps is None else " ".join(map(str, tps)) or "nothing"


_CHECKS: Final = {
    "range": partial(check_client, user_data=lambda _: None),
    "roundrobin": partial(check_client, user_data=lambda _: None),
    "sticky": partial(check_client, user_data=_sticky_user_data, from_subscription=True),
    "cooperative-sticky": partial(check_client, user_data=_cooperative_user_data),
}
for _reference, _check in _CHECKS.items():
    vector_format(f"client-{_reference}", ClientVector, reference=_reference)(_check)


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
    group = _server_group(vector)
    return vector.expected.check(
        lambda: factory().assign(cluster, group), exact=exact, ordered=False, entries=exact
    )


def _server_group(vector: ServerVector) -> Group:
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
