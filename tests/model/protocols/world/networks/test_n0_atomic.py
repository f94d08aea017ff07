"""Network N0: a request is one step, except where its reply waits."""

from __future__ import annotations

import pytest

from kassay.model.explore.search import explore as walk
from kassay.model.protocols.shared.faults import Faults
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
