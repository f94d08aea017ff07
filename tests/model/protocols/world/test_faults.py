"""What goes wrong: a fault costs one of its budget, and a dead process may leave requests under way."""

from __future__ import annotations

import pytest

from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Severity, WalkLimits
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.in_flight import SILENT
from tests.explored import build, explore
from tests.model.protocols.world.networks_worlds import clients, group
from tests.model.protocols.world.script import first, play, started


def astray(name="classic", *, network="N2", **settings_):
    return build(name, network=network, **settings_)


def test_a_dead_process_leaves_its_requests_under_way_at_n2_only():
    for network, left in (("N1", 0), ("N2", 1)):
        model = astray(partitions=1, faults=Faults(crash=1), network=network)
        state = play(model, first(model), "c1 start", "c1 sends JoinGroup", "c1 crashes")
        assert len(clients(state)[0].wire.sent) == left
    state = play(model, state, "c1 JoinGroup arrives")
    assert group(state).pending_join == ("c1-1",)
    assert clients(state)[0].wire == SILENT


@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_a_fault_costs_one_of_its_own_budget_and_every_other_step_nothing(name):
    model = build(name, partitions=1, faults=Faults(crash=1, pause=1, leave=1, failover=1, partitions=1))
    graph = walk(model, budget=WalkLimits(400), check_liveness=False).graph
    spent = set()
    for state in graph.states:
        before = state.budget.value
        for action, after in model.steps(state):
            less = [
                fault
                for fault in Faults._fields
                if getattr(after.budget.value, fault) != getattr(before, fault)
            ]
            assert len(less) <= 1
            assert all(getattr(before, fault) - getattr(after.budget.value, fault) == 1 for fault in less)
            assert action.fault or not less
            assert less or not action.fault or action.name in ("start", "restart")
            spent |= set(less)
    assert spent == {"crash", "pause", "leave", "failover", "partitions"}


@pytest.mark.parametrize("model", ["classic", "kip848"])
def test_all_members_are_removed_by_one_request_static_ones_by_their_instance_ids(model):
    built = build(model, partitions=1, static=1, faults="remove=1")
    assert not [a for a, _ in built.steps(started(built, 0)) if a.actor == "admin"]
    state = started(built, 2)
    assert len(group(state).members) == 2
    ((action, after),) = [(a, s) for a, s in built.steps(state) if a.actor == "admin"]
    assert (action.name, action.fault, action.to) == ("removes all members", True, "coordinator")
    assert group(after).members == ()
    assert not [a for a, _ in built.steps(after) if a.actor == "admin"]


def test_who_is_removed_while_it_awaits_its_assignment_is_never_answered_and_others_join_again():
    result = explore("classic", partitions=1, faults="remove=1")
    assert {v.severity for v in result.exploration.violations} <= {Severity.ZOMBIE}
    assert not result.exploration.liveness.livelocks
    ends = [one.trace[-1].state for one in result.exploration.liveness.dead_ends if one.trace]
    assert ends
    for world in ends:
        assert any(cell.value.waits == "sync" for cell in world.clients)
    assert explore("kip848", partitions=1, faults="remove=1").verdict == "holds"
