"""Co-partitioned bundles of different sizes: an interval for the sum of squared loads.

Prices, or the multiples of a number that divides most sizes, prove the lower end. Where the prices prove the
whole payment, no packing has fewer moves or mismatches either. Prices are in the order of member ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kassay.solver.check.consumers import ASSIGNMENT, FAMILY, ORDER, costed, pose, uneven, weighted
from kassay.solver.check.packing import MOVES, PackedUnits, check_moves, read_packing
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    TEXT,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    ProvenQuestion,
    one_of,
    one_price_each,
    record,
    require,
    rows,
    squares,
)

SCHEMA: Final = "kassay/interval-certificate/1"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of its interval; raises `RefusedError` if it does not prove it."""
    packed = read_packing(form, certificate, weighted=False)
    loads = packed.loads()
    upper, lower, grain = sum(load * load for load in loads), certificate["lower"], certificate["grain"]
    require(certificate["upper"] == upper, f"the sum of squared loads is {upper}")
    order, moves = certificate["order"].split(","), certificate["moves"]
    dear = 1 + sum(topic["partitions"] for topic in form["topics"])
    move, mismatch = (dear, 1) if order[1] == "movement" else (1, dear)
    balance = dear * (dear + 1)
    prices = one_price_each(certificate["prices"], len(packed.ids))
    payment = _lowest_payment(packed, prices, move, mismatch, balance)
    proven = max(payment // balance, _grain_squares(packed, grain) if grain else 0)
    require(lower <= proven, f"a sum of squares of {proven} is proven, not {lower}")
    require(moves["low"] <= min(loads) and max(loads) <= moves["top"], "loads out of range")
    for outside in (moves["low"] - 1, moves["top"] + 1):
        require(not _can_carry(outside, loads, upper), f"a member could carry {outside} and balance as well")
    check_moves(packed, moves)
    paid = balance * upper + sum(
        move * packed.moved(u, u.owner) + mismatch * packed.mismatch(u, u.owner) for u in packed.units
    )
    moved = certificate["moved"]
    priced = (payment - balance * upper) // move if order[1] == "movement" else 0
    moved_lower = max(priced, moves["moves"])
    squared = f"a sum of squared loads of {upper if lower == upper else f'{lower} to {upper}'}"
    ends = f"{'optimal' if lower == upper else 'interval'}: {squared}"
    nothing_less = "; nothing moves less or mismatches less" if lower == upper and paid == payment else ""
    return Proven(
        f"{ends} by {f'multiples of {grain}' if grain else 'the prices'}{nothing_less}; "
        f"{moved} moves, {moved_lower} at the least",
        ProvenQuestion(tuple(order), {"move": 1}),
        {
            **squares(loads),
            "status": "optimal" if lower == upper else "interval",
            "lower": lower,
            "upper": upper,
            "moved": moved,
            "moved_lower": moved_lower,
            "rack_mismatch": certificate["rack_mismatch"],
            "proven": _objectives(lower == upper, order, paid == payment, moved == moved_lower),
            "bound": f"multiples of {grain}" if grain else "the optimum without co-partitioning",
            "assignment": certificate["assignment"],
        },
    )


def _objectives(balanced: bool, order: list[str], all_proven: bool, fewest: bool) -> list[str]:
    """The objectives, in order, that are proven optimal."""
    if not balanced:
        return []
    if all_proven:
        return order
    return order[:2] if order[1] == "movement" and fewest else order[:1]


def _lowest_payment(packed: PackedUnits, prices: list[int], move: int, mismatch: int, balance: int) -> int:
    """The least payment of any packing: moves, mismatches and `balance` times the squared loads."""
    total = 0
    least: dict[Any, int] = {}
    for unit in packed.units:
        key = (id(unit.able), *unit.had, *unit.racks)
        if key not in least:
            least[key] = min(
                move * packed.moved(unit, m) + mismatch * packed.mismatch(unit, m) + unit.size * prices[m]
                for m in unit.able
            )
        total += least[key]
    for price in prices:
        vertex = max(0, price // (2 * balance))
        total += min(balance * x * x - price * x for x in (vertex, vertex + 1))
    return total


def _grain_squares(packed: PackedUnits, grain: int) -> int:
    """The least sum of squares where only members with an odd unit carry no multiple of `grain`."""
    total, members = sum(u.size for u in packed.units), len(packed.ids)
    odd = min(members, sum(u.size % grain > 0 for u in packed.units))
    best: int | None = None
    for part in range(0, total + 1, grain):
        if (odd == 0 and part != total) or (odd == members and part):
            continue
        squares = grain * grain * _evenly(part // grain, members - odd) + _evenly(total - part, odd)
        best = squares if best is None else min(best, squares)
    return best or 0


def _evenly(total: int, members: int) -> int:
    """The sum of squares of `total` shared evenly."""
    if not members:
        return 0
    return sum((total // members + (place < total % members)) ** 2 for place in range(members))


def _can_carry(load: int, loads: Sequence[int], squares: int) -> bool:
    """Whether a member with this load leaves room for a sum of squares at least as good."""
    if load < 0 or load > sum(loads) or (len(loads) == 1 and load != sum(loads)):
        return False
    return load * load + _evenly(sum(loads) - load, len(loads) - 1) <= squares


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda form: uneven(form) and not weighted(form) and not costed(form),
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "kind": TEXT,
            "instance": ANYTHING,
            "assignment": ASSIGNMENT,
            "order": ORDER,
            "prices": rows(WHOLE),
            "grain": COUNT,
            "moves": MOVES,
            "lower": COUNT,
            "upper": COUNT,
            "moved": COUNT,
            "rack_mismatch": COUNT,
        }
    ),
    check=check,
    kind="bundles",
)
