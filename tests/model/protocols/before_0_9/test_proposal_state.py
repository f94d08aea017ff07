"""A world of the proposal with one consumer replaced is that world in all else."""

from kassay.model.protocols.before_0_9.proposal_state import (
    ProposalConsumer,
    ProposalCoordinator,
    ProposalWorld,
    StoredProposal,
    put,
)
from kassay.model.protocols.shared.faults import NO_FAULTS

CONSUMERS = tuple(ProposalConsumer(generation=n) for n in range(3))
WORLD = ProposalWorld(CONSUMERS, ProposalCoordinator(), StoredProposal(), 2, NO_FAULTS)


def test_only_the_consumer_in_its_place_is_another():
    other = ProposalConsumer(generation=9)
    for c in range(3):
        after = put(WORLD, c, other)
        assert after.consumers[c] is other
        assert put(after, c, CONSUMERS[c]) == WORLD
        assert after._replace(consumers=CONSUMERS) == WORLD
