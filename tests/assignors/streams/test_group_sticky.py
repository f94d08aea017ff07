"""Who is asked first for a task and for a copy of it, and in which order what is left is given out.

Small groups under the broker's rule of 4.4; the vectors of Kafka's own outputs do the rest.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import TaskAssignorError
from kassay.assignors.streams.group_sticky import StickyPlacement, StreamsGroupSticky
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.streams.history import asking, run_tasks
from kassay.properties.sources import Drawn
from kassay.properties.streams import tasks
from kassay.properties.streams.scenarios import task_history


def ids(*partitions: int) -> tuple[GroupTask, ...]:
    return tuple(GroupTask("0", p) for p in partitions)


def placed(*members: StreamsMember, partitions: int, standbys: int = 0) -> dict[str, MemberTasks]:
    placement = StickyPlacement(StreamsGroup((Subtopology("0", partitions, True),), members, standbys))
    placement.place_active()
    placement.place_standbys()
    return placement.answer()


def test_a_copy_goes_to_who_ran_the_task_when_another_process_takes_it():
    both = StreamsMember("a", "p", ids(0, 1))
    given = placed(both, StreamsMember("b", "q"), partitions=2, standbys=1)
    assert given == {"a": MemberTasks(ids(0), ids(1)), "b": MemberTasks(ids(1), ids(0))}


def test_a_copy_does_not_go_to_another_thread_of_the_process():
    threads = StreamsMember("a", "p", ids(0)), StreamsMember("b", "p")
    given = placed(*threads, partitions=1, standbys=2)
    assert [tasks.standby for tasks in given.values()] == [(), ()]


def test_a_later_member_with_state_is_chosen_where_it_and_its_process_have_less():
    busy, copy = StreamsMember("a", "p", ids(0), ids(1)), StreamsMember("b", "q", (), ids(1))
    assert placed(busy, copy, partitions=2)["b"].active == ids(1)


def test_tasks_that_nobody_has_go_round_by_subtopology():
    group = StreamsGroup(
        (Subtopology("b", 2, False), Subtopology("a", 2, False)),
        (StreamsMember("m", "p"), StreamsMember("n", "q")),
    )
    placement = StickyPlacement(group)
    placement.place_active()
    assert [tasks.active for tasks in placement.answer().values()] in (
        [(GroupTask("a", k), GroupTask("b", k)) for k in (0, 1)],
        [(GroupTask("a", k), GroupTask("b", k)) for k in (1, 0)],
    )


histories = st.composite(lambda draw: task_history(Drawn(draw)))()


def sticky_ids(*texts: str) -> tuple[GroupTask, ...]:
    return tuple(GroupTask(text.split("_")[0], int(text.split("_")[1])) for text in texts)


def assign(*members: StreamsMember, partitions: int = 2, standbys: int = 0) -> dict[str, MemberTasks]:
    group = StreamsGroup((Subtopology("0", partitions, True),), members, standbys)
    return dict(StreamsGroupSticky().assign_group(group))


def test_a_task_stays_with_who_runs_it():
    given = assign(StreamsMember("a", "p", sticky_ids("0_1")), StreamsMember("b", "q", sticky_ids("0_0")))
    assert given == {"a": MemberTasks(sticky_ids("0_1")), "b": MemberTasks(sticky_ids("0_0"))}


def test_who_runs_too_much_gives_up_the_last_partitions():
    given = assign(StreamsMember("a", "p", sticky_ids("0_0", "0_1")), StreamsMember("b", "q"))
    assert given == {"a": MemberTasks(sticky_ids("0_0")), "b": MemberTasks(sticky_ids("0_1"))}


def test_a_task_goes_to_its_copy_before_an_offset_and_to_an_offset_before_anybody():
    copy = StreamsMember("a", "p", standby=sticky_ids("0_0"))
    offset = StreamsMember("b", "q", offsets=((sticky_ids("0_0")[0], 9),))
    nothing = StreamsMember("c", "r")
    assert assign(offset, copy, nothing, partitions=1)["a"].active == sticky_ids("0_0")
    assert assign(nothing, offset, partitions=1)["b"].active == sticky_ids("0_0")


def test_the_larger_offset_comes_first():
    members = [StreamsMember(f"m{k}", f"p{k}", offsets=((sticky_ids("0_0")[0], k),)) for k in range(4)]
    assert assign(*members, partitions=1)["m3"].active == sticky_ids("0_0")


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
