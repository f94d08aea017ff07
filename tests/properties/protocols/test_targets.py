"""When targets are computed: an interval apart, and none for a group without members."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.groups import UNRELEASED, ConsumerGroup, ConsumerMember
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
    undated = [f"the time of the target of epoch {now} is not recorded"] if after == -1 else []
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


T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def at(epoch, state="STABLE", assigned=(), pending=(), name="m"):
    return ConsumerMember(name, state=state, epoch=epoch, assigned=assigned, pending=pending)


def led(was, now, *others):
    """What is asked of a step that leads `m` from one thing to another; its target is both partitions."""
    before, after = (
        ConsumerGroup(5, 5, members=(member, *others), target=(("m", (T0, T1)),)) for member in (was, now)
    )
    return before, after


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(-2, 5))
def test_a_member_goes_on_to_the_epoch_of_the_target(was, now):
    said = answers("epochs-of-targets", CONSUMER_GROUP, *led(at(was), at(now)))
    moves = now > 0 and now != was
    assert said == ((broken(f"m advances to epoch {now}, not to 5") if now != 5 else []) if moves else None)


def test_no_member_is_at_the_epoch_of_who_joins():
    assert answers("members-have-epochs", CONSUMER_GROUP, ConsumerGroup(1, 1)) is None
    assert answers("members-have-epochs", CONSUMER_GROUP, led(at(1), at(1))[0]) == []
    assert answers("members-have-epochs", CONSUMER_GROUP, led(at(0), at(0))[0]) == broken(
        "m is a member at epoch 0: each reply makes it join again"
    )


def test_a_member_waits_for_what_others_hold():
    waits = at(5, UNRELEASED, (T0,))
    mine = broken("m has to wait for t-1, which no other member holds")
    assert answers("waits-for-others", CONSUMER_GROUP, *led(at(4, "UNREVOKED", (T0,), (T1,)), waits)) == mine
    for other in (at(4, assigned=(T1,), name="o"), at(4, "UNREVOKED", pending=(T1,), name="o")):
        assert answers("waits-for-others", CONSUMER_GROUP, *led(at(4), waits, other)) == []
    assert answers("waits-for-others", CONSUMER_GROUP, *led(at(4), at(-2, UNRELEASED))) is None
