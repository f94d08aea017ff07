"""The checker's own enumeration misses no packing that counts, and refuses what is too much.

No step and no price proves what some packing refutes, whatever they say.

The checker of intervals accepts nothing that is not so, whatever is done to a certificate.
"""

from __future__ import annotations

import copy
import itertools
import random
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import Outcome, check_certificate
from kassay.solver.check.consumers import pose
from kassay.solver.check.packing import (
    SCALE,
    Complete,
    PackedUnits,
    Scales,
    bounds,
    check_moves,
    complete,
    least_paid,
    least_shed,
    read_packing,
)
from kassay.solver.check.shapes import RefusedError
from kassay.solver.groups.problem import Problem
from tests.solver.check.intervals import interval_certificate
from tests.solver.packing import cases


def packed_units(rng: random.Random, case: cases.Document) -> PackedUnits:
    """The units of a document on some members, as the checker reads them."""
    packing, owner = cases.packed(rng, case)
    problem = packing.problem
    certificate = {
        "assignment": problem.partitions_by_member(problem.owners_by_topic(owner)),
        "rack_mismatch": packing.mismatched(owner),
    }
    before = {(t, p): m for t, row in problem.previous.items() for p, m in enumerate(row) if m >= 0}
    rows = problem.owners_by_topic(owner)
    moved = sum(rows[t][p] != m for (t, p), m in before.items() if t in rows)
    return read_packing(pose(problem.document()).form, certificate | {"moved": moved}, weighted=True)


def test_all_loads_are_there_with_their_least_cost() -> None:
    rng = random.Random(31)
    for _ in range(80):
        case = cases.any_case(rng)
        packed, every = packed_units(rng, case), cases.values(case)
        most, budget = rng.choice(every)[0], rng.choice((None, 2))
        scales = rng.choice((Scales(100, 1), Scales(1, 10**9)))
        if budget is not None:
            scales = Scales(100, 1)
        least: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for loads, moves, wrong in every:
            if loads <= most and (budget is None or moves <= budget):
                cost = (scales.move * moves + scales.wrong * wrong, moves, wrong)
                least[tuple(loads)] = min(cost, least.get(tuple(loads), cost))
        found: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for each in complete(packed, most, scales, budget):
            cost = (scales.move * each.moves + scales.wrong * each.mismatches, *each[1:])
            found[each.loads] = min(cost, found.get(each.loads, cost))
        assert found == least


def test_too_much_work_is_refused() -> None:
    rng = random.Random(1)
    packed = packed_units(rng, cases.large(1, 12, 60).document())
    with pytest.raises(RefusedError, match="too many packings"):
        complete(packed, [10**6] * 12, Scales(1, 1), None)
    with pytest.raises(RefusedError, match="too many units"):
        complete(packed_units(rng, cases.large(1, 1, 65).document()), [10**6], Scales(1, 1), None)


def test_nothing_to_place_is_one_packing() -> None:
    packed = packed_units(random.Random(1), cases.one_topic([], 2))
    assert complete(packed, [0, 0], Scales(1, 1), 0) == [Complete((0, 0), 0, 0)]


@pytest.mark.slow
def test_no_step_that_is_accepted_proves_what_is_not_so() -> None:
    rng = random.Random(61)
    accepted = refused = 0
    for _ in range(60):
        case = cases.any_case(rng)
        packed, every = packed_units(rng, case), cases.values(case)
        budget = rng.choice((None, None, 1, 3))
        allowed = [v[0] for v in every if budget is None or v[1] <= budget]
        if not allowed:
            continue
        loads, best = rng.choice(allowed), min(allowed)
        for _ in range(12):
            position = rng.randint(1, len(loads))
            step = {
                "position": position,
                "bound": max(0, loads[position - 1] - rng.choice((0, 0, 0, 1, 2))),
                "by": rng.choice(("mean", "count", "moves")),
                "members": rng.sample(packed.ids, rng.randint(1, len(loads))),
                "items": rng.randint(0, 4),
                "grain": rng.choice((1, 1, 2, 3)),
                "prices": [rng.choice((0, 0, SCALE, 2 * SCALE, SCALE // 2, -SCALE)) for _ in loads],
            }
            try:
                least = bounds(packed, loads, [step], budget)
            except RefusedError:
                refused += 1
                continue
            assert best >= least
            accepted += 1
    assert accepted > 12
    assert refused > 120


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"position": 3}, "no step for position 3"),
        ({"position": 2}, "nothing is proven of the loads before position 2"),
        ({"bound": 8}, "the load at position 1 is 7"),
        ({"members": ["x"]}, "not in the instance"),
        ({"by": "count"}, "items that are not there"),
        ({"by": "count", "items": 4}, "items that are not there"),
        ({"by": "count", "items": 1}, "there is room"),
        ({"by": "moves"}, "without a budget"),
        ({"members": ["m0"]}, "there is room"),
        ({"bound": 0}, "a load of 0 needs no step"),
    ],
)
def test_a_step_that_is_none_is_refused(step: dict[str, object], said: str) -> None:
    packed = packed_units(random.Random(1), cases.one_topic([7, 4, 1], 2))
    good = {"position": 1, "bound": 7, "by": "mean", "members": ["m0", "m1"], "items": 0, "grain": 1}
    good |= {"prices": []}
    # The heaviest limits are 6 and 6, where 12 fit; only a count shows that 7 does not.
    assert bounds(packed, [7, 5], [good | {"by": "count", "items": 1}], None) == [7]
    with pytest.raises(RefusedError, match=said):
        bounds(packed, [7, 5], [good | step] if step != {"by": "count", "items": 1} else [good], None)


