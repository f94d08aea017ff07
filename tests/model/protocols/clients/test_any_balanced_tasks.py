"""Every balanced target of tasks: complete, even, in processes of their own, and moving least."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.clients.any_balanced_tasks import balanced_tasks
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember, Subtopology

ZERO, ONE = GroupTask("0", 0), GroupTask("0", 1)


def group(*members, tasks=2, standbys=0):
    return StreamsGroup((Subtopology("0", tasks, stateful=True),), tuple(members), standbys)


def test_two_members_of_two_processes_have_two_targets_and_one_once_they_run():
    fresh = group(StreamsMember("a", "p1"), StreamsMember("b", "p2"), standbys=1)
    assert len(balanced_tasks(fresh)) == 2
    running = group(StreamsMember("a", "p1", (ONE,)), StreamsMember("b", "p2", (ZERO,)), standbys=1)
    ((one, other),) = balanced_tasks(running)
    assert one == ("a", ((ONE,), (ZERO,), ()))
    assert other == ("b", ((ZERO,), (ONE,), ()))


def test_copies_stay_with_who_has_them():
    """Either of two other processes could keep the copy; it moves only where it must."""
    active, idle = StreamsMember("a", "p1", (ZERO,)), StreamsMember("b", "p2")
    (target,) = balanced_tasks(
        group(active, idle, StreamsMember("c", "p3", (), (ZERO,)), tasks=1, standbys=1)
    )
    assert dict(target)["c"].standby == (ZERO,)
    either = balanced_tasks(group(active, idle, StreamsMember("c", "p3"), tasks=1, standbys=1))
    assert {name for target in either for name, roles in target if roles.standby} == {"b", "c"}


def test_copies_lie_as_evenly_as_can_be_and_in_a_process_once():
    members = (
        StreamsMember("a", "p1", tuple(GroupTask("0", number) for number in range(2))),
        StreamsMember("b", "p2"),
        StreamsMember("c", "p3", tuple(GroupTask("0", number) for number in range(2, 4))),
        StreamsMember("d", "p3"),
    )
    for target in balanced_tasks(group(*members, tasks=4, standbys=2)):
        roles = dict(target)
        assert sorted(len(own.standby) for own in roles.values()) == [1, 1, 3, 3]
        assert not {*roles["c"].standby} & {*roles["d"].standby}


def test_two_threads_of_one_process_keep_no_copies_for_each_other():
    (only, *more) = balanced_tasks(group(StreamsMember("a", "p1"), StreamsMember("b", "p1"), standbys=1))
    assert all(not roles.standby for target in (only, *more) for _, roles in target)


def test_nobody_is_given_nothing():
    assert balanced_tasks(group()) == ((),)


@st.composite
def groups(draw):
    members = tuple(
        StreamsMember(f"m{number}", f"p{draw(st.integers(1, 3))}")
        for number in range(draw(st.integers(1, 3)))
    )
    tasks = draw(st.integers(0, 3))
    owners = [draw(st.integers(0, len(members))) for _ in range(tasks)]
    held = [
        tuple(GroupTask("0", t) for t, o in enumerate(owners) if o == place) for place in range(len(members))
    ]
    placed = tuple(StreamsMember(one.member_id, one.process_id, active) for one, active in zip(members, held))
    return group(*placed, tasks=tasks, standbys=draw(st.integers(0, 2)))


@given(groups())
def test_every_target_keeps_what_an_assignor_of_tasks_must(ask):
    processes = {member.process_id for member in ask.members}
    process_of = {member.member_id: member.process_id for member in ask.members}
    targets = balanced_tasks(ask)
    assert targets
    assert len(set(targets)) == len(targets)
    for target in targets:
        run = [task for _, roles in target for task in roles.active]
        assert sorted(run) == sorted(ask.tasks)
        loads = [len(roles.active) for _, roles in target]
        assert max(loads) - min(loads) <= 1
        places = Counter(
            (process_of[who], task) for who, roles in target for task in (*roles.active, *roles.standby)
        )
        assert set(places.values()) <= {1}, "a process has a task once"
        kept = Counter(task for _, roles in target for task in roles.standby)
        due = min(ask.standby_replicas, len(processes) - 1)
        assert all(kept[task] == due for task in ask.stateful)
