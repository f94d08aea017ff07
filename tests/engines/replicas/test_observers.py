"""Partitions with observers: each replica keeps its role and its rack."""

from __future__ import annotations

from dataclasses import replace

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.engines.replicas.observers import kept_apart
from kassay.engines.replicas.planned import plan_cluster
from kassay.engines.replicas.proposal import propose
from kassay.engines.replicas.states import PartitionState
from kassay.engines.replicas.steps import StepBound
from kassay.model.cluster import TopicPartition
from tests.engines.replicas.clusters import cluster

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
RACKS: dict[int, str | None] = {1: "east", 2: "east", 3: "west", 4: "west", 5: "east", 6: "west"}


def observed(racks: dict[int, str | None] = RACKS) -> PlacedCluster:
    """Two partitions with replicas in the east and observers in the west, and a topic without."""
    placed = cluster({"t": [(1, 2, 3, 4), (2, 1, 4, 3)], "u": [(1, 3), (3, 1)]}, racks)
    states = {
        tp: PartitionState(row[0], row[:2], frozenset(row[:2]), observers=row[2:])
        for tp, row in placed.rows.items()
    }
    return replace(placed, states=states)


def apart(
    change: PlacementChange, racks: dict[int, str | None] = RACKS
) -> dict[TopicPartition, tuple[int, ...]]:
    """The rows of the partitions with observers after the change."""
    placed = observed(racks)
    return kept_apart(placed, change.apply(placed))


def test_nothing_moves_for_balance_alone() -> None:
    placed = observed()
    assert apart(PlacementChange()) == {T0: placed.rows[T0], T1: placed.rows[T1]}
    assert {tp: propose(placed, PlacementChange()).after[tp] for tp in (T0, T1)} == apart(PlacementChange())


def test_what_leaves_is_replaced_in_its_rack_and_its_place() -> None:
    assert apart(PlacementChange(removed=frozenset({2}))) == {T0: (1, 5, 3, 4), T1: (5, 1, 4, 3)}
    assert apart(PlacementChange(drained=frozenset({3}))) == {T0: (1, 2, 6, 4), T1: (2, 1, 4, 6)}


def test_without_another_broker_in_the_rack_the_partition_stays() -> None:
    few = {id_: rack for id_, rack in RACKS.items() if id_ < 5}
    assert apart(PlacementChange(removed=frozenset({2})), few)[T0] == (1, 2, 3, 4)


def test_the_rack_rule_of_other_topics_is_none_of_theirs() -> None:
    """Three racks, and constraints that keep each partition with observers in two of them."""
    racks = {**RACKS, 7: "north", 8: "east"}
    plan = plan_cluster(observed(racks), PlacementChange(removed=frozenset({2})), None, StepBound())
    assert plan.proposal.after[T0] == (1, 5, 3, 4) and not plan.blocked
