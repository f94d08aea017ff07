"""The changes of a generated history: a few events that happen together, then a rebalance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kassay.model.groups.history import (
    AddPartitions,
    Change,
    ChangeRack,
    Crash,
    CreateTopic,
    DeleteTopic,
    Event,
    FailedSync,
    Leave,
    NewLeader,
    RackBroker,
    Rebalance,
    ReportOwned,
    Resubscribe,
    Return,
    Reweigh,
    StaticReturn,
    Withhold,
)
from kassay.properties.groups.histories.generator import RACKS, GeneratorState
from kassay.properties.sources import many, subset

Writer = Callable[[GeneratorState], list[Event]]


def change(draft: GeneratorState) -> Change:
    """One change: mostly one event, sometimes a few at once."""
    draft.generation += 1
    if draft.away and draft.source.boolean(0.4):
        return tuple(_return(draft))
    events: list[Event] = []
    for batch in many(draft.source, 1, 3, lambda _: _event(draft), 0.25):
        events += batch
    return tuple(events)


def _event(draft: GeneratorState) -> list[Event]:
    """One kind of event, among those that this history allows and that can happen now."""
    return draft.source.choice(_writers(draft))(draft)


def _writers(draft: GeneratorState) -> tuple[Writer, ...]:
    """The kinds of events that can happen now, the likelier ones several times."""
    if not draft.members:
        return (_join,)
    writers: tuple[Writer, ...] = _ALWAYS
    if draft.profile.leads:
        writers += (_new_leader, _new_leader)
    if draft.profile.allows("equal-subscriptions"):
        writers += (_resubscribe, _resubscribe)
    if draft.profile.contradicts:
        writers += _CONTRADICTING
        if draft.profile.allows("no-unknown-topics"):
            writers += (_delete_topic,)
    if draft.withholds:
        writers += (_make_assignable, _make_assignable, _add_withheld)
        if draft.profile.allows("no-conflicting-claims"):
            writers += (_withhold,)
    if draft.instances:
        writers += (_static_return, _static_return)
    if draft.racked:
        writers += (_change_rack, _rack_broker)
    if draft.weighted:
        writers += (_reweigh,)
    return writers


def _join(draft: GeneratorState) -> list[Event]:
    source = draft.source
    if draft.profile.allows("equal-subscriptions") and source.boolean(0.4):
        topics = draft.some_topics(0.7)
    else:
        topics = next(iter(draft.members.values()), tuple(draft.topics))
    return [draft.join(draft.new_member(topics))]


def _pick(draft: GeneratorState) -> str:
    return draft.source.choice(list(draft.members))


def _leave(draft: GeneratorState) -> list[Event]:
    member_id = _pick(draft)
    del draft.members[member_id]
    draft.instances.pop(member_id, None)
    return [Leave(member_id)]


def _crash(draft: GeneratorState) -> list[Event]:
    member_id = _pick(draft)
    del draft.members[member_id]
    draft.away.append(member_id)
    return [Crash(member_id)]


def _return(draft: GeneratorState) -> list[Event]:
    member_id = draft.source.choice(draft.away)
    draft.away.remove(member_id)
    draft.members[member_id] = tuple(draft.topics)
    return [Return(member_id)]


def _static_return(draft: GeneratorState) -> list[Event]:
    member_id = draft.source.choice(list(draft.instances))
    if member_id not in draft.members:
        return [Rebalance()]
    new_id = draft.new_id()
    draft.members[new_id] = draft.members.pop(member_id)
    draft.instances[new_id] = draft.instances.pop(member_id)
    return [StaticReturn(member_id, new_id)]


def _failed_sync(draft: GeneratorState) -> list[Event]:
    member_id = _pick(draft)
    return [FailedSync(member_id), *_join(draft)]


def _new_leader(draft: GeneratorState) -> list[Event]:
    return [NewLeader(_pick(draft))]


def _resubscribe(draft: GeneratorState) -> list[Event]:
    member_id = _pick(draft)
    topics = draft.some_topics(0.6)
    if not draft.profile.drops:
        # A member that drops a topic would still report its owned partitions of it.
        topics = tuple(dict.fromkeys((*draft.members[member_id], *topics)))
    draft.members[member_id] = topics
    return [Resubscribe(member_id, topics)]


def _add_partitions(draft: GeneratorState) -> list[Event]:
    if not draft.topics:
        return [Rebalance()]
    topic = draft.source.choice(list(draft.topics.values()))
    partitions = topic.partitions + draft.source.integer(1, 3)
    # The player copies replicas and weights cyclically; the draft needs the count.
    draft.topics[topic.name] = topic._replace(partitions=partitions, replicas=None, weights=None)
    return [AddPartitions(topic.name, partitions)]


def _make_assignable(draft: GeneratorState) -> list[Event]:
    if not draft.withheld:
        return [Rebalance()]
    topic = draft.source.choice(list(draft.withheld))
    del draft.withheld[topic]
    return [Withhold(topic, ())]


def _add_withheld(draft: GeneratorState) -> list[Event]:
    """New partitions, which are not assignable yet."""
    events = _add_partitions(draft)
    for event in list(events):
        if isinstance(event, AddPartitions):
            new = range(event.partitions - draft.source.integer(1, 3), event.partitions)
            numbers = tuple(sorted({*draft.withheld.get(event.topic, ()), *new}))
            draft.withheld[event.topic] = numbers
            events.append(Withhold(event.topic, numbers))
    return events


def _withhold(draft: GeneratorState) -> list[Event]:
    """Partitions that stop being assignable, whoever has them."""
    if not draft.topics:
        return [Rebalance()]
    topic = draft.source.choice(list(draft.topics.values()))
    numbers = tuple(subset(draft.source, list(range(topic.partitions)), 0.4))
    if numbers:
        draft.withheld[topic.name] = numbers
    else:
        draft.withheld.pop(topic.name, None)
    return [Withhold(topic.name, numbers)]


def _create_topic(draft: GeneratorState) -> list[Event]:
    name = f"u{draft.joins}{len(draft.topics)}"
    draft.topics[name] = draft.new_topic(name, draft.profile.partitions_max)
    if not draft.profile.allows("equal-subscriptions"):
        topics = tuple(draft.topics)
        # An absent member would return with its old subscription.
        draft.away.clear()
        return [CreateTopic(draft.topics[name]), *(_reads(draft, m, topics) for m in draft.members)]
    member_id = _pick(draft)
    return [CreateTopic(draft.topics[name]), _reads(draft, member_id, (*draft.members[member_id], name))]


def _reads(draft: GeneratorState, member_id: str, topics: tuple[str, ...]) -> Event:
    draft.members[member_id] = topics
    return Resubscribe(member_id, topics)


def _delete_topic(draft: GeneratorState) -> list[Event]:
    if len(draft.topics) < 2:
        return [Rebalance()]
    name = draft.source.choice(list(draft.topics))
    del draft.topics[name]
    return [DeleteTopic(name)]


def _change_rack(draft: GeneratorState) -> list[Event]:
    return [ChangeRack(_pick(draft), draft.source.choice((None, *RACKS)))]


def _rack_broker(draft: GeneratorState) -> list[Event]:
    source = draft.source
    return [RackBroker(source.integer(0, len(RACKS) - 1), source.choice(RACKS))]


def _reweigh(draft: GeneratorState) -> list[Event]:
    if not draft.topics:
        return [Rebalance()]
    topic = draft.source.choice(list(draft.topics.values()))
    return [Reweigh(topic.name, draft.new_weights(topic.partitions))]


def _claims(draft: GeneratorState) -> list[Event]:
    """One or two members report owned partitions, at their own generation or an old one."""
    source = draft.source
    tps = draft.tps(list(draft.topics))
    generation = source.choice((draft.generation, draft.generation - 1, draft.generation, -1))
    events: list[Event] = [
        ReportOwned(member_id, tuple(subset(source, tps, 0.5)), generation)
        for member_id in list(draft.members)[: 1 + source.boolean()]
    ]
    if draft.profile.allows("equal-subscriptions") and source.boolean(0.4):
        events += _resubscribe(draft)
    return events


def _quiet(draft: GeneratorState) -> list[Event]:  # noqa: ARG001  # the signature of a writer
    return [Rebalance()]


_ALWAYS: Final[tuple[Writer, ...]] = (
    _join,
    _join,
    _leave,
    _leave,
    _add_partitions,
    _create_topic,
    _quiet,
)
_CONTRADICTING: Final[tuple[Writer, ...]] = (_crash, _crash, _failed_sync, _claims)
