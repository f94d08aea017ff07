"""What the generator believes of the world is what its events make of it."""

from collections import Counter

import pytest

from kassay.model.cluster import Topic
from kassay.model.groups.history import (
    AddPartitions,
    ChangeRack,
    Crash,
    CreateTopic,
    DeleteTopic,
    FailedSync,
    Join,
    Leave,
    ReportOwned,
    Resubscribe,
    Return,
    Reweigh,
    StaticReturn,
)
from kassay.model.groups.kinds import SERVER
from kassay.properties.groups.histories.events import change
from kassay.properties.groups.histories.generator import GeneratorState, GroupProfile
from kassay.properties.sources import Seeded

OF_ONE = (Leave, Crash, FailedSync, Resubscribe, ReportOwned, ChangeRack)


def state(seed, profile):
    """A world of one topic with all habits."""
    return GeneratorState(
        Seeded(seed),
        profile,
        {"t0": Topic("t0", 3)},
        racked=True,
        weighted=True,
        static=True,
        odd=True,
        backwards=False,
    )


class World:
    """Who is there and what there is, followed event by event."""

    def __init__(self, topics):
        self.present, self.away, self.static = set(), set(), set()
        self.topics = dict(topics)

    def follow(self, event):
        if isinstance(event, OF_ONE):
            assert event.member_id in self.present
        match event:
            case Join():
                assert event.member.member_id not in self.present | self.away
                self.present.add(event.member.member_id)
                if event.member.instance_id is not None:
                    self.static.add(event.member.member_id)
            case Leave() | Crash():
                self.present.remove(event.member_id)
                if isinstance(event, Crash):
                    self.away.add(event.member_id)
            case Return():
                self.away.remove(event.member_id)
                self.present.add(event.member_id)
            case StaticReturn():
                assert event.member_id in self.static & self.present
                self.present.remove(event.member_id)
                self.present.add(event.new_member_id)
                self.static.add(event.new_member_id)
            case CreateTopic():
                assert event.topic.name not in self.topics
                self.topics[event.topic.name] = event.topic.partitions
            case DeleteTopic():
                del self.topics[event.topic]
            case AddPartitions():
                assert event.partitions > self.topics[event.topic]
                self.topics[event.topic] = event.partitions
            case Reweigh():
                assert len(event.weights) == self.topics[event.topic]


@pytest.mark.parametrize(
    "profile",
    [GroupProfile(), GroupProfile(kind=SERVER), GroupProfile(assume=frozenset({"equal-subscriptions"}))],
    ids=["client", "server", "equal subscriptions"],
)
def test_the_generator_knows_who_is_there_and_what(profile):
    kinds = Counter()
    for seed in range(150):
        draft = state(seed, profile)
        world = World({"t0": 3})
        for _ in range(6):
            for event in change(draft):
                kinds[type(event)] += 1
                world.follow(event)
            assert set(draft.members) == world.present
            assert {name: topic.partitions for name, topic in draft.topics.items()} == world.topics
            assert world.away >= set(draft.away)
            assert set(draft.instances) <= world.static & (world.present | world.away)
    assert min(kinds[kind] for kind in (Join, Leave, AddPartitions, CreateTopic)) > 30
    assert (kinds[ReportOwned] > 0) is profile.contradicts
    assert (kinds[DeleteTopic] > 0) is profile.contradicts


def test_members_that_make_no_contradictions_never_drop_a_topic():
    for seed in range(150):
        draft = state(seed, GroupProfile(assume=frozenset({"no-conflicting-claims"})))
        for _ in range(6):
            before = dict(draft.members)
            for event in change(draft):
                if isinstance(event, Resubscribe) and event.member_id in before:
                    assert set(before[event.member_id]) <= set(event.topics)
