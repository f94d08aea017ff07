"""The world of KIP-848: what its coordinator knows at first, and that both protocols find their way in."""

import pytest

from kassay.certify.protocols.views import beliefs
from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup
from kassay.model.protocols.world.models.consumer import ConsumerModel, only_consumers
from kassay.model.protocols.world.parts.consumer_faults import CLASSIC, CONSUMER
from kassay.model.protocols.world.parts.context import options
from tests.model.protocols.world.script import group, sizes, started


def test_the_coordinator_knows_the_topics_before_anybody_comes():
    model = ConsumerModel(options(partitions=3))
    (state,) = model.initial()
    assert state.broker.value.state.image == state.image.value
    assert group(state) is None
    assert model.kinds == only_consumers(model.options) == ((CONSUMER,), (CONSUMER,))


@pytest.mark.parametrize("members", [1, 2, 3])
def test_all_that_start_share_the_partitions_evenly(members):
    model = ConsumerModel(options(members=members, partitions=3))
    state = started(model, members)
    shares = sizes(model, state)
    assert (sum(shares), len(shares)) == (3, members)
    assert max(shares) - min(shares) <= 1
    assert beliefs(model, state).resting


@pytest.mark.parametrize(("policy", "converts"), [("bidirectional", True), ("disabled", False)])
def test_a_consumer_converts_a_classic_group_with_members_only_if_the_policy_lets_it(policy, converts):
    model = ConsumerModel(options(partitions=2), kinds=((CLASSIC,), (CONSUMER,)), policy=policy)
    conversions = 0
    for state in explore(model, budget=WalkLimits(1200), check_liveness=False).graph.states:
        before = group(state)
        if isinstance(before, ClassicGroup) and before.members:
            conversions += sum(isinstance(group(after), ConsumerGroup) for _, after in model.steps(state))
    assert bool(conversions) == converts
