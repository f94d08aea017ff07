"""The scenario generator: histories of a consumer group from a source of choices.

Written once, for seeds and for Hypothesis (`sources`). Each branch below exists because a claim needs what it
generates; `aims` has the short histories that reach one situation for certain.
"""

from __future__ import annotations

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import Change, Event, History, Reports, Withhold
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.properties.groups.histories.events import change
from kassay.properties.groups.histories.generator import (
    GENERATION,
    RACKS,
    SHAPES,
    ClusterShape,
    GeneratorState,
    GroupProfile,
)
from kassay.properties.sources import Source, many, subset

UNKNOWN = "ghost"
"""A subscribed topic that never exists."""


def history(source: Source, profile: GroupProfile) -> History:
    """One history; the source's choices decide everything in it."""
    if profile.goes_large(source):
        return _large(source, profile)
    draft = _draft(source, profile)
    gradual = profile.gradual > 0 and source.boolean(profile.gradual)
    subscriptions = [] if gradual else _subscriptions(draft)
    cluster = Cluster(tuple(draft.topics.values()), brokers(draft))
    changes = [_start(draft, subscriptions)] if subscriptions else _one_by_one(draft)
    changes += many(source, 0, profile.changes_max, lambda _: change(draft), 0.7)
    return History(cluster, tuple(changes), reports(source, profile))


def reports(source: Source, profile: GroupProfile) -> Reports:
    """The generation that members report; only ownership that can be stale shows the difference."""
    return Reports.GOT if profile.contradicts and source.boolean(0.3) else Reports.JOINED


def _draft(source: Source, profile: GroupProfile) -> GeneratorState:
    """The topics and the habits of one history."""
    draft = habits(source, profile, racked=profile.racked, weighted=profile.weighted, odd=0.25)
    high = 1 if source.boolean(0.12) else profile.partitions_max
    topics = many(source, 1, profile.topics_max, lambda i: draft.new_topic(f"t{i}", high), 0.5)
    draft.topics = {topic.name: topic for topic in topics}
    return draft


def habits(
    source: Source, profile: GroupProfile, *, racked: float, weighted: float, odd: float = 0
) -> GeneratorState:
    """The habits of a history without topics, each with its probability."""
    return GeneratorState(
        source=source,
        profile=profile,
        topics={},
        racked=profile.allows("no-racks") and source.boolean(racked),
        weighted=profile.allows("no-weights") and source.boolean(weighted),
        static=_has_static(profile) and source.boolean(profile.static),
        odd=odd > 0 and source.boolean(odd),
        backwards=source.boolean(),
        withholds=profile.kind is SHARE and source.boolean(0.35),
    )


def _has_static(profile: GroupProfile) -> bool:
    """Whether members may be static: of servers only in wide histories, of share groups never."""
    seen = profile.kind == CLIENT or (profile.kind == SERVER and profile.static == 1)
    return seen and profile.allows("no-static")


def brokers(draft: GeneratorState) -> tuple[Broker, ...]:
    """A broker for each rack where the history has racks, perhaps one of them without a rack."""
    if not draft.racked:
        return ()
    bare = draft.source.boolean(0.1)
    return tuple(Broker(i, None if bare and i == len(RACKS) - 1 else rack) for i, rack in enumerate(RACKS))


def _subscriptions(draft: GeneratorState) -> list[tuple[str, ...]]:
    """The subscriptions: one tuple of topics a member."""
    source, profile = draft.source, draft.profile
    names = list(draft.topics)
    equal = not profile.allows("equal-subscriptions") or source.boolean(0.45)
    if equal:
        own = tuple(names) if source.boolean(0.7) else tuple(subset(source, names)) or tuple(names[:1])
        return [own for _ in many(source, 1, profile.members_max, lambda i: i, 0.7)]
    graph = source.choice(("random", "chain", "nested", "pyramid", "disjoint"))
    if graph == "random":
        return many(source, 1, profile.members_max, lambda _: draft.some_topics(0.6), 0.65)
    return _grown(draft, graph)


