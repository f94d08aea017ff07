"""Weighted partitions and uneven bundles: never a wrong "optimal", and the bounds are bounds."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.balance import MOVEMENT_FIRST, RACK_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.families import solve_document
from kassay.solver.packing import cpsat
from kassay.solver.packing.bounds import lower_bound
from kassay.solver.packing.bundle_bounds import grain_bound
from kassay.solver.packing.bundles import pack_bundles
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import longest_first, search
from kassay.solver.packing.weighted import pack_weighted, weighted_lower_bound
from tests.solver.packing import cases


def _weighted(rng: random.Random) -> dict[str, Any]:
    while True:
        case = cases.small(rng, weighted=True)
        if Problem.parse(case).weighted:
            return case


def _bundled(rng: random.Random) -> dict[str, Any]:
    while True:
        case = cases.small(rng, weighted=False)
        if len(Problem.parse(case).bundle_sizes) > 1:
            return case


def _weighted_is_honest(case: dict[str, Any], engine: str) -> bool:
    result = cases.solved(case, engine=engine, time_limit_s=20)
    assert check_certificate(result).accepted
    values = list(cases.every(case))
    best = min(heaviest for heaviest, *_ in values)
    assert result["lower"] <= best <= result["upper"] == result["max_weight"]
    if result["status"] == "optimal":
        assert result["upper"] == best
    fewest = min(moved for heaviest, _, moved, _ in values if heaviest <= result["upper"])
    assert result["moved_lower"] <= fewest <= result["moved"]
    return result["upper"] == best


def test_a_weighted_interval_holds_the_best() -> None:
    rng = random.Random(1)
    found = [_weighted_is_honest(_weighted(rng), "own") for _ in range(300)]
    assert sum(found) > 285  # the search alone finds nearly every optimum of this size


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_more_weighted_intervals_hold_the_best(seed: int) -> None:
    rng = random.Random(seed)
    assert sum(_weighted_is_honest(_weighted(rng), "own") for _ in range(1000)) > 950


def test_z3_closes_every_small_gap() -> None:
    rng = random.Random(3)
    closed = 0
    for _ in range(150):
        case = _weighted(rng)
        own = pack_weighted(Problem.parse(case), engine="own")
        if own.optimal:
            continue
        best = min(heaviest for heaviest, *_ in cases.every(case))
        with_z3 = pack_weighted(Problem.parse(case), 20, "z3")
        assert with_z3.lower == with_z3.upper == best
        closed += 1
    assert closed > 4


@pytest.mark.skipif(not cpsat.available(), reason="needs the extra cpsat")
@pytest.mark.slow
def test_cpsat_closes_small_gaps_in_a_process_of_its_own() -> None:
    rng = random.Random(4)
    closed = 0
    while closed < 4:
        case = _weighted(rng)
        if pack_weighted(Problem.parse(case), engine="own").optimal:
            continue
        packed = pack_weighted(Problem.parse(case), 10, "cpsat")
        assert packed.lower == packed.upper == min(heaviest for heaviest, *_ in cases.every(case))
        closed += 1


def test_without_cpsat_the_interval_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)
    packed = pack_weighted(_large(7), 1, "cpsat")
    assert packed.prover is None
    assert packed.lower == packed.bound.value


def _large(seed: int, members: int = 12, partitions: int = 60) -> Problem:
    rng = random.Random(seed)
    ids = [f"m{i:02}" for i in range(members)]
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for number in range(partitions):
        owned[rng.choice(ids)].append(["t", number])
    weights = [1 + rng.randint(0, 9) ** 3 for _ in range(partitions)]
    return Problem.parse(
        {
            "family": "A",
            "members": [{"id": id_, "topics": ["t"], "owned": owned[id_]} for id_ in ids],
            "topics": [{"name": "t", "partitions": partitions, "weights": weights}],
        }
    )


@pytest.mark.parametrize("seed", range(5))
def test_search_is_no_worse_than_longest_first(seed: int) -> None:
    packing = Packing.of(_large(seed, 20, 100))
    bound = lower_bound(packing).value
    plain = max(packing.loads(longest_first(packing)))
    owner = search(packing, bound, time.monotonic() + 30)
    assert bound <= max(packing.loads(owner)) <= plain
    assert packing.moved(owner) <= packing.moved(longest_first(packing))


def test_no_time_gives_an_interval_and_never_a_wrong_optimum() -> None:
    packed = pack_weighted(_large(3, 12, 40), time_limit_s=0)
    assert packed.lower < packed.upper


def test_great_weights_are_packed_by_moves_and_swaps() -> None:
    rng = random.Random(9)
    document = _large(1).document()
    document["topics"][0]["weights"] = [rng.randint(1, 10**12) for _ in range(60)]
    packed = pack_weighted(Problem.parse(document), engine="own")
    assert packed.lower <= packed.upper <= packed.lower * 1.1


def test_the_same_answer_each_time() -> None:
    assert pack_weighted(_large(5), engine="own") == pack_weighted(_large(5), engine="own")


def test_the_bound_sees_who_alone_may_read_a_topic() -> None:
    document: dict[str, Any] = {
        "family": "A",
        "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t", "u"]}],
        "topics": [
            {"name": "t", "partitions": 2, "weights": [1, 1]},
            {"name": "u", "partitions": 3, "weights": [5, 5, 5]},
        ],
    }
    bound = lower_bound(Packing.of(Problem.parse(document)))
    assert (bound.value, bound.members) == (15, (1,))
    assert weighted_lower_bound(Problem.parse(document)) == 15


def _document(weights: list[int], members: int) -> dict[str, Any]:
    return {
        "family": "A",
        "members": [{"id": f"m{i}", "topics": ["t"]} for i in range(members)],
        "topics": [{"name": "t", "partitions": len(weights), "weights": weights}],
    }


@pytest.mark.parametrize(
    ("weights", "members", "value", "name"),
    [
        ([5, 5, 4], 2, 9, "pigeonhole"),
        ([9, 1, 1], 3, 9, "largest item"),
        ([3, 3, 2, 2], 2, 5, "mean"),
        ([6, 6, 4], 3, 6, "mean"),
        ([], 2, 0, "mean"),
    ],
)
def test_named_bounds(weights: list[int], members: int, value: int, name: str) -> None:
    bound = lower_bound(Packing.of(Problem.parse(_document(weights, members))))
    assert (bound.value, bound.name) == (value, name)


def test_nothing_to_pack() -> None:
    packed = pack_weighted(Problem.parse(_document([], 2)))
    assert (packed.lower, packed.upper, packed.moved, packed.optimal) == (0, 0, 0, True)


def _bundles_are_honest(case: dict[str, Any], order: tuple[str, ...]) -> bool:
    result = cases.solved(case, order=order)
    assert check_certificate(result).accepted
    values = [(squares, moved, mismatch) for _, squares, moved, mismatch in cases.every(case)]
    balance = min(squares for squares, *_ in values)
    assert result["lower"] <= balance <= result["upper"] == result["sum_squares"]
    assert result["moved_lower"] <= min(moved for squares, moved, _ in values if squares <= result["upper"])
    ranked = min(values if order == MOVEMENT_FIRST else ((s, r, m) for s, m, r in values))
    mine = (result["sum_squares"], result["moved"], result["rack_mismatch"])
    mine = mine if order == MOVEMENT_FIRST else (mine[0], mine[2], mine[1])
    proven = len(result["proven"])
    assert mine[:proven] == ranked[:proven]
    assert (result["status"] == "optimal") == (proven > 0)
    return mine == ranked


@pytest.mark.parametrize("order", [MOVEMENT_FIRST, RACK_FIRST])
def test_an_interval_of_bundles_holds_the_best(order: tuple[str, ...]) -> None:
    rng = random.Random(21)
    found = [_bundles_are_honest(_bundled(rng), order) for _ in range(300)]
    assert sum(found) > 240


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(22, 28))
def test_more_intervals_of_bundles_hold_the_best(seed: int) -> None:
    rng = random.Random(seed)
    assert sum(_bundles_are_honest(_bundled(rng), MOVEMENT_FIRST) for _ in range(1000)) > 800


def test_pairs_cannot_be_shared_as_singles_can() -> None:
    assert grain_bound([2, 2, 2], 2, 2) == 20
    assert grain_bound([2, 2, 1], 3, 2) == 9
    assert grain_bound([1, 1, 1, 1], 2, 2) == 8
    assert grain_bound([2], 1, 2) == 4


def test_bundles_in_the_large() -> None:
    rng = random.Random(2)
    names = [f"t{i:02}" for i in range(30)]
    ids = [f"m{i:02}" for i in range(20)]
    counts = {name: 2 + i // 4 for i, name in enumerate(names)}
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for name in names:
        for number in range(counts[name]):
            owned[rng.choice(ids)].append([name, number])
    problem = Problem.parse(
        {
            "family": "A",
            "members": [{"id": id_, "topics": names, "owned": owned[id_]} for id_ in ids],
            "topics": [{"name": name, "partitions": counts[name]} for name in names],
            "copartition": [names[i : i + 3] for i in range(0, 24, 4)],
        }
    )
    packed = pack_bundles(problem)
    assert packed.lower == packed.upper
    assert packed.moves_lower <= packed.moved <= 1.3 * packed.moves_lower


@pytest.mark.parametrize("weights", [None, [1, 1]])
def test_what_the_exact_methods_take_is_sent_there(weights: list[int] | None) -> None:
    document = _document([1, 1], 2)
    document["topics"][0]["weights"] = weights
    assert Problem.parse(document).exact
    assert solve_document(document)["certificate"]["schema"] == "kassay/optimum-certificate/1"


def test_a_negative_weight_is_named() -> None:
    with pytest.raises(InputError, match=r"topics\[0\].weights\[1\]: found -1"):
        Problem.parse(_document([3, -1], 2))
