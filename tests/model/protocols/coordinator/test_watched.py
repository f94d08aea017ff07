"""Which topics' changes concern a group: its own, and those of removed groups with its id."""

from kassay.model.protocols.coordinator.consumer.group import all_records, group_tombstones
from kassay.model.protocols.coordinator.loading import read_watched
from kassay.model.protocols.coordinator.streams.group import group_tombstones as streams_tombstones
from kassay.model.protocols.coordinator.watched import left_topics, notice_topics, without_watched
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup, ConsumerMember, CoordinatorState
from kassay.model.protocols.values.records import REGEX, LogRecord, Regex, RegexMatches
from kassay.model.protocols.values.requests import Config, image_of
from kassay.model.protocols.values.streams import StreamsSubtopology, StreamsTopology
from kassay.model.protocols.values.streams_groups import (
    REFRESH_DUE,
    STREAMS_EPOCH,
    STREAMS_TOPOLOGY,
    StreamsEpochValue,
    StreamsTaskGroup,
)
from tests.model.protocols.coordinator.drive import FirstChoices

CONSUMERS = ConsumerGroup(
    members=(ConsumerMember("m", subscribed=("foo",)),),
    resolved=(("b.*", RegexMatches(("bar",))),),
    refreshed=(1,),
)
STREAMS = StreamsTaskGroup(topology=(StreamsTopology(1, (StreamsSubtopology("0", ("foo",)),)),), refreshed=2)


def effects(*switches, now=0, left=()):
    return Effects(Config(switches=frozenset(switches)), (), FirstChoices(), now, left_topics=left)


def noticed(group, *changed, left=(), switches=()):
    state = CoordinatorState(group, image_of([("other", 1)]), left_topics=left)
    after = image_of([("other", 1), *((name, 1) for name in changed)])
    return notice_topics(effects(*switches), state, after)


def test_a_change_of_a_topic_of_the_group_is_noticed():
    assert noticed(CONSUMERS, "new") is CONSUMERS
    assert noticed(CONSUMERS, "foo").refreshed == noticed(CONSUMERS, "bar").refreshed == ()
    assert noticed(CONSUMERS, "bar", switches=("matched_topics_unwatched",)) is CONSUMERS
    assert noticed(STREAMS, "bar") is STREAMS
    assert noticed(STREAMS, "foo").refreshed == REFRESH_DUE
    assert noticed(STREAMS, "foo", switches=("streams_topics_unwatched",)) is STREAMS
    classic = ClassicGroup()
    assert noticed(classic, "foo", left=("foo",)) is classic


def test_so_is_one_of_a_topic_that_a_removed_group_has_left():
    assert noticed(CONSUMERS, "old", left=("old",)).refreshed == ()
    assert noticed(STREAMS, "old", left=("old",)).refreshed == REFRESH_DUE


def test_a_group_that_is_removed_leaves_its_topics_until_another_one_has_them():
    assert left_topics(effects(), CONSUMERS, ClassicGroup()) == ("bar", "foo")
    assert left_topics(effects(left=("old",)), STREAMS, None) == ("foo", "old")
    assert left_topics(effects(left=("foo", "old")), ClassicGroup(), STREAMS) == ("old",)
    assert without_watched(effects(), ("bar", "old"), CONSUMERS) == ("old",)
    assert left_topics(effects(left=("old",)), CONSUMERS, CONSUMERS) == ("old",)


def test_without_a_clock_nothing_is_tracked():
    assert left_topics(effects(now=-1), CONSUMERS, None) == ()


def test_a_streams_group_leaves_them_in_the_log_too_and_a_consumer_group_none():
    topology = STREAMS.topology[0]
    epoch = LogRecord((STREAMS_EPOCH, ""), StreamsEpochValue(1, 1, (), ()))
    streams = (epoch, LogRecord((STREAMS_TOPOLOGY, ""), topology), *streams_tombstones())
    assert read_watched(streams, lambda switch: False) == (None, ("foo",))
    consumers = (*all_records(effects(), CONSUMERS), LogRecord((REGEX, Regex("b.*")), RegexMatches(("bar",))))
    assert read_watched((*streams, *consumers), lambda switch: False)[1] == ()
    gone = (*streams, *consumers, *group_tombstones(CONSUMERS))
    assert read_watched(gone, lambda switch: False) == (None, ())
