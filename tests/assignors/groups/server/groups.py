"""Groups for the server-side assignors: current targets that a coordinator could have."""

from __future__ import annotations

from hypothesis import strategies as st

from kassay.assignors.groups.server.uniform import Uniform
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member


@st.composite
def situations(draw: st.DrawFn, equal: bool = False) -> tuple[Cluster, Group]:
    """A cluster and a group in which every partition has one owner or none, subscribed or not."""
    names = [f"t{i}" for i in range(draw(st.integers(1, 4)))]
    cluster = Cluster.of({name: draw(st.integers(1, 9)) for name in names})
    shared = tuple(draw(st.lists(st.sampled_from(names), unique=True)))
    count = draw(st.integers(1, 6))
    owned: list[list[TopicPartition]] = [[] for _ in range(count)]
    for topic in cluster.topics:
        for tp in topic.tps():
            owner = draw(st.integers(-1, count - 1))
            if owner >= 0:
                owned[owner].append(tp)
    members = tuple(
        Member(
            f"m{i}",
            shared if equal else tuple(draw(st.lists(st.sampled_from(names), unique=True))),
            tuple(owned[i]),
            instance_id=draw(st.none() | st.just(f"i{9 - i}")),
        )
        for i in range(count)
    )
    return cluster, Group(tuple(draw(st.permutations(members))))


def is_valid(cluster: Cluster, group: Group, answer) -> bool:
    """Whether each partition that somebody reads went to exactly one member, and that one reads it."""
    given = sorted(tp for tps in answer.values() for tp in tps)
    wanted = sorted(tp for topic in cluster.topics if topic.name in group.subscribers for tp in topic.tps())
    reads = all(tp.topic in group.by_id[m].topics for m, tps in answer.items() for tp in tps)
    return given == wanted and reads


def assign(cluster: Cluster, *members: Member, **group) -> Assignment:
    return Uniform().assign(cluster, Group(members, **group))


def tps(topic: str, *partitions: int) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(topic, p) for p in partitions)


def loads(answer: Assignment) -> list[int]:
    return [len(given) for given in answer.values()]


def owning(group: Group, answer: Assignment) -> Group:
    """The same group after everybody has taken what the answer gives."""
    return Group(tuple(m._replace(owned=answer.get(m.member_id, ())) for m in group.members))
