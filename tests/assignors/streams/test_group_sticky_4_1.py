"""The rule of 4.1, where tasks like to meet tasks that they have not been with."""

import pytest

from kassay.assignors.java_errors import InternalTaskAssignorError
from kassay.assignors.registry import find
from kassay.assignors.streams.group_sticky_4_1 import PairingPlacement, StreamsGroupPairing, TaskPairs
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology

ONE, TWO, THREE = (GroupTask("0", p) for p in range(3))


def placed(*members: StreamsMember, partitions: int, standbys: int = 0) -> dict[str, MemberTasks]:
    placement = PairingPlacement(StreamsGroup((Subtopology("0", partitions, True),), members, standbys))
    placement.place_active()
    placement.place_standbys()
    return placement.answer()


def test_pairs_are_new_until_the_tasks_met_and_an_empty_process_is_always_new():
    pairs = TaskPairs(3)
    pairs.meet(ONE, {TWO})
    assert not pairs.has_new(TWO, {ONE})
    assert pairs.has_new(TWO, {ONE, THREE})
    assert pairs.has_new(TWO, set())
    pairs.meet(THREE, {ONE, TWO})
    assert not pairs.has_new(TWO, set())


def test_tasks_stay_and_copies_go_to_who_ran_them_or_had_them():
    given = placed(
        StreamsMember("a", "p", (ONE, TWO)), StreamsMember("b", "q", (), (ONE,)), partitions=2, standbys=1
    )
    assert given == {"a": MemberTasks((ONE,), (TWO,)), "b": MemberTasks((TWO,), (ONE,))}


def test_no_process_gets_a_second_copy():
    given = placed(StreamsMember("a", "p"), StreamsMember("b", "p"), partitions=1, standbys=2)
    assert [tasks.standby for tasks in given.values()] == [(), ()]


def test_without_members_there_must_be_no_tasks():
    assert placed(partitions=0) == {}
    with pytest.raises(InternalTaskAssignorError, match="0_0"):
        placed(partitions=1)


def test_it_is_the_rule_of_4_1_until_4_2():
    for release in ("4.1", "4.1.0", "4.1.9"):
        reference = find(f"streams-group-sticky@{release}")
        assert reference is not None
        assert reference.factory is StreamsGroupPairing
        assert "deterministic" not in reference.claims
