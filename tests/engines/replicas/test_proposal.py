"""The certified best placement for a cluster, free and within limits.

Why a placement is not better, in sentences with numbers.
"""

from __future__ import annotations

import pytest

from kassay.engines.replicas.cluster import PlacementChange
from kassay.engines.replicas.proposal import MoveLimit, impossible, problem_of, propose, reasons
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.solver.check.check import check_certificate
from kassay.solver.placement.problem import InfeasiblePlacementError
from tests.engines.replicas.clusters import cluster, drawn

CROWDED = {"t": [(1, 2, 3)] * 8}


def test_the_certificate_is_accepted_and_nobody_s_replication_factor_changes() -> None:
    for seed in range(200, 240):
        placed, change = drawn(seed)
        try:
            proposal = propose(placed, change)
        except InfeasiblePlacementError:
            continue
        assert check_certificate(dict(proposal.certificate)).accepted
        assert {tp: len(row) for tp, row in proposal.after.items()} == {
            tp: len(row) for tp, row in placed.rows.items()
        }
        held = {broker for row in proposal.after.values() for broker in row}
        assert held <= proposal.target.ids and not held & change.leaving


def test_partitions_of_one_topic_may_have_different_factors() -> None:
    placed = cluster({"t": [(1, 2, 3), (1, 2), (2, 1, 3)]})
    problem, order = problem_of(placed)
    assert [(topic.name, topic.partitions) for topic in problem.topics] == [("t (RF 2)", 1), ("t (RF 3)", 2)]
    assert order == [TopicPartition("t", number) for number in (1, 0, 2)]


@pytest.mark.parametrize("moves", [0, 1, 3, 7])
def test_so_many_copies_are_made_and_nothing_within_them_is_more_even(moves: int) -> None:
    proposal = propose(cluster(CROWDED), PlacementChange(), MoveLimit(moves, False))
    assert proposal.copies == moves and proposal.is_proven
    assert check_certificate(dict(proposal.certificate)).accepted


def test_no_more_bytes_are_copied_than_allowed() -> None:
    placed = cluster(CROWDED, sizes=True)
    proposal = propose(placed, PlacementChange(), MoveLimit(9 << 20, True))
    assert 0 < (proposal.bytes_copied or 0) <= 9 << 20
    assert check_certificate(dict(proposal.certificate)).accepted


def test_what_has_to_be_copied_may_be_too_much() -> None:
    with pytest.raises(InfeasiblePlacementError, match="8 at the least"):
        propose(cluster(CROWDED), PlacementChange(removed=frozenset({3})), MoveLimit(7, False))
    with pytest.raises(InputError, match="--budget 7B: no sizes"):
        propose(cluster(CROWDED), PlacementChange(), MoveLimit(7, True))


def test_a_cordoned_broker_takes_nothing() -> None:
    proposal = propose(cluster(CROWDED), PlacementChange(cordoned=frozenset({6})))
    assert not any(6 in row for row in proposal.after.values())
    added = propose(cluster(CROWDED), PlacementChange(added=(Broker(9, "c"),), cordoned=frozenset({6})))
    assert any(9 in row for row in added.after.values())


UNEVEN = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}


def test_a_rack_with_one_broker() -> None:
    placed = cluster({"t": [(1, 3, 5)] * 10}, UNEVEN)
    said = list(reasons(propose(placed, PlacementChange())))
    assert (
        "rack c has 1 of 5 brokers: 10 partitions with a replica in each rack put at least 10 there, so one of "
        "its brokers holds 10 or more, where an even share would be 6.0"
    ) in said
    assert any("at least 10 replicas lie on broker 5" in each for each in said)


def test_more_replicas_than_small_racks_can_take() -> None:
    placed = cluster({"t": [(1, 2, 3, 4, 6)]}, {1: "a", 2: "a", 3: "a", 4: "a", 5: "a", 6: "b"})
    said = list(reasons(propose(placed, PlacementChange())))
    assert any(
        "RF 5 over 2 racks would put at most 3 in a rack, but there are too few brokers in b" in s
        for s in said
    )


def test_too_few_brokers_are_left() -> None:
    placed = cluster({"t": [(1, 2, 3)], "u": [(1, 2)]}, {1: "a", 2: "b", 3: "c"})
    change = PlacementChange(removed=frozenset({3}))
    (said,) = impossible(placed, change)
    assert said == (
        "RF 3 needs 3 brokers; 2 are left (topics: t): --add-broker N:RACK adds one, --replication-factor N "
        "lowers it"
    )
    assert not list(impossible(placed, PlacementChange()))


def test_limits_cordons_and_brokers_that_go() -> None:
    placed = cluster({"t": [(1, 2, 3)] * 6})
    within = list(reasons(propose(placed, PlacementChange(), MoveLimit(2, False))))
    assert any(each.startswith("within --budget 2 nothing is more even than") for each in within)
    change = PlacementChange(drained=frozenset({3}), cordoned=frozenset({4}))
    said = list(reasons(propose(placed, change)))
    assert "6 replicas lie on broker 3 and have to be copied whatever the placement" in said
    assert "broker 4 cordoned: no new replica goes there, whatever balance would want" in said
    assert any(each.startswith("no placement as even is reached with fewer than") for each in said)


def test_without_racks() -> None:
    said = list(reasons(propose(cluster({"t": [(1, 2)]}, {1: None, 2: None}), PlacementChange())))
    assert said[0] == "racks are not known, so no rack rule is kept"
