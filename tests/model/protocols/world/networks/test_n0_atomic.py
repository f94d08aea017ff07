"""Network N0: a request is one step, except where its reply waits."""

from __future__ import annotations

import pytest

from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.shared.faults import Faults, parse_faults
from kassay.model.protocols.values.in_flight import SILENT
from tests.explored import build, explore
from tests.model.protocols.world.networks.worlds import CLASSIC, clean, clients, joined
from tests.model.protocols.world.script import play


@pytest.mark.parametrize(("name", "mode"), [*CLASSIC, ("kip848", None)])
def test_every_state_of_n0_is_there_once_the_wires_fall_silent(name, mode):
    def seen(network):
        model = build(name, mode=mode, partitions=1, network=network)
        graph = walk(model, (), check_liveness=False).graph
        return {
            (clients(s)[0], clients(s)[1], s.broker.value.state, s.broker.value.armed)
            for s in graph.states
            if all(client.wire == SILENT and not client.inbox for client in clients(s))
        }

    assert seen("N0") <= seen("N1")


def test_scenario_43_at_n0_where_an_option_asks_for_it():
    model = build("classic", partitions=1, faults=Faults(failover=1), loading=True)
    state = play(model, joined(model, 1), "coordinator moves", "c2 start")
    refused = [action.reply for action, _ in model.steps(state) if str(action).startswith("c2 ->")]
    assert refused == ["COORDINATOR_LOAD_IN_PROGRESS"]
    result = explore("classic", partitions=1, faults=Faults(failover=1), loading=True)
    clean(result)
    assert result.exploration.states > 997, "the world in which loading takes no time"


MIXED = (("classic",), ("consumer",))


def failing(name, faults, **more):
    """Every step of a small world in which a write fails, with the states around it."""
    model = build(name, faults=parse_faults(faults), **more)
    graph = walk(model, (), budget=WalkLimits(1_500), check_liveness=False).graph
    for state in graph.states:
        for action, after in model.steps(state):
            if state.budget.value.write != after.budget.value.write:
                yield action, state, after


@pytest.mark.parametrize(
    ("name", "more"),
    [("classic", {}), ("classic", {"static": 1}), ("kip848", {}), ("migration", {"kinds": MIXED})],
    ids=str,
)
def test_a_failed_write_is_a_fault_that_is_told(name, more):
    answers = set()
    for action, before, after in failing(name, "write=1,loss=1", partitions=1, **more):
        assert action.fault
        assert "the write fails" in action.detail
        spent = sum(before.budget.value) - sum(after.budget.value)
        assert spent == (2 if action.reply == "reply lost" else 1)
        answers.add(action.reply)
    assert {"COORDINATOR_NOT_AVAILABLE", "reply lost"} <= answers
    assert answers <= {"COORDINATOR_NOT_AVAILABLE", "reply lost", "MEMBER_ID_REQUIRED", ""}
