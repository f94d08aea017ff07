"""A consumer group is what its records say."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import (
    all_records,
    find,
    find_static,
    group_state,
    group_tombstones,
    held,
    names_after,
    removal_records,
    replay,
    target_of,
)
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import (
    ASSIGNING,
    EMPTY,
    MEMBER_STABLE,
    RECONCILING,
    STABLE,
    UNREVOKED,
    ClassicGroup,
    ConsumerGroup,
    ConsumerMember,
)
from kassay.model.protocols.values.records import TOPICS, LogRecord
from kassay.model.protocols.values.requests import Config, image_of
from tests.model.protocols.coordinator.consumer.heartbeats import ack, split
from tests.model.protocols.coordinator.drive import FirstChoices, tps


def records(group, *switches):
    """All records of a group, that of its topics too where they have one."""
    effects = Effects(Config(switches=frozenset(switches)), (), FirstChoices())
    topics = (LogRecord((TOPICS, ""), group.topics),) if "topics_recorded" in switches else ()
    return (*all_records(effects, group), *topics)


def test_a_group_is_what_its_records_say():
    drive = split()
    ack(drive, "a")
    assert replay(None, records(drive.consumer)) == drive.consumer._replace(refreshed=())


def member(name, **more):
    return ConsumerMember(name, subscribed=("foo",), **more)


GROUP = ConsumerGroup(
    7,
    6,
    image_of({"foo": 4}.items()),
    (
        member(
            "a", epoch=6, prev_epoch=5, assigned=tps(0), pending=tps(1), state=UNREVOKED, assignor="range"
        ),
        member("b", epoch=6, prev_epoch=4, assigned=tps(2), group_instance_id="i"),
    ),
    (("a", tps(0)), ("b", tps(1, 2))),
)


def test_a_group_written_by_hand_survives_its_records_and_not_its_tombstones():
    for switches in ((), ("topics_recorded",), ("topics_recorded", "targets_undated")):
        assert replay(None, records(GROUP, *switches)) == GROUP
        assert replay(ClassicGroup(), records(GROUP, *switches)) == GROUP
    assert replay(GROUP, group_tombstones(GROUP)) is None
    without = replay(GROUP, removal_records("a"))
    assert isinstance(without, ConsumerGroup)
    assert (without.members, without.target) == (GROUP.members[1:], GROUP.target[1:])


def test_the_state_follows_from_epochs_and_members():
    reached = GROUP._replace(target_epoch=7)
    settled = tuple(m._replace(epoch=7, state=MEMBER_STABLE, pending=()) for m in GROUP.members)
    assert group_state(GROUP._replace(members=())) == EMPTY
    assert group_state(GROUP) == ASSIGNING
    assert group_state(reached) == RECONCILING
    assert group_state(reached._replace(members=settled)) == STABLE
    assert group_state(reached._replace(members=(settled[0]._replace(epoch=6), settled[1]))) == RECONCILING


def test_what_is_still_to_be_revoked_is_held():
    assert held(GROUP) == {*tps(0, 1, 2)}
    assert (target_of(GROUP, "b"), target_of(GROUP, "stranger")) == (tps(1, 2), ())


def test_members_are_found_by_id_and_by_instance_and_no_instance_is_nobodys():
    assert (find(GROUP, "a"), find(GROUP, "x")) == (GROUP.members[0], None)
    assert (find_static(GROUP, "i"), find_static(GROUP, "")) == (GROUP.members[1], None)


def test_a_member_in_the_place_of_another_one_still_counts_with_its_former_names():
    a, b = GROUP.members
    group = GROUP._replace(members=(a, b._replace(subscribed=("bar",))))
    wanted = a._replace(subscribed=("new",))
    assert names_after(group, a, wanted) == {"bar", "new"}
    in_place_of_b = group.members[1]._replace(member_id="a")
    assert names_after(group, in_place_of_b, wanted) == {"foo", "new"}
