"""Who is asked for a copy in 4.2 and 4.3, before and after KAFKA-20899."""

from kassay.assignors.registry import find
from kassay.assignors.streams.group_sticky_4_2 import (
    CopiesOnlyPlacement,
    FirstCopyPlacement,
    StreamsGroupStickyFirstCopy,
)
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology

TASK = GroupTask("0", 0)


def placed(rule, *members: StreamsMember, standbys: int = 0) -> dict[str, MemberTasks]:
    placement = rule(StreamsGroup((Subtopology("0", 1, True),), members, standbys))
    placement.place_active()
    placement.place_standbys()
    return placement.answer()


def test_offsets_count_for_nothing_and_copies_for_something():
    offset, copy = StreamsMember("a", "p", offsets=((TASK, 9),)), StreamsMember("b", "q", standby=(TASK,))
    for rule in (CopiesOnlyPlacement, FirstCopyPlacement):
        assert placed(rule, offset, copy)["b"].active == (TASK,)


def test_copies_come_in_the_order_of_the_group_whatever_their_offsets():
    members = [StreamsMember(m, m, standby=(TASK,), offsets=((TASK, k),)) for k, m in enumerate("abc")]
    assert placed(CopiesOnlyPlacement, *members)["a"].active == (TASK,)


def test_after_the_mend_the_next_member_with_a_copy_keeps_it_where_the_first_one_has_the_task():
    first, second = StreamsMember("b", "q", standby=(TASK,)), StreamsMember("c", "r", standby=(TASK,))
    others = [StreamsMember(m, m) for m in "ade"]
    mended = placed(CopiesOnlyPlacement, *others, first, second, standbys=1)
    assert (mended["b"].active, mended["c"].standby) == ((TASK,), (TASK,))
    before = placed(FirstCopyPlacement, *others, first, second, standbys=1)
    assert (before["b"].active, before["c"].standby) == ((TASK,), ())


def test_it_is_the_rule_of_two_lines_until_each_was_mended():
    for release in ("4.2", "4.2.1", "4.3.0", "4.3.1"):
        reference = find(f"streams-group-sticky@{release}")
        assert reference is not None
        assert reference.factory is StreamsGroupStickyFirstCopy
