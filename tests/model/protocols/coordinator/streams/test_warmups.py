"""The step towards a target warms state up first: nothing is lost by it, and it ends at the target."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.coordinator.streams.warmups import warmed_up
from kassay.model.protocols.values.streams.group import StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.values.streams.tasks import HeldTasks, TaskOffsets, TaskRoles
from kassay.model.protocols.values.streams.topology import StreamsSubtopology, StreamsTopology
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, COUNTS, Threads, tasks

NAMES = ("a", "b", "c")
WITHOUT_STATE = StreamsTopology(1, (StreamsSubtopology("0", ("foo",)),))


def group(processes="123", offsets=(), **has):
    members = tuple(
        StreamsTaskMember(name, process_id=f"p{process}", assigned=HeldTasks(*has.get(name, ())))
        for name, process in zip(NAMES, processes)
    )
    return StreamsTaskGroup(members=members, task_offsets=offsets)


def target(**given):
    return tuple((name, TaskRoles(*given.get(name, ()))) for name in NAMES)


def test_a_task_stays_until_who_is_to_have_it_is_as_far():
    a, b = tasks(0), tasks(1)
    moves = target(a=(a,), b=(b,))
    step = warmed_up(group(a=((*a, *b),)), moves, COUNTS, 2)
    assert step == target(a=((*a, *b),), b=((), (), b))
    far = (("b", TaskOffsets(((b[0], 1),), ((b[0], 1),))),)
    assert warmed_up(group(a=((*a, *b),), b=((), (), b), offsets=far), moves, COUNTS, 2) == moves
    near = (("b", TaskOffsets(((b[0], 0),), ((b[0], 1),))),)
    assert warmed_up(group(a=((*a, *b),), b=((), (), b), offsets=near), moves, COUNTS, 2) == step


@pytest.mark.parametrize("said", [TaskOffsets(((tasks(1)[0], 1),), ()), TaskOffsets((), ((tasks(1)[0], 1),))])
def test_who_says_only_half_of_how_far_it_is_is_not_as_far(said):
    both, moves = tasks(0, 1), target(a=(tasks(0),), b=(tasks(1),))
    half = group(a=(both,), b=((), (), tasks(1)), offsets=(("b", said),))
    assert warmed_up(half, moves, COUNTS, 2) == target(a=(both,), b=((), (), tasks(1)))


def test_where_no_warm_up_is_allowed_tasks_move_at_once():
    threads = Threads(AT_ONCE._replace(num_warmup_replicas=0, warms_up=True))
    threads.choices.given = {"a": TaskRoles(tasks(0, 1))}
    threads.join("a")
    threads.choices.given = {"a": TaskRoles(tasks(0)), "b": TaskRoles(tasks(1))}
    threads.join("b")
    assert threads.beat("a").tasks == TaskRoles(tasks(0))


def test_what_has_no_state_or_no_owner_or_stays_in_its_process_moves_at_once():
    moves = target(b=(tasks(0),))
    assert warmed_up(group(a=(tasks(0),)), moves, WITHOUT_STATE, 2) == moves
    assert warmed_up(group(), moves, COUNTS, 2) == moves
    assert warmed_up(group("113", a=(tasks(0),)), moves, COUNTS, 2) == moves


def test_only_so_many_are_warmed_up_at_a_time_and_a_standby_copy_costs_none():
    both, moves = tasks(0, 1), target(b=(tasks(0, 1),))
    step = dict(warmed_up(group(a=(both,)), moves, COUNTS, 1))
    assert (step["a"].active, step["b"]) == (both, TaskRoles((), (), tasks(0)))
    step = dict(warmed_up(group(a=(both,), b=((), both)), moves, COUNTS, 1))
    assert (step["a"].active, step["b"]) == (both, TaskRoles((), both, ()))


def test_the_copy_that_the_owner_is_to_keep_afterwards_waits():
    step = dict(warmed_up(group(a=(tasks(0),)), target(a=((), tasks(0)), b=(tasks(0),)), COUNTS, 1))
    assert (step["a"], step["b"]) == (TaskRoles(tasks(0)), TaskRoles((), (), tasks(0)))


def test_a_copy_in_a_third_process_stays_where_it_is():
    moves = target(b=(tasks(0),), c=((), tasks(0)))
    step = dict(warmed_up(group(a=(tasks(0),), c=((), tasks(0))), moves, COUNTS, 1))
    assert step == dict(target(a=(tasks(0),), b=((), (), tasks(0)), c=((), tasks(0))))


def test_who_came_after_the_target_was_computed_is_led_nowhere():
    """A target may be late: it lacks the thread beside the owner, or the owner itself."""
    runs = group("121", a=(tasks(0),))
    late = tuple(entry for entry in target(b=(tasks(0),)) if entry[0] != "c")
    assert warmed_up(runs, late, COUNTS, 1) == (
        ("a", TaskRoles(tasks(0))),
        ("b", TaskRoles((), (), tasks(0))),
    )
    without = tuple(entry for entry in late if entry[0] != "a")
    assert warmed_up(runs, without, COUNTS, 1) == without


@given(
    st.tuples(*[st.sampled_from("123")] * 3),
    st.tuples(*[st.sampled_from([None, *NAMES])] * 4),
    st.tuples(*[st.sampled_from(NAMES)] * 4),
    st.frozensets(st.tuples(st.sampled_from(NAMES), st.integers(0, 3))),
    st.integers(0, 4),
)
def test_no_active_task_is_lost_or_doubled_and_no_process_has_one_twice(processes, now, then, far, most):
    def of(places, name):
        return tuple(task for task, place in zip(tasks(0, 1, 2, 3), places) if place == name)

    offsets = tuple(
        (
            name,
            TaskOffsets(
                *[tuple((task, 1) for who, n in sorted(far) if who == name for task in tasks(n))] * 2
            ),
        )
        for name in NAMES
    )
    before = group(processes, offsets, **{name: (of(now, name),) for name in NAMES})
    moves = target(**{name: (of(then, name),) for name in NAMES})
    step = warmed_up(before, moves, COUNTS, most)
    assert sorted(task for _, roles in step for task in roles.active) == list(tasks(0, 1, 2, 3))
    assert sum(len(roles.warmup) for _, roles in step) <= most
    home = dict(zip(NAMES, processes))
    held = [(home[name], task) for name, roles in step for role in roles for task in role]
    assert len(held) == len(set(held))


def test_the_coordinator_leads_there_step_by_step():
    threads = Threads(AT_ONCE._replace(num_warmup_replicas=1, warms_up=True))
    threads.choices.given = {"a": TaskRoles(tasks(0, 1))}
    threads.join("a")
    threads.choices.given = {"a": TaskRoles(tasks(0)), "b": TaskRoles(tasks(1))}
    threads.join("b")
    threads.beat("a", TaskRoles(tasks(0, 1)))
    assert threads.member("a").assigned.active == tasks(0, 1)
    warms = threads.beat("b").tasks
    assert warms == TaskRoles(warmup=tasks(1))
    done = ((tasks(1)[0], 1),)
    threads.beat("b", warms, task_offsets=done, task_end_offsets=done)
    threads.beat("a", TaskRoles(tasks(0, 1)))
    gives_up = threads.beat("a").tasks
    assert gives_up == TaskRoles(tasks(0))
    threads.beat("a", gives_up)
    assert threads.beat("b").tasks == TaskRoles(tasks(1))
