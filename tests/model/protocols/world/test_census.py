"""The census of a world: put together anew it is what was remembered, and it says what the group says.

The census where clients speak KIP-848: on record is what members hold, those to be revoked included.
"""

import pytest

from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.groups import ConsumerGroup
from kassay.model.protocols.values.requests import ZERO_BYTES
from kassay.model.protocols.world.census import Censuses, ConsumerCensuses
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


@pytest.mark.parametrize("name", ["kip848", "migration"])
def test_the_record_is_what_members_hold_and_who_is_at_the_target(name):
    model = build(name, partitions=2, faults=Faults(crash=1))
    pending = behind = 0
    for number, state in enumerate(explore(model, budget=WalkLimits(700), check_liveness=False).graph.states):
        census, group = model.census(state), state.broker.value.state.group
        if number % 9 == 0:
            assert ConsumerCensuses(model.context).census(state) == census
        if not isinstance(group, ConsumerGroup):
            continue
        held = {m.member_id: tuple(sorted({*m.assigned, *m.pending})) for m in group.members}
        assert {entry.member_id: entry.owned for entry in census.registry} == held
        assert census.target == group.target
        assert set(census.caught_up) == {m.member_id for m in group.members if m.epoch == group.target_epoch}
        pending += any(m.pending for m in group.members)
        behind += len(census.caught_up) < len(group.members)
        assert not census.resting or (
            set(census.caught_up) == set(held) and not any(m.pending for m in group.members)
        )
    assert behind
    assert pending or name == "migration"