def test_prices_and_what_must_leave_are_below_what_is_paid() -> None:
    rng = random.Random(62)
    for _ in range(60):
        case = cases.any_case(rng)
        packed, every = packed_units(rng, case), cases.values(case)
        exact = rng.choice(every)[0]
        prices = [rng.randint(-SCALE, SCALE) for _ in exact]
        scales = rng.choice((Scales(1, 0), Scales(9, 1), Scales(1, 9)))
        paid = min(scales.move * m + scales.wrong * w for loads, m, w in every if loads == exact)
        assert least_paid(packed, exact, scales, prices) <= paid
        limit = exact[0]
        within = [(m, w) for loads, m, w in every if loads[0] <= limit]
        even = [limit] * len(exact)
        least = least_paid(packed, even, scales, [abs(price) for price in prices])
        assert least <= min(scales.move * m + scales.wrong * w for m, w in within)
        assert least_shed(packed, limit) <= min(m for m, _ in within)
        if sum(even) > sum(exact):
            with pytest.raises(RefusedError, match="below 0"):
                least_paid(packed, even, scales, [-1] * len(exact))


def test_a_part_of_what_is_cheap_for_its_weight_is_all_that_must_leave() -> None:
    case = cases.one_topic([10, 1], 2)
    case["members"][0]["owned"] = [["t", 0], ["t", 1]]
    case["topics"][0]["move_costs"] = [10, 2]
    packed = packed_units(random.Random(1), case)
    assert [least_shed(packed, limit) for limit in (11, 10, 1, 0)] == [0, 1, 10, 12]


def _solved(rng: random.Random, weighted: bool) -> dict[str, Any]:
    while True:
        case = cases.small(rng, weighted, partitions=5)
        problem = Problem.parse(case)
        if problem.weighted if weighted else len(problem.bundle_sizes) > 1:
            return interval_certificate(rng, case, weighted)


def _says_the_truth(certificate: dict[str, Any]) -> bool:
    """Whether the packing is one, is worth what is said, and no packing is below the bounds."""
    case = certificate["instance"] | {"members": sorted(certificate["instance"]["members"], key=_id)}
    owner_of = {
        (topic, number): i
        for i, member in enumerate(case["members"])
        for topic, numbers in certificate["assignment"].get(member["id"], {}).items()
        for number in numbers
    }
    units = cases.units(case)
    owner = []
    for tps, able, _ in units:
        owners = {owner_of.get(tp) for tp in tps}
        if len(owners) != 1 or not owners <= set(able):
            return False
        owner += owners
    given = sum(len(row) for topics in certificate["assignment"].values() for row in topics.values())
    heaviest, squares, moved, mismatch = cases.value(case, owner)  # type: ignore[arg-type]
    values = list(cases.every(case))
    upper, best = heaviest, min(value[0] for value in values)
    if certificate["kind"] == "bundles":
        upper, best = squares, min(value[1] for value in values)
    kept = [v for v in values if v[certificate["kind"] == "bundles"] <= upper]
    return (
        given == sum(len(tps) for tps, _, _ in units)
        and certificate["upper"] == upper
        and certificate["lower"] <= best
        and (certificate["moved"], certificate["rack_mismatch"]) == (moved, mismatch)
        and certificate["moves"]["moves"] <= min(v[2] for v in kept)
    )


def _id(member: dict[str, Any]) -> str:
    return str(member["id"])


def _accepted(document: Any) -> bool:
    try:
        return check_certificate(document).accepted
    except InputError:
        return False


