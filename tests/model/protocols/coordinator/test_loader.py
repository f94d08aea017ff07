"""A record that does not fit what is there ends the loading, in groups of every type."""

import pytest

from kassay.model.protocols.coordinator.loader import (
    LEAVE_EPOCH,
    TODAY,
    GroupType,
    LoadedEpoch,
    LoadedGeneration,
    LoadedMember,
    LoadedPart,
    LoadedRecord,
    LoadRules,
    LogLoader,
    named,
)

CLASSIC, CONSUMER, SHARE, STREAMS = GroupType
COORDINATED = [CONSUMER, SHARE, STREAMS]


def of(kind, part, value=True, name="", group="g"):
    return LoadedRecord(kind, part, group, name, value)


def epoch(kind, value=True):
    return of(kind, LoadedPart.GROUP, value)


def member(kind, name="a", value=True):
    return of(kind, LoadedPart.MEMBER, value, name)


FIRST = LoadedEpoch(1)


def target_epoch(kind, value=FIRST):
    return of(kind, LoadedPart.TARGET_EPOCH, value)


def target(kind, name="a", value=True):
    return of(kind, LoadedPart.TARGET, value, name)


def current(kind, name="a", at=1, assigned=(), revoking=()):
    return of(kind, LoadedPart.CURRENT, None if at is None else LoadedMember(at, assigned, revoking), name)


def generation(*instances, protocol="consumer"):
    return of(CLASSIC, LoadedPart.GROUP, LoadedGeneration(protocol, instances))


OFFSET = of(CLASSIC, LoadedPart.OFFSET)


def life(kind):
    return [member(kind), epoch(kind), target(kind), target_epoch(kind), current(kind)]


def end(kind):
    return [
        current(kind, at=None),
        target(kind, value=None),
        member(kind, value=None),
        target_epoch(kind, None),
        epoch(kind, None),
    ]


def refused(*records, rules=TODAY):
    """The number of the record that does not fit, with the reason; None if all do."""
    loader = LogLoader(rules)
    for number, record in enumerate(records):
        why = loader.take(record)
        if why is not None:
            return number, why
    return None


@pytest.mark.parametrize("kind", COORDINATED)
def test_a_whole_life_loads_and_leaves_nothing(kind):
    loader = LogLoader()
    assert [loader.take(each) for each in (*life(kind), *end(kind))] == [None] * 10
    assert loader.groups == {}


@pytest.mark.parametrize("kind", COORDINATED)
def test_tombstones_of_what_is_not_there_are_skipped_by_today_and_thrown_by_before(kind):
    for each in end(kind):
        assert refused(each) is None
        thrown = refused(each, rules=LoadRules(tombstones_need_owners=True))
        assert (thrown is not None) is (kind is CONSUMER)


@pytest.mark.parametrize("kind", COORDINATED)
@pytest.mark.parametrize(
    ("left_out", "at", "words"),
    [
        (0, 6, "its assignment still exists"),
        (1, 6, "its target still exists"),
        (2, 8, "the group still has members"),
        (3, 8, "its target epoch still exists"),
    ],
)
def test_each_tombstone_must_come_before_the_next(kind, left_out, at, words):
    ending = end(kind)
    del ending[left_out]
    number, why = refused(*life(kind), *ending)
    assert number == at and words in why


@pytest.mark.parametrize("kind", COORDINATED)
def test_the_target_epoch_goes_after_the_targets(kind):
    assert refused(*life(kind), target_epoch(kind, None)) == (5, "targets still exist")


@pytest.mark.parametrize("kind", COORDINATED)
@pytest.mark.parametrize("other", COORDINATED)
def test_records_of_another_type_do_not_fit(kind, other):
    expected = None if kind is other else (5, f"the group is not a {named(other)} but a {named(kind)}")
    assert refused(*life(kind), epoch(other)) == expected


@pytest.mark.parametrize("kind", COORDINATED)
def test_a_generation_replaces_any_group_and_its_tombstone_removes_it(kind):
    assert refused(*life(kind), generation(None)) is None
    assert refused(generation(None), epoch(kind))[0] == 1
    assert refused(generation(None), of(CLASSIC, LoadedPart.GROUP, None), epoch(kind)) is None


def test_a_group_of_offsets_gives_way_except_to_a_share_group():
    assert refused(OFFSET, epoch(CONSUMER)) is None
    assert refused(OFFSET, epoch(STREAMS)) is None
    assert refused(OFFSET, epoch(SHARE)) == (1, "the group is not a share group but a classic group")
    assert refused(generation(protocol=""), epoch(CONSUMER)) is None
    assert refused(OFFSET, epoch(CONSUMER), rules=LoadRules(simple_kept=True))[0] == 1
    assert refused(OFFSET, epoch(STREAMS), rules=LoadRules(streams_simple_kept=True))[0] == 1


def test_a_generation_has_an_instance_once_and_a_protocol_type_if_it_has_members():
    assert refused(generation("i", "j", None, None)) is None
    assert "the instance id i" in refused(generation("i", "i"))[1]
    assert refused(generation(None, protocol=""))[0] == 0


def test_a_partition_has_one_owner_at_an_epoch():
    ab = [current(CONSUMER, "a", 2, ["t-0"]), current(CONSUMER, "b", 2, ["t-0"])]
    assert refused(*ab) == (1, "t-0 is still held at epoch 2, expected one below 2")
    assert refused(ab[0], current(CONSUMER, "b", 3, ["t-0"])) is None
    assert refused(ab[0], current(CONSUMER, "a", 2, [], ["t-0"]), current(CONSUMER, "a", 3), ab[1]) is None
    assert refused(current(CONSUMER, "a", 2, ["t-0"], ["t-0"]))[0] == 0
    for kind in (SHARE, STREAMS):
        assert refused(*(each._replace(type=kind) for each in ab)) is None


def test_what_another_member_has_by_now_is_not_freed():
    taken = [
        current(CONSUMER, "a", 2, ["t-0"]),
        current(CONSUMER, "b", 3, ["t-0"]),
        current(CONSUMER, "a", 4),
    ]
    assert refused(*taken, current(CONSUMER, "c", 3, ["t-0"]))[0] == 3
    assert refused(*taken, rules=LoadRules(epochs_expected=True))[0] == 2


def test_a_subscription_of_a_member_whose_partition_another_has_does_not_fit():
    taken = [current(CONSUMER, "a", 2, ["t-0"]), current(CONSUMER, "b", 3, ["t-0"])]
    assert refused(*taken, member(CONSUMER, "a"))[0] == 2


def test_a_member_that_left_has_the_epoch_of_leaving():
    loader = LogLoader()
    for each in (member(CONSUMER), current(CONSUMER), current(CONSUMER, at=None)):
        assert loader.take(each) is None
    assert loader.groups["g"].members["a"].epoch == LEAVE_EPOCH


def test_offsets_make_a_group_where_there_is_none_and_change_no_other():
    loader = LogLoader()
    assert loader.take(OFFSET._replace(value=None)) is None
    assert loader.groups == {}
    for each in (*life(CONSUMER), OFFSET):
        assert loader.take(each) is None
    assert loader.groups["g"].type is CONSUMER


@pytest.mark.parametrize("kind", COORDINATED)
def test_a_target_after_the_end_of_its_epoch_keeps_all_but_a_streams_group(kind):
    records = [epoch(kind), target_epoch(kind, None), target(kind), epoch(kind, None)]
    assert refused(*records) == (None if kind is STREAMS else (3, "targets still exist"))
