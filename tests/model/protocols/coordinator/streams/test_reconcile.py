"""How members of a Streams group are led towards their targets."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.coordinator.streams.group import current_record, member_record, replay
from kassay.model.protocols.coordinator.streams.reconcile import STREAMS_MEMBER_TABLE, reconcile
from kassay.model.protocols.shared.table import IMPOSSIBLE
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.values.streams.group import StreamsTaskMember
from kassay.model.protocols.values.streams.tasks import HeldTasks, TaskRoles
from tests.model.protocols.coordinator.streams.threads import TaskChoices, tasks

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