def _damage(rng: random.Random, certificate: dict[str, Any]) -> dict[str, Any]:
    damaged = copy.deepcopy(certificate)
    ids = [member["id"] for member in damaged["instance"]["members"]]
    for _ in range(rng.randint(1, 3)):
        match rng.randrange(8):
            case 0 | 1:
                giver, taker = rng.choice(ids), rng.choice(ids)
                if damaged["assignment"][giver]:
                    topic = rng.choice(list(damaged["assignment"][giver]))
                    number = damaged["assignment"][giver][topic].pop()
                    damaged["assignment"][taker].setdefault(topic, []).append(number)
                    if not damaged["assignment"][giver][topic]:
                        del damaged["assignment"][giver][topic]
            case 2:
                damaged[rng.choice(("lower", "upper", "moved", "rack_mismatch"))] += rng.choice(
                    (-2, -1, 1, 2)
                )
            case 3:
                damaged["moves"][rng.choice(("moves", "low", "top"))] += rng.choice((-1, 1, 3))
            case 4:
                prices = damaged["moves"]["prices"]
                prices[rng.randrange(len(prices))] += rng.choice((-(10**8), -5, 10**7, 10**8))
            case 5 if damaged["kind"] == "weighted":
                damaged["bound"]["name"] = rng.choice(("mean", "largest item", "pigeonhole", "faith"))
                damaged["bound"]["k"] = rng.choice((0, 1, 2))
            case 6 if damaged["kind"] == "weighted":
                damaged["bound"]["members"] = rng.sample(ids, rng.randint(0, len(ids)))
                damaged["bound"]["value"] += rng.choice((-1, 0, 1))
            case 5 | 6:
                damaged["prices"][rng.randrange(len(ids))] += rng.choice((-900, -7, 7, 900))
                damaged["grain"] = rng.choice((0, 1, 2, 3))
            case _:
                damaged["assignment"].pop(rng.choice(ids), None)
                damaged["assignment"] = {id_: damaged["assignment"].get(id_, {}) for id_ in ids}
    return damaged


def _fuzz(seed: int, certificates: int, damages: int) -> tuple[int, int]:
    rng = random.Random(seed)
    accepted = refused = 0
    for number in range(certificates):
        certificate = _solved(rng, weighted=number % 2 == 0)
        assert check_certificate(certificate).accepted
        assert _says_the_truth(certificate)
        for _ in range(damages):
            damaged = _damage(rng, certificate)
            if _accepted(damaged):
                assert _says_the_truth(damaged)
                accepted += 1
            else:
                refused += 1
    return accepted, refused


def test_no_damaged_certificate_says_what_is_not_so() -> None:
    accepted, refused = _fuzz(1, 120, 15)
    assert refused > 800
    assert accepted > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(3, 6))])
def test_more_damage_says_nothing_wrong(seed: int) -> None:
    assert _fuzz(seed, 300, 30)[1] > 4000


def test_an_engine_is_named_where_arithmetic_cannot_follow() -> None:
    rng = random.Random(5)
    while True:
        certificate = _solved(rng, weighted=True)
        if certificate["lower"] < certificate["upper"]:
            break
    assert check_certificate(certificate | {"lower": certificate["lower"] + 1}).accepted is False
    checked = check_certificate(certificate | {"lower": certificate["lower"] + 1, "prover": "Z3"})
    assert checked.outcome is Outcome.ON_WORD
    assert checked.word_of == "Z3"
    assert checked.reason.startswith("interval:")
    assert "Z3's word" in checked.reason
    assert check_certificate(certificate | {"prover": "Z3"}).outcome is Outcome.REFUSED


def test_a_result_is_held_to_its_certificate() -> None:
    rng = random.Random(6)
    certificate = _solved(rng, weighted=True)
    result = {name: certificate[name] for name in ("lower", "upper", "moved")} | {"certificate": certificate}
    assert check_certificate(result).accepted
    assert check_certificate(result | {"upper": result["upper"] - 1}).accepted is False
    assert check_certificate(result | {"lower": result["upper"] + 1}).accepted is False


@pytest.mark.parametrize(
    "junk", [{}, {"kind": "faith"}, {"kind": "weighted", "lower": 0, "upper": 0, "instance": None}]
)
def test_junk_is_unreadable(junk: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"missing|found"):
        check_certificate({"schema": "kassay/interval-certificate/1"} | junk)


def test_no_prices_prove_moves_that_some_packing_spares() -> None:
    """Prices above and below 0, for all packings whose loads are between two ends."""
    rng, proven = random.Random(65), 0
    for _ in range(80):
        packed = packed_units(rng, cases.any_case(rng))
        by_loads: dict[tuple[int, ...], int] = {}
        for owners in itertools.product(*(unit.able for unit in packed.units)):
            placed = list(zip(packed.units, owners, strict=True))
            loads = tuple(sum(u.weight for u, owner in placed if owner == m) for m in range(len(packed.ids)))
            moved = sum(packed.moved(unit, owner) for unit, owner in placed)
            by_loads[loads] = min(moved, by_loads.get(loads, moved))
        for _ in range(8):
            some = rng.choice(list(by_loads))
            low, top = min(some), max(some)
            least = min(n for loads, n in by_loads.items() if low <= min(loads) and max(loads) <= top)
            prices = [rng.choice((-SCALE, -SCALE // 3, 0, 0, SCALE // 5, SCALE)) for _ in packed.ids]
            moves = {"low": low, "top": top, "prices": prices}
            with pytest.raises(RefusedError, match="the prices prove"):
                check_moves(packed, moves | {"moves": least + 1})
            try:
                check_moves(packed, moves | {"moves": max(1, least)})
                proven += 1
            except RefusedError:
                pass
    assert proven > 10
