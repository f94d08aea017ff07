"""The units that go to one owner as a whole, their owners, and a lower bound on moves.

The checkers of weighted partitions and of uneven bundles share this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final, NamedTuple

from kassay.solver.check.balance import Topic
from kassay.solver.check.consumers import Rows, dense
from kassay.solver.check.refusal import Document, Shape, one_price_each, require
from kassay.solver.check.shapes import COUNT, WHOLE, record, rows

SCALE: Final = 10**8
"""The prices of the moves are in units of 1 / SCALE moves."""
MOVES: Final[Shape] = record({"low": COUNT, "top": COUNT, "moves": COUNT, "prices": rows(WHOLE)})
"""A bound on the moves of all packings in which every member carries `low` to `top`."""


class Unit(NamedTuple):
    """What goes to one owner as a whole: its weight and size, possible, previous and new owners.

    `costs` has the cost of its moves from each previous owner of a part of it.
    """

    weight: int
    size: int
    able: dict[int, None]
    had: list[int]
    racks: list[frozenset[str]]
    owner: int
    costs: list[int]


class PackedUnits(NamedTuple):
    """A packing: the members' ids and racks, and the units with their owners."""

    ids: list[str]
    racks: list[str | None]
    units: list[Unit]

    def loads(self) -> list[int]:
        """The weight on each member."""
        weights = [0] * len(self.ids)
        for unit in self.units:
            weights[unit.owner] += unit.weight
        return weights

    def counts(self) -> list[int]:
        """The partitions of each member."""
        counts = [0] * len(self.ids)
        for unit in self.units:
            counts[unit.owner] += unit.size
        return counts

    def moved(self, unit: Unit, member: int) -> int:
        """How many of the unit's partitions change their owner if the member takes it."""
        return len(unit.had) - unit.had.count(member)

    def mismatch(self, unit: Unit, member: int) -> int:
        """How many of the unit's partitions are then outside the racks of their replicas."""
        if not unit.racks:
            return 0
        return sum([self.racks[member] not in racks for racks in unit.racks])

    def least_mismatch(self) -> int:
        """How many partitions are outside the racks of their replicas in any packing."""
        of_able: dict[int, set[str | None]] = {}
        for unit in self.units:
            if id(unit.able) not in of_able:
                of_able[id(unit.able)] = {self.racks[m] for m in unit.able}
        kinds = Counter((id(unit.able), tuple(unit.racks)) for unit in self.units if unit.racks)
        return sum(
            number * min(sum(rack not in known for known in racks) for rack in of_able[able])
            for (able, racks), number in kinds.items()
        )


def read_packing(form: Document, certificate: Document, weighted: bool) -> PackedUnits:
    """The packing of a certificate; raises `RefusedError` for an invalid one, and for false figures."""
    instance, owners = dense(form, certificate["assignment"])
    by_name = {topic.name: topic for topic in instance.topics}
    bound = {name for names in instance.copartition for name in names}
    units: list[Unit] = []
    for names in (*instance.copartition, *((name,) for name in by_name if name not in bound)):
        readers = [
            [m for m, member in enumerate(instance.members) if name in member.topics] for name in names
        ]
        require(all(other == readers[0] for other in readers), f"{names[0]}'s bundle has different readers")
        bundle = [by_name[name] for name in names]
        counts = {topic.partitions for topic in bundle}
        require(len(counts) == 1, f"{names[0]}'s bundle has different counts")
        able = dict.fromkeys(readers[0])
        units += _units(bundle, able, instance.previous, owners, weighted)
    packed = PackedUnits([m.member_id for m in instance.members], [m.rack for m in instance.members], units)
    moved = sum([packed.moved(unit, unit.owner) for unit in units])
    mismatch = sum([packed.mismatch(unit, unit.owner) for unit in units])
    require(certificate["moved"] == moved, f"{moved} partitions moved, not {certificate['moved']}")
    require(
        certificate["rack_mismatch"] == mismatch,
        f"{mismatch} rack mismatches, not {certificate['rack_mismatch']}",
    )
    return packed


def _units(
    bundle: Sequence[Topic], able: dict[int, None], previous: Rows, owners: Rows, weighted: bool
) -> Iterable[Unit]:
    """The units of a bundle: the partitions of one number each. All is computed column by column."""
    name, count, held = bundle[0].name, bundle[0].partitions, [owners[topic.name] for topic in bundle]
    apart = next((p for p in range(count) if len({row[p] for row in held}) > 1), None) if held[1:] else None
    require(apart is None, f"{name}-{apart} and what goes with it have different owners")
    astray = next((p for p, member in enumerate(held[0]) if member not in able), None)
    require(astray is None, f"{name}-{astray} is not with a member that reads it")
    weights = [(1,) * count if t.weights is None or not weighted else t.weights for t in bundle]
    had, costs = _history(bundle, able, previous)
    return map(
        Unit,
        map(sum, zip(*weights, strict=True)),
        repeat(len(bundle)),
        repeat(able),
        had,
        _racks(bundle),
        held[0],
        costs,
    )


def _history(
    bundle: Sequence[Topic], able: dict[int, None], previous: Rows
) -> tuple[list[list[int]], list[list[int]]]:
    """For each unit its previous owners that may keep a part of it, and the cost if each loses it."""
    costs = [(1,) * t.partitions if t.move_costs is None else t.move_costs for t in bundle]
    if len(bundle) == 1:
        none: list[int] = []
        alone = {m: [m] for m in able}
        had = [alone.get(m, none) for m in previous[bundle[0].name]]
        return had, [[cost] if of else none for of, cost in zip(had, costs[0], strict=True)]
    before = list(zip(*(previous[topic.name] for topic in bundle), strict=True))
    had = [[m for m in row if m in able] for row in before]
    paid = [
        [cost for m, cost in zip(row, of, strict=True) if m in able]
        for row, of in zip(before, zip(*costs, strict=True), strict=True)
    ]
    return had, paid


def _racks(bundle: Sequence[Topic]) -> Iterable[list[frozenset[str]]]:
    """For each unit the racks of the replicas of those of its partitions where they are known."""
    known = [topic.racks for topic in bundle if topic.racks is not None]
    if not known:
        return repeat([])
    return ([racks for racks in row if racks] for row in zip(*known, strict=True))


def check_moves(packed: PackedUnits, moves: Document) -> None:
    """Check that prices prove the moves: each unit's cheapest cost, less the most that prices collect."""
    prices = one_price_each(moves["prices"], len(packed.ids))
    low, top = moves["low"], moves["top"]
    total = -sum(max(low * price, top * price) for price in prices)
    # Without a previous owner of any part of the unit only the price counts: one minimum serves a whole
    # topic.
    cheapest: dict[int, int] = {}
    for unit in packed.units:
        key = id(unit.able)
        if key not in cheapest:
            cheapest[key] = min(prices[m] for m in unit.able)
        away = SCALE * len(unit.had) + unit.weight * cheapest[key]
        homes = [SCALE * packed.moved(unit, m) + unit.weight * prices[m] for m in set(unit.had)]
        total += min(away, *homes) if homes else away
    proven = max(0, -(-total // SCALE))
    require(moves["moves"] <= proven, f"the prices prove {proven} moves, not {moves['moves']}")
