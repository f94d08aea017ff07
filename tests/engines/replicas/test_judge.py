"""A placement held against the placement claims."""

from __future__ import annotations

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.engines.replicas.judge import ClaimStanding, Standing, best_loads, judge, rack_breaks
from kassay.engines.replicas.proposal import propose
from kassay.model.cluster import Broker, TopicPartition
from kassay.solver.placement.problem import InfeasiblePlacementError
from tests.engines.replicas.clusters import cluster, drawn


def judged(placed: PlacedCluster) -> dict[str, ClaimStanding]:
    """Each claim about a placement, balance beside the certified best."""
    best = propose(placed, PlacementChange())
    loads = best_loads(placed.brokers, best.after.values())
    return {each.claim: each for each in judge(placed.brokers, placed.rows, loads)}


def test_what_is_broken_is_told_with_the_partition() -> None:
    standings = judged(cluster({"t": [(1, 2, 3), (1, 4, 2)], "u": [(2, 3)]}))
    assert standings["rack-spread"].standing is Standing.VIOLATED
    assert [each.subject for each in standings["rack-spread"].evidence] == ["t-1"]
    assert standings["replicas-even"].standing is Standing.VIOLATED
    assert standings["replicas-distinct"].standing is Standing.HOLDS


def test_without_racks_and_without_a_best_there_is_nothing_to_judge_by() -> None:
    placed = cluster({"t": [(1, 2)]}, {1: None, 2: None})
    assert judged(placed)["rack-spread"].standing is Standing.NOT_JUDGED
    left_open = {each.claim: each.standing for each in judge(placed.brokers, placed.rows, None)}
    assert left_open["replicas-even"] is left_open["leaders-even"] is Standing.NOT_JUDGED


def test_a_fenced_leader_is_told() -> None:
    brokers = (Broker(1, "a", True), Broker(2, "b"))
    rows = {TopicPartition("t", 0): (1, 2)}
    standings = {each.claim: each.standing for each in judge(brokers, rows, None)}
    assert standings["no-fenced-leader"] is Standing.VIOLATED


def test_a_proposal_breaks_neither_rules_nor_balance() -> None:
    for seed in range(300, 330):
        placed, change = drawn(seed)
        try:
            proposal = propose(placed, change)
        except InfeasiblePlacementError:
            continue
        best = best_loads(proposal.target.brokers, proposal.after.values())
        standings = judge(proposal.target.brokers, proposal.after, best)
        broken = {each.claim for each in standings if each.standing is Standing.VIOLATED}
        assert broken <= {"follower-spread"}
        assert not rack_breaks(proposal.target, proposal.after)
