"""The best packing found for given terms, and the proof of a bound on any packing.

Every packing of a few items, with partial packings of equal future counted once.

Items are placed one after another. Two partial packings with the same loads continue in the same way, and so
do two whose loads differ only between members that no later item distinguishes; only the cheapest of them is
kept.

Few items are enumerated, which settles every goal. Items of equal weight are packed by flows, which are
exact. The rest is strongly NP-hard (with equal subscriptions it is P||Cmax): the best of several searches,
with a proof step for each load as far as steps apply, and prices for moves and rack mismatches.

The results of packings as JSON, and their certificates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final, NamedTuple

from kassay.solver.check.check import require_accepted
from kassay.solver.groups.optimum import Balanced, figures
from kassay.solver.groups.problem import Problem
from kassay.solver.packing.bounds import SCALE, LoadProof, LoadStep, cheapest_moves, tolerance_base
from kassay.solver.packing.engines import other_packing
from kassay.solver.packing.flows import Flows, level_prices, level_steps, packed_by_weight
from kassay.solver.packing.items import Packing, Terms
from kassay.solver.packing.search import PackingSearch, at_home, longest_first, shed
from kassay.solver.packing.transfers import TransferProof, Transfers
from kassay.solver.results import Solved

ITEMS_MOST: Final = 40
"""The most items that are enumerated, however few members there are."""
STEPS_MOST: Final = 20_000
"""The most placings of an item on a member before the enumeration gives up."""


class _Partial(NamedTuple):
    """A partial packing: its loads, moves and cost, and the members of the items so far."""

    loads: tuple[int, ...]
    moves: int
    cost: int
    places: tuple[int, ...]


def best_of_all(
    packing: Packing, terms: Terms, owner: Sequence[int], deadline: float = inf
) -> tuple[int, ...] | None:
    """The best packing of all, no worse than `owner`; None where there are too many, or too little time."""
    items = packing.items
    if len(items) > ITEMS_MOST:
        return None
    order = sorted(range(len(items)), key=lambda i: (not items[i].stays, -items[i].weight, i))
    complete = _complete(packing, terms, order, owner, deadline)
    if complete is None:
        return None
    lightest = min(max(partial.loads) for partial in complete)
    cap = None if terms.tolerance is None else max(terms.cap(tolerance_base(packing)) or 0, lightest)

    def worth(partial: _Partial) -> tuple[list[int], int]:
        return [] if cap is not None else sorted(partial.loads, reverse=True), partial.cost

    allowed = (partial for partial in complete if cap is None or max(partial.loads) <= cap)
    best = min(allowed, key=worth)
    given = [0] * len(items)
    for i, member in zip(order, best.places, strict=True):
        given[i] = member
    return tuple(given)


def _complete(
    packing: Packing, terms: Terms, order: Sequence[int], owner: Sequence[int], deadline: float
) -> list[_Partial] | None:
    """The cheapest packing for each of the loads that can be as good as those of `owner`."""
    items = packing.items
    move, wrong = terms.scales(packing)
    known = sorted(packing.loads(owner), reverse=True)
    if terms.tolerance is not None:
        # Any packing may be the lightest, and none above its limit is useful.
        known = [max(terms.cap(tolerance_base(packing)) or 0, known[0])] * packing.members
    partials = [_Partial((0,) * packing.members, 0, 0, ())]
    steps = 0
    for turn, i in enumerate(order):
        item = items[i]
        following: dict[tuple[tuple[tuple[int, int], ...], int], _Partial] = {}
        costs = [(m, item.moved(m), packing.mismatch(item, m)) for m in item.able]
        steps += len(partials) * len(costs)
        if steps > STEPS_MOST or time.monotonic() > deadline:
            return None
        first_like = _alike(packing, order[turn + 1 :])
        for partial in partials:
            for m, moved, mismatch in costs:
                loads = list(partial.loads)
                loads[m] += item.weight
                moves = partial.moves + moved
                if sorted(loads, reverse=True) > known or (terms.budget is not None and moves > terms.budget):
                    continue
                cost = partial.cost + move * moved + wrong * mismatch
                # The cheapest packing for racks may have no room left in the budget.
                key = tuple(sorted(zip(first_like, loads, strict=True))), moves if terms.bounds_racks else 0
                kept = following.get(key)
                if kept is None or cost < kept.cost:
                    following[key] = _Partial(tuple(loads), moves, cost, (*partial.places, m))
        partials = list(following.values())
    return partials


def _alike(packing: Packing, rest: Sequence[int]) -> list[int]:
    """For each member the first one that no item of the rest distinguishes from it."""
    items = packing.items
    racked = any(items[i].racks for i in rest)
    first: dict[object, int] = {}
    numbers = []
    sets = dict.fromkeys(items[i].able for i in rest)
    inside = [frozenset(able) for able in sets]
    had = [{m for m, _ in items[i].stays} for i in rest if items[i].stays]
    for m in range(packing.members):
        mine = (
            tuple(m in able for able in inside),
            tuple(m in owners for owners in had) if any(m in owners for owners in had) else None,
            packing.racks[m] if racked else None,
        )
        numbers.append(first.setdefault(mine if mine[1] is None else (m, *mine), m))
    return numbers


_SHARE_OF_FLOWS: Final = 0.6
_SHARE_OF_SEARCH: Final = 0.7
_SHARE_OF_PROOF: Final = 0.85
_SHARE_BEFORE_TRANSFERS: Final = 0.3
_SHARE_OF_TRANSFERS: Final = 0.9
_SHARE_OF_PRICES: Final = 0.5
_SHARE_OF_MARKET: Final = 0.85
_FEW: Final = 12
"""Items with at most this many weights and costs are also packed one weight at a time."""


@dataclass(frozen=True)
class Packed:
    """A packing with its proof: enumerated, or a step for each load and prices on weight (in 1 / SCALE).

    Where loads are proven, `transfers` may prove more moves than these prices do.
    `scales` are the weights of a move and a mismatch with the prices, if they differ from the terms'.
    """

    packing: Packing
    terms: Terms
    owner: tuple[int, ...]
    enumerated: bool
    steps: tuple[LoadStep, ...] = ()
    prices: tuple[int, ...] = ()
    scales: tuple[int, int] | None = None
    transfers: TransferProof | None = None


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
    changes = terms.tolerance is None and terms.budget is None and Transfers(packing, ()).goes_anywhere
    share = _SHARE_BEFORE_TRANSFERS if changes else _SHARE_OF_SEARCH
    search_until = began + share * (deadline - began)
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
    transfers = None
    if terms.tolerance is None and _are_proven(loads, steps):
        best, transfers = _transferred(
            packing, terms, best, bound, began + _SHARE_OF_TRANSFERS * (deadline - began)
        )
    prices = _prices(packing, terms, best, limits, deadline)
    return Packed(packing, terms, tuple(best), False, steps, prices, transfers=transfers)


def _are_proven(loads: Sequence[int], steps: Sequence[LoadStep]) -> bool:
    """Whether the steps prove all the sorted loads that are not 0."""
    met = (step.position for step in steps if loads[step.position - 1] == step.bound)
    return max(met, default=0) >= sum(load > 0 for load in loads)


def _transferred(
    packing: Packing, terms: Terms, best: list[int], bound: int, deadline: float
) -> tuple[list[int], TransferProof | None]:
    """The packing with fewer moves and the same loads, if one is found, and a bound on its moves."""
    loads, moves = packing.loads(best), packing.moved(best)
    transfers = Transfers(packing, loads)
    began = time.monotonic()
    if not transfers.fits or not moves or began > deadline:
        return best, None
    proof = transfers.prove(moves, began + _SHARE_OF_PRICES * (deadline - began))
    if proof is None or proof.cost >= moves or terms.budget is not None:
        return best, proof
    owner = transfers.owners(proof, len(best), began + _SHARE_OF_MARKET * (deadline - began))
    if owner is not None:
        other = _settled(packing, terms, owner, bound, deadline)
        best = _best(packing, terms, [best, other], bound)
    return best, proof


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
    if len(set(packing.weights)) <= _FEW and len({item.owned for item in packing.items}) <= _FEW:
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


SCHEMA: Final = "kassay/packing-certificate/1"
BOUND_RACKS_SCHEMA: Final = "kassay/packing-certificate/2"
"""The schema for a packing within a budget of moves, with racks first."""


def solve_packing(problem: Problem, terms: Terms, time_limit_s: float = 10.0, engine: str = "auto") -> Solved:
    """The best packing found for these terms; raises `CertificateError` if its proof is not accepted."""
    packed = pack(problem, terms, time_limit_s, engine)
    certificate = packing_certificate(problem, packed)
    return Solved(certificate, require_accepted(certificate, problem.name or "a packing"))


def solve_balanced(problem: Problem, order: tuple[str, ...], balanced: Balanced) -> Solved:
    """Balanced owners whose cost the time did not suffice to minimise; raises as `solve_packing` does."""
    certificate = packing_certificate(problem, packed_in_balance(problem, order, balanced))
    return Solved(certificate, require_accepted(certificate, problem.name or "a group"))


def packed_in_balance(problem: Problem, order: tuple[str, ...], balanced: Balanced) -> Packed:
    """The owners as a packing of a problem for the exact methods: loads proven, cost bounded."""
    packing, terms = Packing.of(problem), Terms(order)
    steps = level_steps(packing, balanced)
    return Packed(packing, terms, tuple(balanced.owner), False, steps, level_prices(packing, terms, balanced))


def packing_certificate(problem: Problem, packed: Packed) -> dict[str, Any]:
    """The input of the checker of packings: the instance, the terms, the packing and its proof."""
    packing, terms, owner = packed.packing, packed.terms, packed.owner
    ids = [member.member_id for member in problem.members]
    owners = problem.owners_by_topic(owner)
    scales = {"scales": list(packed.scales or terms.scales(packing))} if terms.bounds_racks else {}
    return {
        "schema": BOUND_RACKS_SCHEMA if scales else SCHEMA,
        "instance": problem.document(),
        "order": ",".join(terms.order),
        "tolerance": None if terms.tolerance is None else [*terms.tolerance.as_integer_ratio()],
        "budget": terms.budget,
        "assignment": problem.partitions_by_member(owners),
        "enumerated": packed.enumerated,
        "steps": [_step(step, ids) for step in packed.steps],
        "prices": list(packed.prices),
        "moved": figures(problem, owners).moved,
        "rack_mismatch": packing.mismatched(owner),
        **scales,
        **({} if packed.transfers is None or scales else {"transfers": _transfers(packed.transfers)}),
    }


def _transfers(proof: TransferProof) -> dict[str, Any]:
    return {
        "sorts": [
            {"weight": weight, "cost": cost, "price": price} for (weight, cost), price in proof.sorts.items()
        ],
        "loads": [{"load": load, "price": price} for load, price in proof.loads.items()],
    }


def _step(step: LoadStep, ids: list[str]) -> dict[str, Any]:
    return {
        **step._asdict(),
        "members": [ids[m] for m in step.members],
        "prices": list(step.prices),
    }
