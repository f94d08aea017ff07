import pytest

from kassay.model.errors import InputError
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember, Subtopology


def test_tasks_go_by_subtopology_and_those_with_state_are_a_part_of_them():
    group = StreamsGroup((Subtopology("b", 2, False), Subtopology("a", 1, True)), ())
    assert list(map(str, group.tasks)) == ["b_0", "b_1", "a_0"]
    assert group.stateful == (GroupTask("a", 0),)


def test_members_and_subtopologies_stand_once():
    with pytest.raises(InputError, match="different member ids"):
        StreamsGroup((), (StreamsMember("m", "p"), StreamsMember("m", "q")))
    with pytest.raises(InputError, match="different names"):
        StreamsGroup((Subtopology("a", 1, True), Subtopology("a", 2, True)), ())
