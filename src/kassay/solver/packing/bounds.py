"""The least load of the heaviest member: bounds that one line of arithmetic verifies.

Each bound looks at a set of members and the items that only they may take (Hall's view): their
mean, the largest item, or, among k * members + 1 items, the k + 1 that some member must share
(pigeonhole). Loads are sums of weights, so a bound rises to the next multiple of the weights'
greatest common divisor. The heaviest mean over all sets is found by minimum cuts (Dinkelbach's
method) and equals the linear relaxation.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Final, NamedTuple

from kassay.solver.algorithms.flow import Network
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.items import Packing

_SETS_MOST: Final = 300

MEAN: Final = "mean"
LARGEST: Final = "largest item"
PIGEONHOLE: Final = "pigeonhole"


class LoadBound(NamedTuple):
    """A lower bound on the heaviest load: the items bound to `members` force it; `k` for the pigeonhole."""

    value: int
    name: str
    members: tuple[int, ...]
    k: int = 0


def weighted_lower_bound(problem: Problem) -> int:
    """The least load of the heaviest member, by arithmetic alone."""
    return lower_bound(Packing.of(problem)).value


def lower_bound(packing: Packing) -> LoadBound:
    """The best bound found; 0 without items."""
    sets = packing.sets
    if not packing.items:
        return LoadBound(0, MEAN, ())
    everybody = tuple(sorted({member for able in sets for member in able}))
    candidates = [everybody, heaviest_set(packing, everybody), *sets[:_SETS_MOST]]
    bounds = (best for members in dict.fromkeys(candidates) for best in _bounds(packing, members))
    return max(bounds, key=lambda bound: (bound.value, bound.name == MEAN, -len(bound.members)))


def tolerance_base(packing: Packing) -> int:
    """The bound from which a tolerance is measured, as the checker derives it: of fixed sets of members."""
    smallest = sorted(packing.sets, key=lambda able: (len(able), able))[:_SETS_MOST]
    everybody = tuple(sorted({member for able in packing.sets for member in able}))
    candidates = dict.fromkeys([*smallest, everybody])
    return max((bound.value for members in candidates for bound in _bounds(packing, members)), default=0)


def _bounds(packing: Packing, members: tuple[int, ...]) -> Iterable[LoadBound]:
    inside = set(members)
    bound = [inside.issuperset(able) for able in packing.sets]
    weights = [w for w, position in zip(packing.weights, packing.set_of, strict=True) if bound[position]]
    if not weights:
        return
    weights.sort(reverse=True)
    unit = max(gcd(*packing.weights), 1)
    number = len(members)
    yield LoadBound(-(-sum(weights) // (number * unit)) * unit, MEAN, members)
    yield LoadBound(weights[0], LARGEST, members)
    for k in range(1, (len(weights) - 1) // number + 1):
        yield LoadBound(sum(weights[k * number - k : k * number + 1]), PIGEONHOLE, members, k)


def heaviest_set(packing: Packing, everybody: tuple[int, ...]) -> tuple[int, ...]:
    """The members whose own items weigh most on average: no fractional packing does better."""
    weigh = [0] * len(packing.sets)
    for weight, position in zip(packing.weights, packing.set_of, strict=True):
        weigh[position] += weight
    demand = dict(zip(packing.sets, weigh, strict=True))
    heaviest = everybody
    while True:
        inside = set(heaviest)
        weight = sum(w for able, w in demand.items() if inside.issuperset(able))
        better = _violated(demand, everybody, weight, len(heaviest))
        if not better:
            return heaviest
        heaviest = better


def _violated(
    demand: dict[tuple[int, ...], int], everybody: tuple[int, ...], weight: int, number: int
) -> tuple[int, ...]:
    """Members whose own items weigh more than weight / number each, or none."""
    network = Network(2)
    node = {member: network.node() for member in everybody}
    for member in everybody:
        network.arc(node[member], 1, weight)
    for able, total in demand.items():
        own = network.node()
        network.arc(0, own, total * number)
        for member in able:
            network.arc(own, node[member])
    if network.maximum(0, 1) == number * sum(demand.values()):
        return ()
    seen = network.reachable([0])
    return tuple(member for member in everybody if seen[node[member]])