def _grown(draft: GeneratorState, graph: str) -> list[tuple[str, ...]]:
    """A subscription graph of a named form over as many topics as it needs."""
    source = draft.source
    size = len(many(source, 2, min(5, draft.profile.members_max), lambda i: i, 0.6))
    needed = {"chain": size + 1, "pyramid": size, "nested": size, "disjoint": size}[graph]
    for i in range(len(draft.topics), needed):
        draft.topics[f"t{i}"] = draft.new_topic(f"t{i}", max(2, draft.profile.partitions_max // 2))
    names = list(draft.topics)[:needed]
    if graph == "chain":
        return [(names[i], names[i + 1]) for i in range(size)]
    if graph == "disjoint":
        return [(name,) for name in names]
    if graph == "pyramid":
        return [tuple(names[: i + 1]) for i in range(size)]
    lengths = sorted(source.integer(1, needed) for _ in range(size))
    return [tuple(names[:length]) for length in lengths]


def _oddly(draft: GeneratorState, topics: tuple[str, ...]) -> tuple[str, ...]:
    """The subscription with an occasional oddity: a repeated topic, a missing one, or nothing."""
    source, profile = draft.source, draft.profile
    if not draft.odd or not profile.allows("equal-subscriptions"):
        return topics
    oddity = source.integer(0, 5)
    if oddity == 0 and topics and profile.allows("no-duplicate-topics"):
        return (*topics, topics[0])
    if oddity == 1 and profile.allows("no-unknown-topics"):
        return (*topics, UNKNOWN)
    if oddity == 2 and profile.allows("no-empty-subscriptions"):
        return ()
    return topics


def _start(draft: GeneratorState, subscriptions: list[tuple[str, ...]]) -> Change:
    """The first members, with or without a past."""
    members = [draft.new_member(_oddly(draft, topics)) for topics in subscriptions]
    past = draft.source.integer(0, 9)
    if past >= 4:
        members = owning(draft, members)
        if draft.profile.contradicts and past >= 8:
            members = _contradicting(draft, members)
    return (
        *[draft.join(member) for member in members],
        *(not_yet(draft, members) if draft.withholds else ()),
    )


def not_yet(draft: GeneratorState, members: list[Member]) -> list[Event]:
    """Partitions that a share group may not assign yet: some unowned ones, and sometimes any."""
    source = draft.source
    owned = {tp for member in members for tp in member.owned}
    anything = draft.profile.allows("no-conflicting-claims") and source.boolean(0.2)
    events: list[Event] = []
    for topic in draft.topics.values():
        free = [p for name, p in topic.tps() if anything or TopicPartition(name, p) not in owned]
        numbers = tuple(subset(source, free, 0.4)) if source.boolean(0.6) else ()
        if numbers:
            draft.withheld[topic.name] = numbers
            events.append(Withhold(topic.name, numbers))
    return events


def owning(draft: GeneratorState, members: list[Member]) -> list[Member]:
    """The members with a past in which each partition had at most one owner, perhaps very unevenly."""
    source = draft.source
    readers: dict[str, list[int]] = {}
    for i, member in enumerate(members):
        for topic in dict.fromkeys(member.topics):
            readers.setdefault(topic, []).append(i)
    owned: list[list[TopicPartition]] = [[] for _ in members]
    greedy = source.boolean(0.4)
    for known in draft.topics.values():
        able = readers.get(known.name, [])
        for tp in known.tps() if able else ():
            if greedy and source.boolean(0.7):
                owned[able[0]].append(tp)
            elif source.boolean(0.8):
                owned[source.choice(able)].append(tp)
    return [
        member._replace(owned=tuple(tps), generation=GENERATION if tps or source.boolean() else -1)
        for member, tps in zip(members, owned)
    ]


def _contradicting(draft: GeneratorState, members: list[Member]) -> list[Member]:
    """The members with ownership that conflicts with each other's or with the world."""
    source = draft.source
    liars: list[Member] = []
    nameless = source.boolean(0.3)
    everything = draft.tps(list(draft.topics))
    for member in members:
        owned = list(member.owned)
        generation = -1 if nameless else member.generation
        for _ in many(source, 0, 2, lambda i: i, 0.5):
            fault = source.integer(0, 3)
            if fault == 0:
                owned += subset(source, everything, 0.4)
            elif fault == 1 and not nameless:
                generation = source.integer(1, GENERATION)
            elif fault == 2:
                past = source.choice(list(draft.topics.values()))
                owned.append(TopicPartition(past.name, past.partitions + source.integer(0, 1)))
            elif fault == 3:
                owned.append(TopicPartition("gone", source.integer(0, 1)))
        topics = member.topics
        may_read = draft.profile.allows("no-unknown-topics") and draft.profile.allows("equal-subscriptions")
        if may_read and any(tp.topic == "gone" for tp in owned) and source.boolean():
            topics = (*topics, "gone")
        liars.append(member._replace(owned=tuple(dict.fromkeys(owned)), generation=generation, topics=topics))
    draft.members = {member.member_id: member.topics for member in liars}
    return liars


def _one_by_one(draft: GeneratorState) -> list[Change]:
    """Growth from one to five members that read the same, a round each."""
    topics = tuple(draft.topics)
    return [(draft.join(draft.new_member(topics)),) for _ in range(5)]


def _large(source: Source, profile: GroupProfile) -> History:
    """A history on a shape of production, with a few changes."""
    shape = source.choice([s for s in SHAPES if s.id == profile.shape] or SHAPES)
    draft = habits(source, profile, racked=0.3, weighted=0.2)
    draft.topics = {
        f"t{i:03d}": draft.with_extras(Topic(f"t{i:03d}", count)) for i, count in enumerate(shape.topics)
    }
    cluster = Cluster(tuple(draft.topics.values()), brokers(draft))
    members = [draft.new_member(topics) for topics in _graph(draft, shape)]
    if source.boolean():
        members = owning(draft, members)
    changes: list[Change] = [tuple([draft.join(member) for member in members])]
    changes += many(source, 1, 3, lambda _: change(draft), 0.5)
    return History(cluster, tuple(changes), reports(source, profile))


def _graph(draft: GeneratorState, shape: ClusterShape) -> list[tuple[str, ...]]:
    """The subscriptions of a shape."""
    names = list(draft.topics)
    if not draft.profile.allows("equal-subscriptions") or shape.graph == "all":
        return [tuple(names)] * shape.members
    if shape.graph == "own":
        return [(names[i % len(names)],) for i in range(shape.members)]
    if shape.graph == "two":
        size = len(names)
        return [(names[i % size], names[(i + 1) % size]) for i in range(shape.members)]
    return [tuple(subset(draft.source, names)) or (names[0],) for _ in range(shape.members)]
