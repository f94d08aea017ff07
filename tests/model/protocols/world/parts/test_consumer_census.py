"""The census where clients speak KIP-848: on record is what members hold, those to be revoked included."""

import pytest

from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.groups import ConsumerGroup
from kassay.model.protocols.world.parts.consumer_census import ConsumerCensuses
from tests.explored import build


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
