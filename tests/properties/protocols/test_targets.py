"""When targets are computed: an interval apart, and none for a group without members."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.protocols.values.groups import ConsumerGroup, ConsumerMember
from kassay.properties.protocols.registry import CONSUMER_GROUP, INTERVALS
from tests.properties.protocols.asking import answers, broken

INTERVAL = "targets-keep-the-interval"
EMPTY = "empty-group-at-its-target"
ONE = (ConsumerMember("m"),)


def group(target_epoch, target_time, members=ONE, epoch=5):
    return ConsumerGroup(epoch, target_epoch, target_time=target_time, members=members)


@settings(max_examples=80)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(-1, 2), st.integers(-1, 2))
def test_a_newer_target_comes_after_the_interval_and_begins_another(was, now, before, after):
    said = answers(INTERVAL, INTERVALS, group(was, before), group(now, after))
    early = [f"the target of epoch {now} is computed before the interval is over"] if before > 0 else []
    undated = [f"when the target of epoch {now} was computed is not on record"] if after == -1 else []
    assert said == (broken(*early, *undated) if now > was else None)


def test_a_group_that_had_no_members_waits_for_no_interval():
    assert answers(INTERVAL, INTERVALS, group(1, 2, ()), group(2, 2)) is None
    assert answers(INTERVAL, INTERVALS, group(1, 2), group(2, -1, ())) is None


def test_an_empty_group_has_the_target_of_its_epoch():
    assert answers(EMPTY, CONSUMER_GROUP, group(5, -1, ())) == []
    assert answers(EMPTY, CONSUMER_GROUP, group(4, -1, ())) == broken(
        "the group is empty at epoch 5, and its target is of 4"
    )
    assert answers(EMPTY, CONSUMER_GROUP, group(4, -1)) is None
