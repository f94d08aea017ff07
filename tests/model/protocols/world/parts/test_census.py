"""The census of a world: put together anew it is what was remembered, and it says what the group says."""

import pytest

from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.requests import ZERO_BYTES
from kassay.model.protocols.world.parts.census import Censuses
from tests.explored import build

WORLDS = [
    {"mode": "eager", "partitions": 2, "faults": Faults(pause=1)},
    {"mode": "cooperative", "partitions": 2, "faults": Faults(failover=1)},
]


@pytest.mark.parametrize("chosen", WORLDS, ids=str)
def test_what_was_remembered_is_what_a_fresh_look_finds(chosen):
    model = build("classic", **chosen)
    states = explore(model, budget=WalkLimits(900), check_liveness=False).graph.states
    remembered = [model.census(state) for state in states]
    for state, census in list(zip(states, remembered, strict=True))[::7]:
        assert Censuses(model.context).census(state) == census


@pytest.mark.parametrize("chosen", WORLDS, ids=str)
def test_the_registry_is_the_groups_and_beliefs_are_the_clients(chosen):
    model = build("classic", **chosen)
    resting = 0
    for state in explore(model, budget=WalkLimits(900), check_liveness=False).graph.states:
        census, group = model.census(state), state.broker.value.state.group
        members = {m.member_id: m.assignment for m in group.members} if group else {}
        on_record = {entry.member_id: entry.owned for entry in census.registry}
        assert on_record == {m: () if tps == ZERO_BYTES else tps for m, tps in members.items()}
        clients = [cell.value for cell in state.clients]
        assert [b.owned for b in census.beliefs] == [c.owned for c in clients]
        assert [b.live for b in census.beliefs] == [c.run in (Process.UP, Process.PAUSED) for c in clients]
        for belief in census.beliefs:
            assert not belief.commits or (belief.live and belief.member_id in members)
        if census.resting:
            resting += 1
            live = [b for b in census.beliefs if b.live]
            assert all(b.settled and b.current and b.member_id in members for b in live)
            assert len(live) == len(members)
    assert resting
