"""The best packing found for given terms, and the proof of a bound on any packing.

Few items are enumerated, which settles every goal. Items of equal weight are packed by flows, which are
exact. The rest is strongly NP-hard (with equal subscriptions it is P||Cmax): the best of several searches,
with a proof step for each load as far as steps apply, and prices for moves and rack mismatches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bounds import tolerance_base
from kassay.solver.packing.bundles import packed_by_weight
from kassay.solver.packing.engines.asking import other_packing
from kassay.solver.packing.enumeration import best_of_all
from kassay.solver.packing.flows import Flows
from kassay.solver.packing.items import Packing
from kassay.solver.packing.prices import SCALE, cheapest_moves
from kassay.solver.packing.search import PackingSearch, at_home, longest_first
from kassay.solver.packing.shedding import shed
from kassay.solver.packing.steps import LoadProof, LoadStep
from kassay.solver.packing.terms import Terms

_SHARE_OF_FLOWS: Final = 0.6
_SHARE_OF_SEARCH: Final = 0.7
_SHARE_OF_PROOF: Final = 0.85
_FEW: Final = 12
"""Items with at most this many weights and costs are also packed one weight at a time."""


@dataclass(frozen=True)
class Packed:
    """A packing with its proof: enumerated, or a step for each load and prices on weight (in 1 / SCALE).

    `scales` are the weights of a move and a mismatch with the prices, if they differ from the terms'.
    """

    packing: Packing
    terms: Terms
    owner: tuple[int, ...]
    enumerated: bool
    steps: tuple[LoadStep, ...] = ()
    prices: tuple[int, ...] = ()
    scales: tuple[int, int] | None = None


def pack(problem: Problem, terms: Terms = Terms(), seconds: float = 10.0, engine: str = "auto") -> Packed:  # noqa: B008
    """The best packing found within the limit, and a bound on any packing.

    `engine` is the other solver that looks for a better packing where searches leave a gap: "own" for none,
    "z3", "cpsat", or "auto". Nothing here depends on the clock unless the limit is reached.
    """
    deadline = time.monotonic() + seconds
    packing = Packing.of(problem)
    terms.refuse_impossible(packing)
    owner = tuple(longest_first(packing, at_home(packing)))
    best = best_of_all(packing, terms, owner, deadline)
    if best is not None:
        return Packed(packing, terms, best, enumerated=True)
    flowing = _flowing(packing, terms, owner, deadline - (1 - _SHARE_OF_FLOWS) * seconds)
    return flowing or _searched(packing, terms, deadline, engine)


def _flowing(packing: Packing, terms: Terms, owner: tuple[int, ...], deadline: float) -> Packed | None:
    """The exact packing of items of equal weight; None if weights differ, or the time ran out."""
    if not packing.even or time.monotonic() > deadline:
        return None
    flows = Flows(packing, deadline)
    lexicographic = flows.lexicographic(owner, terms.budget)
    if lexicographic.late:
        return None
    steps, limits = lexicographic.steps, lexicographic.loads
    if terms.tolerance is not None:
        steps = ()
        limits = [max(terms.cap(tolerance_base(packing)) or 0, *limits[:1])] * packing.members
    scales = terms.scales(packing)
    if terms.budget is not None and terms.bounds_racks:
        within, scales = flows.racks_within(limits, terms.budget)
    else:
        within = flows.cheapest(limits, *scales)
    if not within.owner and packing.items:
        return None
    prices = tuple(price * SCALE // flows.unit for price in within.prices)
    return Packed(packing, terms, within.owner, False, steps, prices, scales)


def _searched(packing: Packing, terms: Terms, deadline: float, engine: str) -> Packed:
    """The best packing that searches find, and a proof of its largest distance from the best."""
    began = time.monotonic()
    search_until = began + _SHARE_OF_SEARCH * (deadline - began)
    proof_until = began + _SHARE_OF_PROOF * (deadline - began)
    proof = LoadProof(packing, terms.budget, proof_until)
    if terms.tolerance is None:
        least = proof.whatever_moves().heaviest()
        bound = least.bound if least is not None else 0
    else:
        bound = tolerance_base(packing)
    candidates = list(_candidates(packing, terms, bound, search_until))
    best = _best(packing, terms, candidates, bound)
    too_heavy = max(packing.loads(best)) > (terms.cap(bound) or bound)
    if too_heavy and terms.budget is None and time.monotonic() < search_until:
        other = other_packing(packing, best, bound, engine, search_until)
        best = _best(packing, terms, [best, _settled(packing, terms, other, bound, search_until)], bound)
    loads = sorted(packing.loads(best), reverse=True)
    steps: tuple[LoadStep, ...]
    if terms.tolerance is not None:
        steps = ()
        limits = [max(terms.cap(bound) or 0, loads[0])] * packing.members
    else:
        steps = proof.steps(loads)
        limits = _limits(loads, steps)
    return Packed(packing, terms, tuple(best), False, steps, _prices(packing, terms, best, limits, deadline))


def _best(packing: Packing, terms: Terms, owners: Sequence[list[int]], bound: int) -> list[int]:
    """The best of these packings, the first of them if several are."""
    if len(owners) == 1:
        return owners[0]
    return min(owners, key=lambda owner: terms.value(packing, owner, bound))


def _limits(loads: Sequence[int], steps: Sequence[LoadStep]) -> list[int]:
    """Limits that the sorted loads of any better packing keep: exact as far as they are proven."""
    proven = max((step.position for step in steps if loads[step.position - 1] == step.bound), default=0)
    if proven == len(loads) or not loads[proven]:
        return list(loads)
    return [*loads[:proven], *[loads[proven]] * (len(loads) - proven)]


def _prices(
    packing: Packing, terms: Terms, owner: Sequence[int], limits: Sequence[int], deadline: float
) -> tuple[int, ...]:
    """Prices for both costs, 0 where there is no time to improve them."""
    if time.monotonic() > deadline:
        return (0,) * packing.members
    return cheapest_moves(packing, limits, terms.scales(packing), terms.cost(packing, owner), deadline).prices


def _candidates(packing: Packing, terms: Terms, bound: int, deadline: float) -> Iterator[list[int]]:
    """Packings of several methods, each improved within the time."""
    cap = terms.cap(bound)
    if cap is not None:
        yield shed(packing, cap, deadline)
        if time.monotonic() > deadline:
            return
    start = longest_first(packing, at_home(packing))
    if time.monotonic() > deadline:
        yield start
        return
    home = PackingSearch(packing, start)
    if terms.budget is not None:
        home.relieve_within(terms.budget, deadline)
        yield home.owner
        return
    if cap is not None:
        home.relieve(cap, deadline)
        home.go_home(max(cap, home.heaviest()), deadline)
        yield home.owner
        return
    yield _settled(packing, terms, home.owner, bound, deadline)
    if time.monotonic() > deadline:
        return
    fresh = PackingSearch(packing, longest_first(packing))
    fresh.relieve(bound, deadline)
    fresh.shake(bound, deadline)
    yield _settled(packing, terms, fresh.owner, bound, deadline)
    if len(set(packing.weights)) <= _FEW and len({item.claimed for item in packing.items}) <= _FEW:
        yield _settled(packing, terms, packed_by_weight(packing, terms, deadline), bound, deadline)


def _settled(packing: Packing, terms: Terms, owner: Sequence[int], bound: int, deadline: float) -> list[int]:
    """The packing with balanced loads, then moved back home as far as that keeps them balanced."""
    if time.monotonic() > deadline:
        return list(owner)
    search = PackingSearch(packing, list(owner))
    if terms.tolerance is None:
        search.relieve(bound, deadline)
        search.even_out(deadline)
    cap = terms.cap(bound)
    search.go_home(None if cap is None else max(cap, search.heaviest()), deadline)
    return search.owner
