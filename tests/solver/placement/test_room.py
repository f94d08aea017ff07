from __future__ import annotations

import random
from collections import Counter

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.check.replicas import forced_onto
from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.families import Wanted, solve_document
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem, Spread
from kassay.solver.placement.room import _Deal, require_room, within_room
from tests.solver.placement import cases


def tight(rng: random.Random) -> cases.Document:
    """A small placement whose brokers hardly hold what is to be placed, if at all."""
    case = cases.small(rng)
    replicas = sum(topic["partitions"] * topic["rf"] for topic in case["topics"])
    for host in case["brokers"]:
        host["max_replicas"] = host.get("base", 0) + rng.randint(0, 2 + replicas // len(case["brokers"]))
    return case


def judged(case: cases.Document) -> str:
    best = cases.best_by_trying(case)
    try:
        result = solve_document(case, Wanted(time_limit_s=0.0))
    except InfeasiblePlacementError as refused:
        assert best is None
        room = {host["id"]: host["max_replicas"] - host.get("base", 0) for host in case["brokers"]}
        base = sum(host.get("base", 0) for host in case["brokers"] if host["id"] in refused.witness)
        assert forced_onto(case, refused.witness) - base > sum(room[id_] for id_ in refused.witness)
        return "infeasible"
    assert best is not None
    assert check_certificate(result).accepted
    return str(result["status"])


@pytest.mark.slow
def test_without_any_time_a_placement_is_found_where_there_is_one_else_who_has_no_room() -> None:
    rng = random.Random(3)
    seen = Counter(judged(tight(rng)) for _ in range(600))
    assert seen["infeasible"] > 100
    assert seen["interval"] > 100
    assert seen.keys() <= {"infeasible", "interval", "optimal"}


def test_a_large_placement_with_hardly_any_room_is_an_interval_without_any_time() -> None:
    document = placement("add", 1, brokers=30, partitions=1000, change=3)
    for host in document["brokers"]:
        host["max_replicas"] = 100
    result = solve_document(document, Wanted(time_limit_s=0.0))
    assert result["status"] == "interval"
    assert set(result["loads"]) == {100}
    assert check_certificate(result).accepted


def test_replicas_within_their_room_stay() -> None:
    problem = PlacementProblem.parse(cases.document(cases.brokers(3, 0), [[0, 1], [1, 2]], 2))
    picks = [{0, 1}, {1, 2}]
    require_room(problem, [2, 2], picks)
    assert within_room(problem, [2, 2], picks) == picks


@pytest.mark.parametrize(("least", "most"), [(0, 2), (1, 2)])
def test_rows_that_are_dealt_anew_are_valid_and_hold_what_is_wanted(least: int, most: int) -> None:
    racks = (0, 0, 1, 1)
    target = [(0, 4), (0, 2), (0, 3), (0, 3)]
    rows = _Deal(racks, Spread(least, most), target).rebuilt(4)
    assert Counter(place for row in rows for place in row) == {0: 4, 1: 2, 2: 3, 3: 3}
    for row in rows:
        held = Counter(racks[place] for place in row)
        assert sum(held.values()) == 3
        assert all(least <= held[rack] <= most for rack in (0, 1))


@pytest.mark.parametrize(
    ("racks", "row", "place", "least", "most", "taker"),
    [
        ((0, 0, 1), {0}, 0, 0, 1, 1),
        ((0, 1, 0), {0}, 0, 0, 1, 2),
        ((0, 1, 1), {0}, 0, 0, 1, 1),
        ((0, 1, 1), {0}, 0, 1, 1, None),
        ((0, 1, 1), {0, 1}, 0, 0, 1, None),
        ((0, 0, 0), {0, 1, 2}, 0, 0, 3, None),
    ],
)
def test_a_replica_goes_to_a_broker_of_its_rack_or_to_one_that_the_racks_allow(
    racks: tuple[int, ...], row: set[int], place: int, least: int, most: int, taker: int | None
) -> None:
    """Every broker but the first lacks a replica."""
    deal = _Deal(racks, Spread(least, most), [(1, 0), *[(0, 1)] * (len(racks) - 1)])
    assert deal._taker(row, place) == taker
