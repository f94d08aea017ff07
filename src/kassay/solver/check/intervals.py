"""The independent checker of intervals: weighted partitions and uneven bundles.

It shares no code with the solver. It reads the instance and the packing, adds up what the packing is
worth (`upper`), and works out the bounds that the certificate names (`lower`, and the moves that are
needed), each a line of arithmetic. A bound that only Z3 or CP-SAT vouches for cannot be checked here;
the answer then says what can: the interval from the named bound on.

The members that bind a bound are given by id, prices in the order of member ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any, Final, NamedTuple

from kassay.solver.check.balance import Topic
from kassay.solver.check.consumers import Rows, owners_in, read_instance
from kassay.solver.check.refusal import Proven, require, squares, whole, whole_prices

SCALE: Final = 10**8
"""The prices of the moves are in units of 1 / SCALE moves."""


class _Unit(NamedTuple):
    """What goes to one owner as a whole: its weight and size, who may take it, who had it, who has it."""

    weight: int
    size: int
    able: dict[int, None]
    had: list[int]
    racks: list[frozenset[str]]
    owner: int


class _Case(NamedTuple):
    ids: list[str]
    racks: list[str | None]
    units: list[_Unit]

    def loads(self) -> list[int]:
        weights = [0] * len(self.ids)
        for unit in self.units:
            weights[unit.owner] += unit.weight
        return weights

    def moved(self, unit: _Unit, member: int) -> int:
        return sum(owner != member for owner in unit.had)

    def mismatch(self, unit: _Unit, member: int) -> int:
        return sum(self.racks[member] not in racks for racks in unit.racks)


def check(certificate: Any) -> Proven:
    """What the certificate proves of its interval; raises `RefusedError` if it does not prove that."""
    kind, lower, upper = certificate["kind"], certificate["lower"], certificate["upper"]
    require(kind in ("weighted", "bundles"), f"kind {kind!r}, expected weighted or bundles")
    case = _read(certificate, weighted=kind == "weighted")
    bounds = _weighted(case, certificate) if kind == "weighted" else _bundles(case, certificate)
    _figures(case, certificate)
    counts = [0] * len(case.ids)
    for unit in case.units:
        counts[unit.owner] += unit.size
    stated = {key: certificate[key] for key in ("lower", "upper", "moved", "rack_mismatch", "assignment")}
    return Proven(
        f"{bounds}; {certificate['moved']} moves, {certificate['moves']['moves']} at the least",
        lower == upper,
        squares(counts) | stated | {"max_weight": upper},
    )


def _read(certificate: Any, weighted: bool) -> _Case:
    instance = read_instance(certificate["instance"])
    owners = owners_in(instance, certificate["assignment"])
    by_name = {topic.name: topic for topic in instance.topics}
    bound = {name for names in instance.copartition for name in names}
    units = []
    for names in (*instance.copartition, *((name,) for name in by_name if name not in bound)):
        bundle = [by_name[name] for name in names]
        readers = [
            [m for m, member in enumerate(instance.members) if name in member.topics] for name in names
        ]
        require(all(other == readers[0] for other in readers), f"{names[0]}'s bundle has different readers")
        counts = {topic.partitions for topic in bundle}
        require(len(counts) == 1, f"{names[0]}'s bundle has different counts")
        if not readers[0]:
            holders = {m for name in names for m in owners[name]}
            require(holders <= {-1}, "the packing has a partition that nobody reads")
            continue
        able = dict.fromkeys(readers[0])
        units += [_unit(bundle, p, able, instance.previous, owners, weighted) for p in range(counts.pop())]
    return _Case([m.member_id for m in instance.members], [m.rack for m in instance.members], units)


def _unit(
    bundle: Sequence[Topic],
    partition: int,
    able: dict[int, None],
    previous: Rows,
    owners: Rows,
    weighted: bool,
) -> _Unit:
    name = bundle[0].name
    holders = {owners[topic.name][partition] for topic in bundle}
    require(len(holders) == 1, f"{name}-{partition} and what goes with it have different owners")
    (member,) = holders
    require(member in able, f"{name}-{partition} is not with a member that reads it")
    weight = sum(1 if t.weights is None or not weighted else t.weights[partition] for t in bundle)
    racks = [topic.racks[partition] for topic in bundle if topic.racks is not None]
    before = [previous[topic.name][partition] for topic in bundle]
    return _Unit(
        weight,
        len(bundle),
        able,
        [m for m in before if m in able],
        [known for known in racks if known],
        member,
    )


def _figures(case: _Case, certificate: Any) -> None:
    figures = {
        "moved": sum(case.moved(unit, unit.owner) for unit in case.units),
        "rack_mismatch": sum(case.mismatch(unit, unit.owner) for unit in case.units),
    }
    for name, value in figures.items():
        require(certificate[name] == value, f"{name} is {value}, not {certificate[name]}")


def _weighted(case: _Case, certificate: Any) -> str:
    upper, lower = max(case.loads(), default=0), certificate["lower"]
    require(certificate["upper"] == upper, f"the heaviest member carries {upper}")
    bound = certificate["bound"]
    proven = _named_bound(case, bound["name"], bound["members"], bound["k"])
    require(whole(bound["value"]) <= proven, f"the {bound['name']} proves {proven}, not {bound['value']}")
    moves = certificate["moves"]
    require(moves["low"] == 0 and moves["top"] >= upper, "the moves are not for this heaviest load")
    _check_moves(case, moves)
    prover = certificate.get("prover")
    require(whole(lower) <= upper, "the lower bound is above the upper")
    if lower <= proven:
        return _verdict(lower, upper, f"the {bound['name']}")
    require(isinstance(prover, str) and bool(prover), f"{lower} is above the {proven} that is proven")
    checked = _verdict(proven, upper, f"the {bound['name']}")
    return f"{checked}; that the heaviest carries {lower} at least is {prover}'s word"


def _named_bound(case: _Case, name: str, members: Iterable[str], k: int) -> int:
    """The bound that the units make which only these members may take."""
    inside = {case.ids.index(member) for member in members}
    bound = {key: inside.issuperset(able) for key, able in {id(u.able): u.able for u in case.units}.items()}
    weights = sorted((u.weight for u in case.units if bound[id(u.able)]), reverse=True)
    if not weights:
        return 0
    if name == "mean":
        unit = gcd(*(u.weight for u in case.units)) or 1
        return -(-sum(weights) // (len(inside) * unit)) * unit
    if name == "largest item":
        return weights[0]
    require(name == "pigeonhole" and type(k) is int and k > 0, f"no bound {name!r}")
    # Of the first k * members + 1 some member has k + 1, and those weigh no less than the last k + 1.
    require(len(weights) > k * len(inside), "too few items for the pigeonhole")
    return sum(weights[k * len(inside) - k : k * len(inside) + 1])


def _check_moves(case: _Case, moves: Any) -> None:
    """Prices prove the moves: what each unit costs at its cheapest, less what the prices can bring in."""
    prices = whole_prices(moves["prices"], len(case.ids))
    low, top = whole(moves["low"]), whole(moves["top"])
    total = -sum(max(low * price, top * price) for price in prices)
    # Where nobody had a part of the unit only the price counts: the least is the same for a whole topic.
    cheapest: dict[int, int] = {}
    for unit in case.units:
        key = id(unit.able)
        if key not in cheapest:
            cheapest[key] = min(prices[m] for m in unit.able)
        away = SCALE * len(unit.had) + unit.weight * cheapest[key]
        homes = [SCALE * case.moved(unit, m) + unit.weight * prices[m] for m in set(unit.had)]
        total += min(away, *homes) if homes else away
    proven = max(0, -(-total // SCALE))
    require(whole(moves["moves"]) <= proven, f"the prices prove {proven} moves, not {moves['moves']}")


def _bundles(case: _Case, certificate: Any) -> str:
    loads = case.loads()
    upper, lower = sum(load * load for load in loads), certificate["lower"]
    require(certificate["upper"] == upper, f"the sum of squared loads is {upper}")
    dear = 1 + sum(whole(topic["partitions"]) for topic in certificate["instance"]["topics"])
    order = certificate["order"]
    orders = ("balance,movement,rack", "balance,rack,movement")
    require(order in orders, f"order {order!r}")
    move, mismatch = (dear, 1) if order == orders[0] else (1, dear)
    balance = dear * (dear + 1)
    prices = whole_prices(certificate["prices"], len(case.ids))
    payment = _lowest_payment(case, prices, move, mismatch, balance)
    grain = whole(certificate["grain"])
    proven = max(0, payment // balance, _grain_squares(case, grain) if grain else 0)
    require(whole(lower) <= proven, f"a sum of squares of {proven} is proven, not {lower}")
    moves = certificate["moves"]
    require(whole(moves["low"]) <= min(loads) and max(loads) <= whole(moves["top"]), "loads out of range")
    for outside in (moves["low"] - 1, moves["top"] + 1):
        require(not _can_carry(outside, loads, upper), f"a member could carry {outside} and balance as well")
    _check_moves(case, moves)
    verdict = _verdict(lower, upper, f"multiples of {grain}" if grain else "the prices")
    paid = balance * upper + sum(
        move * case.moved(u, u.owner) + mismatch * case.mismatch(u, u.owner) for u in case.units
    )
    return verdict + ("; nothing moves less or mismatches less" if paid == payment else "")


def _lowest_payment(case: _Case, prices: list[int], move: int, mismatch: int, balance: int) -> int:
    """What any packing pays at least: moves, mismatches and `balance` times the squared loads."""
    total = 0
    alike: dict[Any, int] = {}
    for unit in case.units:
        key = (id(unit.able), *unit.had, *unit.racks)
        if key not in alike:
            alike[key] = min(
                move * case.moved(unit, m) + mismatch * case.mismatch(unit, m) + unit.size * prices[m]
                for m in unit.able
            )
        total += alike[key]
    for price in prices:
        vertex = max(0, price // (2 * balance))
        total += min(balance * x * x - price * x for x in (vertex, vertex + 1))
    return total


def _grain_squares(case: _Case, grain: int) -> int:
    """The least sum of squares where only members with an odd unit carry no multiple of `grain`."""
    total, members = sum(u.size for u in case.units), len(case.ids)
    odd = min(members, sum(u.size % grain > 0 for u in case.units))
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
    """Whether a member with this load leaves a sum of squares as good as it is."""
    if load < 0 or load > sum(loads) or (len(loads) == 1 and load != sum(loads)):
        return False
    return load * load + _evenly(sum(loads) - load, len(loads) - 1) <= squares


def _verdict(lower: int, upper: int, bound: str) -> str:
    return f"optimal: {upper} by {bound}" if lower == upper else f"interval: {lower} to {upper} by {bound}"
