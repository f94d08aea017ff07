"""Targets of Streams groups: when they are computed, and out of what.

How members of a Streams group are led towards their targets.

The step towards a target warms state up first: nothing is lost by it, and it ends at the target.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.coordinator.streams.group import current_record, member_record, replay
from kassay.model.protocols.coordinator.streams.targets import STREAMS_MEMBER_TABLE, reconcile, warmed_up
from kassay.model.protocols.table import IMPOSSIBLE
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.values.streams import (
    HeldTasks,
    StreamsConfigured,
    StreamsSubtopology,
    StreamsTopology,
    TaskOffsets,
    TaskRoles,
)
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup, StreamsTaskMember
from tests.model.protocols.coordinator.streams.threads import (
    AT_ONCE,
    COUNTS,
    TOPICS,
    TaskChoices,
    Threads,
    tasks,
)


def test_the_assignor_is_asked_about_everybody_with_their_state():
    threads = Threads(AT_ONCE._replace(num_standby_replicas=1, rack_aware_tags=("zone",)))
    threads.join("b", rack="r", tags=(("zone", "z"),), task_offsets=((tasks(1)[0], 9),))
    threads.join("a", process_id="p-b")
    (first, second) = threads.choices.checked
    assert [member.member_id for member in first.members] == ["b"]
    a, b = second.members
    assert (a.process_id, a.active, b.active) == ("p-b", (), tasks(0, 1))
    assert (b.rack, b.tags) == ("r", (("zone", "z"),))
    assert (second.subtopologies, second.standby_replicas) == ((("0", 2, True),), 1)
    assert second.rack_aware_tags == ("zone",)
    assert b.offsets == (), "a group that is new remembers nothing of its first heartbeat"


def test_a_new_target_waits_for_the_interval_and_survives_a_failover():
    threads = Threads(AT_ONCE._replace(assignment_interval=1_000))
    threads.join("a")
    for reload in (False, True):
        name = f"b{reload}"
        assert threads.join(name).status == ("ASSIGNMENT_DELAYED",)
        assert (threads.member(name).epoch, threads.member(name).assigned.active) == (
            threads.group.target_epoch,
            (),
        )
        threads.advance(400)
        if reload:
            threads.reload()
        assert threads.beat("a").status == ("ASSIGNMENT_DELAYED",)
        threads.advance(600)
        assert threads.beat("a").status == ()
        assert threads.group.target_epoch == threads.group.epoch


def test_the_target_of_a_group_that_was_empty_waits_for_no_interval():
    threads = Threads(AT_ONCE._replace(assignment_interval=1_000))
    threads.join("a")
    threads.leave("a")
    assert threads.group.target_epoch == threads.group.epoch
    assert threads.join("b").tasks == TaskRoles(tasks(0, 1))


DELAYED = AT_ONCE._replace(initial_rebalance_delay=3_000)


def test_the_first_members_are_assigned_to_together_once_the_delay_is_over():
    threads = Threads(DELAYED)
    assert threads.join("a").status == ("ASSIGNMENT_DELAYED",)
    threads.advance(1_000)
    threads.join("b")
    assert not threads.choices.checked
    threads.advance(2_000)
    (asked,) = threads.choices.checked
    assert [member.member_id for member in asked.members] == ["a", "b"]
    assert threads.beat("a").tasks == TaskRoles(tasks(0))
    assert threads.beat("b").tasks == TaskRoles(tasks(1))


def test_a_failover_ends_the_delay_and_nobody_is_forgotten():
    threads = Threads(DELAYED)
    threads.join("a")
    threads.reload()
    assert threads.beat("a").tasks == TaskRoles(tasks(0, 1))


def test_a_delay_that_ends_in_an_empty_group_does_nothing():
    threads = Threads(DELAYED)
    threads.join("a")
    threads.leave("a")
    threads.advance(3_000)
    assert [timer.kind for timer in threads.happened.fired] == ["initial_rebalance"]
    assert not threads.happened.records and not threads.choices.checked
    assert not threads.group.delayed


@pytest.mark.parametrize("warmups", [0, 2])
def test_a_static_member_may_be_replaced_while_the_delay_runs_and_nobody_is_led_anywhere(warmups):
    threads = Threads(DELAYED._replace(num_warmup_replicas=warmups))
    threads.join("a", group_instance_id="i")
    threads.beat("a", group_instance_id="i")
    threads.leave("a", -2, group_instance_id="i")
    assert threads.join("b", group_instance_id="i").status == ("ASSIGNMENT_DELAYED",)
    assert all(tasks is not None for step in threads.group.remembered.refined for _, tasks in step.target)
    threads.advance(3_000)
    assert threads.beat("b", group_instance_id="i").tasks == TaskRoles(tasks(0, 1))


def test_a_delay_that_ends_where_a_topic_is_missing_leads_nobody_anywhere():
    threads = Threads(DELAYED, topics={"counts": 2})
    assert set(threads.join("a").status) == {"ASSIGNMENT_DELAYED", "MISSING_SOURCE_TOPICS"}
    threads.advance(3_000)
    assert [timer.kind for timer in threads.happened.fired] == ["initial_rebalance"]
    assert not threads.choices.checked
    threads.topics(**TOPICS)
    assert threads.beat("a").tasks == TaskRoles(tasks(0, 1))


def test_a_delay_without_end_by_a_switch():
    threads = Threads(DELAYED, switches=frozenset({"streams_delay_without_end"}))
    threads.join("a")
    threads.advance(3_000)
    assert threads.beat("a").status == ("ASSIGNMENT_DELAYED",)


WARM = AT_ONCE._replace(num_warmup_replicas=2)


def test_what_members_are_led_towards_is_kept_for_its_epoch():
    threads = Threads(WARM)
    threads.join("a")
    assert not threads.group.remembered.refined, (
        "a group that is new remembers nothing of its first heartbeat"
    )
    threads.join("b")
    (refined,) = threads.group.remembered.refined
    assert (refined.epoch, refined.target) == (threads.group.epoch, threads.group.target)
    threads.leave("b")
    threads.beat("a")
    (refined,) = threads.group.remembered.refined
    assert refined.epoch == threads.group.target_epoch == threads.group.epoch


@pytest.mark.parametrize(("switches", "kept"), [((), True), (("streams_refined_not_relabelled",), False)])
def test_it_passes_on_to_who_comes_for_a_static_member(switches, kept):
    threads = Threads(WARM, switches=frozenset(switches))
    threads.join("a")
    threads.join("b", group_instance_id="i")
    threads.beat("a", TaskRoles(tasks(0)))
    threads.beat("b")
    threads.leave("b", -2, group_instance_id="i")
    reply = threads.join("c", group_instance_id="i", process_id="p-b")
    assert (reply.tasks == TaskRoles(tasks(1))) is kept


def test_an_old_one_is_followed_by_a_switch():
    threads = Threads(WARM, switches=frozenset({"streams_refined_kept"}))
    threads.join("a")
    threads.join("b")
    threads.leave("b")
    threads.beat("a")
    assert threads.member("a").assigned.active == tasks(0)


@pytest.mark.parametrize(("switches", "kept"), [((), True), (("streams_static_target_lost",), False)])
def test_the_target_passes_on_to_who_comes_for_a_static_member(switches, kept):
    threads = Threads(switches=frozenset(switches))
    threads.join("a", group_instance_id="i")
    threads.leave("a", -2, group_instance_id="i")
    reply = threads.join("b", group_instance_id="i", process_id="p-a")
    assert (reply.tasks == TaskRoles(tasks(0, 1))) is kept


def test_other_settings_of_the_group_are_assigned_to_anew_at_the_next_heartbeat():
    threads = Threads()
    threads.join("a")
    threads.beat("a")
    asked = len(threads.choices.checked)
    threads.beat("a")
    assert len(threads.choices.checked) == asked
    threads.send(StreamsConfigured(AT_ONCE._replace(num_standby_replicas=1)))
    threads.beat("a")
    assert threads.choices.checked[asked].standby_replicas == 1
    assert dict(threads.group.configs) == {"num.standby.replicas": "1"}


PROCESSES = {"a": "p", "b": "p", "c": "q"}
TASKS = tasks(0, 1, 2)


def effects(*switches):
    return Effects(Config(switches=frozenset(switches)), (), TaskChoices())


def group_of(members):
    return replay(None, [record for m in members for record in (member_record(m), current_record(m))])


@st.composite
def targets(draw):
    """Each task active once, and a copy in at most one other process."""
    given_out = {name: ([], []) for name in PROCESSES}
    for task in TASKS:
        owner = draw(st.sampled_from(sorted(PROCESSES)))
        given_out[owner][0].append(task)
        others = [name for name in PROCESSES if PROCESSES[name] != PROCESSES[owner]]
        copy = draw(st.sampled_from([None, *others]))
        if copy is not None:
            given_out[copy][1].append(task)
    return {name: TaskRoles(tuple(active), tuple(standby)) for name, (active, standby) in given_out.items()}


beats = st.lists(
    st.tuples(st.sampled_from(sorted(PROCESSES)), st.booleans(), st.none() | targets()), max_size=25
)


def play(beats, *switches):
    """The members after each heartbeat; one that acknowledges says it has what it is left with."""
    members = {
        name: StreamsTaskMember(name, process_id=process, epoch=1) for name, process in PROCESSES.items()
    }
    target, epoch = dict.fromkeys(PROCESSES, TaskRoles()), 1
    for name, acknowledges, newer in beats:
        if newer is not None:
            target, epoch = newer, epoch + 3
        owned = members[name].assigned.roles if acknowledges else None
        members[name] = reconcile(
            effects(*switches), members[name], epoch, target[name], owned, group_of(members.values())
        )
        yield members, target, epoch


def twice(members):
    """Tasks that two members run, or that two members of one process have."""
    active = [task for m in members.values() for task in (*m.assigned.active, *m.pending.active)]
    found = {task for task in active if active.count(task) > 1}
    for one, other in product(members.values(), repeat=2):
        if one.member_id < other.member_id and one.process_id == other.process_id:
            has = [{*m.assigned.active, *m.assigned.standby, *m.pending.active} for m in (one, other)]
            found |= has[0] & has[1]
    return found


@given(beats)
def test_no_task_runs_twice_and_none_is_twice_in_a_process(beats):
    for members, _, _ in play(beats):
        assert not twice(members)


@given(beats)
def test_epochs_go_forward_and_no_further_than_the_target(beats):
    before = dict.fromkeys(PROCESSES, 1)
    for members, _, epoch in play(beats):
        assert all(before[name] <= member.epoch <= epoch for name, member in members.items())
        before = {name: member.epoch for name, member in members.items()}


@given(targets(), targets())
def test_who_acknowledges_all_comes_to_the_target(first, second):
    rounds = [(name, True, None) for _ in range(4) for name in sorted(PROCESSES)]
    beats = [("a", True, first), *rounds, ("a", True, second), *rounds]
    *_, (members, target, epoch) = play(beats)
    for name, member in members.items():
        assert (member.state, member.epoch, member.assigned.roles) == ("STABLE", epoch, target[name])


def test_what_is_acknowledged_counts_the_epoch_up():
    member = StreamsTaskMember("c", process_id="q", epoch=1, prev_epoch=1)
    held = reconcile(effects(), member, 5, TaskRoles(TASKS), TaskRoles(), group_of([member]))
    assert held.assigned.epochs == (5, 5, 5)
    revoking = reconcile(effects(), held, 6, TaskRoles(TASKS[:2]), None, group_of([held]))
    assert (revoking.state, revoking.epoch, revoking.pending.active) == ("UNREVOKED_TASKS", 5, TASKS[2:])
    again = reconcile(
        effects(), revoking, 9, TaskRoles(TASKS[:1]), TaskRoles(TASKS[:2]), group_of([revoking])
    )
    assert (again.state, again.epoch, again.prev_epoch) == ("UNREVOKED_TASKS", 6, 5)


def test_a_copy_stays_until_the_task_is_free_to_run():
    runs = StreamsTaskMember("a", process_id="p", epoch=1)
    runs = reconcile(effects(), runs, 2, TaskRoles(TASKS[:1]), None, group_of([runs]))
    copies = StreamsTaskMember("c", process_id="q", epoch=1)
    copies = reconcile(effects(), copies, 2, TaskRoles((), TASKS[:1]), None, group_of([runs, copies]))
    waits = reconcile(effects(), copies, 3, TaskRoles(TASKS[:1]), TaskRoles(), group_of([runs, copies]))
    assert (waits.state, waits.assigned.standby) == ("UNRELEASED_TASKS", TASKS[:1])
    free = reconcile(effects(), waits, 3, TaskRoles(TASKS[:1]), None, group_of([waits]))
    assert (free.state, free.assigned.roles) == ("STABLE", TaskRoles(TASKS[:1]))


ROLES = [TaskRoles(*[TASKS[:1] if role == place else () for place in range(3)]) for role in range(3)]
"""One task, active, as a standby copy, and as a warm-up task."""


@pytest.mark.parametrize(("has", "wanted"), list(product(ROLES, repeat=2)))
def test_a_task_that_a_thread_of_the_process_has_in_whatever_role_is_free_to_none_beside_it(has, wanted):
    """`CurrentAssignmentBuilder`: a process has one state directory."""
    other = StreamsTaskMember("b", process_id="p", epoch=1, assigned=HeldTasks(*has, (1,) * len(has.active)))
    member = StreamsTaskMember("a", process_id="p", epoch=1)
    after = reconcile(effects(), member, 2, wanted, None, group_of([member, other]))
    assert (after.state, after.assigned.roles) == ("UNRELEASED_TASKS", TaskRoles())


def test_a_copy_of_what_is_free_stays_as_long_as_something_else_is_to_be_given_up():
    runs, copies = TASKS[:1], TASKS[1:2]
    member = StreamsTaskMember("a", process_id="p", epoch=1, assigned=HeldTasks(runs, copies, (), (1,)))
    revoking = reconcile(effects(), member, 2, TaskRoles(copies), None, group_of([member]))
    assert (revoking.state, revoking.assigned.standby) == ("UNREVOKED_TASKS", copies)
    done = reconcile(effects(), revoking, 2, TaskRoles(copies), TaskRoles((), copies), group_of([revoking]))
    assert (done.state, done.assigned.roles) == ("STABLE", TaskRoles(copies))


SWAPS = [("a", True, {"a": TaskRoles(TASKS), "c": TaskRoles((), TASKS), "b": TaskRoles()})]
SWAPS += [
    ("c", True, None),
    ("a", False, {"c": TaskRoles(TASKS), "a": TaskRoles((), TASKS), "b": TaskRoles()}),
]
SWAPS += [("c", True, None)]
NEIGHBOURS = [("a", True, {"a": TaskRoles(TASKS), "b": TaskRoles(), "c": TaskRoles()})]
NEIGHBOURS += [("b", True, {"a": TaskRoles(), "b": TaskRoles((), TASKS), "c": TaskRoles()})]


@pytest.mark.parametrize(
    ("switch", "beats"),
    [
        ("streams_ignore_unreleased", SWAPS),
        ("streams_revocation_not_awaited", SWAPS),
        ("streams_process_ignored", NEIGHBOURS),
    ],
)
def test_a_switch_lets_a_task_be_twice_where_the_rules_do_not(switch, beats):
    assert not any(twice(members) for members, _, _ in play(beats))
    assert any(twice(members) for members, _, _ in play(beats, switch))


def test_a_demoted_task_is_still_to_be_given_up_but_with_a_switch():
    for switches, left in (((), TASKS), (("streams_demotion_not_awaited",), ())):
        members = [members for members, _, _ in play(SWAPS[:3], *switches)][-1]
        assert (members["a"].assigned.standby, members["a"].pending.active) == (TASKS, left)


def test_silence_gives_up_nothing_but_with_a_switch():
    silent = [*SWAPS[:2], ("a", False, SWAPS[2][2])]
    for switches, left in (((), TASKS), (("streams_silence_revokes",), ())):
        *_, (members, _, _) = play(silent, *switches)
        assert members["a"].pending.active == left


def test_the_table_says_of_every_heartbeat_what_may_follow():
    handled = [
        rule for rules in STREAMS_MEMBER_TABLE.values() for rule in rules.values() if rule != IMPOSSIBLE
    ]
    assert len(handled) == 6


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
