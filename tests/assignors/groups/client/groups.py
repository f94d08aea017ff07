"""Consumer groups as the client-side rules see them: drawn by Hypothesis, or written in a line."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from kassay.assignors.groups.client.sticky_owned import encode_generation, sticky_user_data
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member

TOPICS = ("t0", "t1", "t2", "Ünder", "\U0001f600")
RACKS = ("", "r1", "r2", "r3")


def tps(text: str) -> tuple[TopicPartition, ...]:
    """`"t0-1 t1-0"` as partitions."""
    pairs = (word.rsplit("-", 1) for word in text.split())
    return tuple(TopicPartition(topic, int(number)) for topic, number in pairs)


def members(reads: Mapping[str, str]) -> tuple[Member, ...]:
    """`{"C0": "t0 t1"}` as members."""
    return tuple(Member(member_id, tuple(topics.split())) for member_id, topics in reads.items())


def told(answer: Assignment) -> dict[str, str]:
    """An answer as text, lists in their order."""
    return {member_id: " ".join(map(str, found)) for member_id, found in answer.items()}


def carrying(group: tuple[Member, ...], answer: Assignment, generation: int) -> tuple[Member, ...]:
    """The members with what the answer gave them, as either sticky assignor reads it."""
    return tuple(
        member._replace(
            owned=answer[member.member_id],
            generation=generation,
            user_data=sticky_user_data(answer[member.member_id], generation),
        )
        for member in group
    )


def rebalance(
    objects: dict[str, Assignor], cluster: Cluster, group: tuple[Member, ...], generation: int
) -> Assignment:
    """One eager round of real objects: user data, assignment on the first object, notification."""
    sent = tuple(
        member._replace(
            generation=generation - 1,
            user_data=objects[member.member_id].subscription_user_data(member.topics),
        )
        for member in group
    )
    answer = objects[group[0].member_id].assign(cluster, Group(sent))
    for member_id, found in answer.items():
        objects[member_id].on_assignment(found, None, GroupMetadata(generation, member_id))
    return answer


@st.composite
def clusters(draw: st.DrawFn, *, racks: bool = True) -> Cluster:
    brokers = tuple(
        Broker(number, draw(st.sampled_from((None, "r1", "r2", "r3"))) if racks else None)
        for number in range(4)
    )
    topics = []
    for name in draw(st.lists(st.sampled_from(TOPICS), unique=True, max_size=4)):
        count = draw(st.integers(0, 6))
        replicas = st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True).map(tuple)
        placed = draw(st.none() | st.lists(replicas, min_size=count, max_size=count).map(tuple))
        topics.append(Topic(name, count, placed))
    return Cluster(tuple(topics), brokers)


@st.composite
def groups(
    draw: st.DrawFn,
    cluster: Cluster,
    *,
    equal: bool = False,
    consistent: bool = False,
    racks: bool = True,
    nonempty: bool = False,
) -> Group:
    """A group of up to six members.

    `consistent` reports name existing, subscribed partitions, each once and in one generation; others
    are anything, also partitions that do not exist and in any generation.
    """
    ids = draw(st.lists(st.sampled_from([f"m{n}" for n in range(9)]), unique=True, min_size=1, max_size=6))
    some = st.lists(st.sampled_from((*TOPICS, "ghost")), unique=True, min_size=nonempty, max_size=4)
    common = tuple(draw(some))
    free = [tp for topic, found in cluster.partitions.items() for tp in found]
    instances = draw(st.permutations(range(9)))
    found = []
    for place, member_id in enumerate(ids):
        topics = common if equal else tuple(draw(some))
        if consistent:
            mine = tuple(tp for tp in free if tp.topic in topics and draw(st.booleans()))
            free = [tp for tp in free if tp not in mine]
            generation = 5
        else:
            anything = st.builds(TopicPartition, st.sampled_from((*TOPICS, "ghost")), st.integers(0, 7))
            mine = tuple(draw(st.lists(anything, unique=True, max_size=6)))
            generation = draw(st.integers(-1, 3))
        found.append(
            Member(
                member_id,
                topics,
                mine,
                generation,
                draw(st.none() | st.sampled_from(RACKS)) if racks else None,
                draw(st.sampled_from((None, f"i{instances[place]}"))),
            )
        )
    return Group(tuple(found))


def as_sticky(group: Group) -> Group:
    """The owned partitions in the user data of `sticky`."""
    sent = (m._replace(user_data=sticky_user_data(m.owned, m.generation)) for m in group.members)
    return Group(tuple(sent))


def as_cooperative(group: Group) -> Group:
    """The generations in the user data of `cooperative-sticky` too."""
    return Group(tuple(m._replace(user_data=encode_generation(m.generation)) for m in group.members))


@st.composite
def cases(draw: st.DrawFn, **asked: bool) -> tuple[Cluster, Group]:
    """A cluster and a group that reads some of its topics."""
    cluster = draw(clusters(racks=asked.get("racks", True)))
    return cluster, draw(groups(cluster, **asked))


def wanted(cluster: Cluster, group: Group) -> set[TopicPartition]:
    """The partitions that somebody reads."""
    read = {topic for member in group.members for topic in member.topics}
    return {tp for topic, found in cluster.partitions.items() if topic in read for tp in found}


def problems(cluster: Cluster, group: Group, answer: Assignment) -> list[str]:
    """What is wrong with an answer that should give out everything once, to subscribers only."""
    found = []
    by_id = {member.member_id: member for member in group.members}
    if answer.keys() != by_id.keys():
        found.append(f"members {sorted(answer)}")
    given = [tp for own in answer.values() for tp in own]
    if len(given) != len(set(given)):
        found.append("a partition given twice")
    if set(given) != wanted(cluster, group):
        found.append(f"not what is wanted: {set(given) ^ wanted(cluster, group)}")
    found += [
        f"{tp} to {member_id}"
        for member_id, own in answer.items()
        for tp in own
        if tp.topic not in by_id[member_id].topics
    ]
    return found
