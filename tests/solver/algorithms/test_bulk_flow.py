"""The engine of OR-tools against our own, and potentials against the definition of a cheapest flow."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.flow import Network

NODES = 7
ARCS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 7), st.integers(0, 5)).filter(
        lambda arc: arc[0] != arc[1]
    ),
    max_size=24,
)


def columns(arcs: list[tuple[int, int, int, int]]) -> Arcs:
    return Arcs(*(list(each) for each in zip(*arcs, strict=True))) if arcs else Arcs([], [], [], [])


def own(arcs: list[tuple[int, int, int, int]], amount: int) -> tuple[int, list[int]]:
    network = Network(NODES)
    numbers = [network.arc(*arc) for arc in arcs]
    return network.cheapest(0, 6, amount), [network.flow(number) for number in numbers]


def paid(arcs: list[tuple[int, int, int, int]], flows: list[int]) -> int:
    return sum(arc[3] * flow for arc, flow in zip(arcs, flows, strict=True))


def proves(arcs: list[tuple[int, int, int, int]], flows: list[int], potential: list[int]) -> bool:
    reduced = [cost + potential[tail] - potential[head] for tail, head, _, cost in arcs]
    return all(
        (gain >= 0 or flow == room) and (gain <= 0 or not flow)
        for gain, flow, (_, _, room, _) in zip(reduced, flows, arcs, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(ARCS, st.integers(1, 8))
def test_both_engines_pay_the_same(arcs: list[tuple[int, int, int, int]], amount: int) -> None:
    pytest.importorskip("ortools")
    supplies = [amount, 0, 0, 0, 0, 0, -amount]
    flows = bulk_flow.cheapest(columns(arcs), supplies)
    pushed, ours = own(arcs, amount)
    assert (flows is None) == (pushed < amount)
    if flows is not None:
        assert paid(arcs, flows) == paid(arcs, ours)


@settings(max_examples=60, deadline=None)
@given(ARCS, st.integers(1, 8), st.integers(0, 5))
def test_multiples_of_a_unit_beyond_64_bits_come_first_and_rests_then(
    arcs: list[tuple[int, int, int, int]], amount: int, turn: int
) -> None:
    pytest.importorskip("ortools")
    unit = 1 << 70
    wide = [(t, h, room, cost * unit + (cost * turn + t + h) % 7) for t, h, room, cost in arcs]
    supplies = [amount, 0, 0, 0, 0, 0, -amount]
    flows = bulk_flow.cheapest(columns(wide), supplies, unit)
    pushed, ours = own(wide, amount)
    if pushed < amount:
        assert flows is None
    elif any(arc[3] >= unit for arc in wide):
        assert flows is not None
        assert paid(wide, flows) == paid(wide, ours)


@settings(max_examples=60, deadline=None)
@given(ARCS, st.integers(0, 8), st.booleans())
def test_a_cheapest_flow_has_potentials_that_prove_it(
    arcs: list[tuple[int, int, int, int]], amount: int, many: bool
) -> None:
    _, flows = own(arcs, amount)
    if many:
        pytest.importorskip("numpy")
    find = bulk_flow._by_rounds if many else bulk_flow._by_queue
    potential = find(NODES, columns(arcs), flows)
    assert potential is not None
    assert proves(arcs, flows, potential)


@pytest.mark.parametrize("many", [False, True])
def test_a_flow_that_is_not_cheapest_has_none(many: bool) -> None:
    if many:
        pytest.importorskip("numpy")
    find = bulk_flow._by_rounds if many else bulk_flow._by_queue
    arcs = Arcs([0, 0], [1, 1], [1, 1], [1, 2])
    assert find(2, arcs, [0, 1]) is None
    assert find(2, arcs, [1, 0]) is not None


def test_what_64_bits_do_not_hold_is_not_given_to_the_engine() -> None:
    arcs = Arcs([0], [1], [1], [1 << 62])
    assert bulk_flow.cheapest(arcs, [1, -1]) is None
    assert bulk_flow.potentials(2, arcs, [1]) is not None


def test_large_networks_are_proven_as_small_ones_are() -> None:
    pytest.importorskip("ortools")
    rng = random.Random(4)
    arcs = [(t, 100 + rng.randrange(50), 1, rng.randrange(9)) for t in range(100) for _ in range(50)]
    arcs += [(100 + place, 150, 3, rng.randrange(5)) for place in range(50)]
    flows = bulk_flow.cheapest(columns(arcs), [1] * 100 + [0] * 50 + [-100])
    assert flows is not None
    potential = bulk_flow.potentials(151, columns(arcs), flows)
    assert potential is not None
    assert proves(arcs, flows, potential)
