"""Why a placement is not better, in sentences with numbers."""

from __future__ import annotations

from kassay.certify.replicas.placed import PlacementChange
from kassay.certify.replicas.propose import MoveLimit, propose
from kassay.certify.replicas.reasons import impossible, reasons
from tests.certify.replicas.clusters import cluster

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
    assert list(impossible(placed, change)) == ["RF 3 needs 3 brokers; 2 are left (topics: t)"]
    assert not list(impossible(placed, PlacementChange()))


def test_limits_cordons_and_brokers_that_go() -> None:
    placed = cluster({"t": [(1, 2, 3)] * 6})
    within = list(reasons(propose(placed, PlacementChange(), MoveLimit(2, False))))
    assert any(each.startswith("within --max-moves 2 nothing is more even than") for each in within)
    change = PlacementChange(drained=frozenset({3}), cordoned=frozenset({4}))
    said = list(reasons(propose(placed, change)))
    assert "6 replicas lie on broker 3 and have to be copied whatever the placement" in said
    assert "broker 4 cordoned: no new replica goes there, whatever balance would want" in said
    assert any(each.startswith("no placement as even is reached with fewer than") for each in said)


def test_without_racks() -> None:
    said = list(reasons(propose(cluster({"t": [(1, 2)]}, {1: None, 2: None}), PlacementChange())))
    assert said[0] == "racks are not known, so no rack rule is kept"
