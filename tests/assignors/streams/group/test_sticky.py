"""Small groups under the broker's rule of 4.4; the vectors of Kafka's own outputs do the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import TaskAssignorError
from kassay.assignors.streams.group.sticky import StreamsGroupSticky
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.streams.history import asking, run_tasks
from kassay.properties.sources import Drawn
from kassay.properties.streams import tasks
from kassay.properties.streams.scenarios import task_history

histories = st.composite(lambda draw: task_history(Drawn(draw)))()


def ids(*texts: str) -> tuple[GroupTask, ...]:
    return tuple(GroupTask(text.split("_")[0], int(text.split("_")[1])) for text in texts)


def assign(*members: StreamsMember, partitions: int = 2, standbys: int = 0) -> dict[str, MemberTasks]:
    group = StreamsGroup((Subtopology("0", partitions, True),), members, standbys)
    return dict(StreamsGroupSticky().assign_group(group))


def test_a_task_stays_with_who_runs_it():
    given = assign(StreamsMember("a", "p", ids("0_1")), StreamsMember("b", "q", ids("0_0")))
    assert given == {"a": MemberTasks(ids("0_1")), "b": MemberTasks(ids("0_0"))}


def test_who_runs_too_much_gives_up_the_last_partitions():
    given = assign(StreamsMember("a", "p", ids("0_0", "0_1")), StreamsMember("b", "q"))
    assert given == {"a": MemberTasks(ids("0_0")), "b": MemberTasks(ids("0_1"))}


def test_a_task_goes_to_its_copy_before_an_offset_and_to_an_offset_before_anybody():
    copy = StreamsMember("a", "p", standby=ids("0_0"))
    offset = StreamsMember("b", "q", offsets=((ids("0_0")[0], 9),))
    nothing = StreamsMember("c", "r")
    assert assign(offset, copy, nothing, partitions=1)["a"].active == ids("0_0")
    assert assign(nothing, offset, partitions=1)["b"].active == ids("0_0")


def test_the_larger_offset_comes_first():
    members = [StreamsMember(f"m{k}", f"p{k}", offsets=((ids("0_0")[0], k),)) for k in range(4)]
    assert assign(*members, partitions=1)["m3"].active == ids("0_0")


def test_subtopologies_order_as_text():
    group = StreamsGroup(
        (Subtopology("2", 1, False), Subtopology("10", 1, False)),
        (StreamsMember("a", "p", (GroupTask("2", 0), GroupTask("10", 0))), StreamsMember("b", "q")),
    )
    assert StreamsGroupSticky().assign_group(group)["a"].active == (GroupTask("10", 0),)


def test_without_members_there_must_be_no_tasks():
    assert assign(partitions=0) == {}
    with pytest.raises(TaskAssignorError, match="0_0"):
        assign()


@given(histories)
def test_answers_are_valid_and_no_process_has_two_copies_of_a_task(history):
    for step in run_tasks(history, asking(StreamsGroupSticky)).steps:
        for holds in (tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint):
            assert list(holds(step)) == []
