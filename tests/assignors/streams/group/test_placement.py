"""Who is asked first for a task and for a copy of it, and in which order what is left is given out."""

from kassay.assignors.streams.group.placement import StickyPlacement
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology


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
