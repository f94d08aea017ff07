"""Every item picks some places, each place has a convex cost for its count: the exact cheapest picks.

The items are partitions that pick brokers (replicas, or the one leader) or tasks that pick clients. The picks
of an item are the bases of a matroid (a number of distinct places, between a least and a largest number in
each rack), so the reachable count vectors are an M-convex set and the cost of a count vector is an M-convex
function (Murota, Discrete Convex Analysis, chapter 6). Such a function has no local minimum but the global
one, "local" meaning one unit moved from one place to another. The cheapest way to move a unit is a shortest
path in the exchange graph: its nodes are the places, and its arc a -> b is the cheapest item that can pick b
instead of a.

Items are bits of Python integers, so a few word-parallel ANDs find an arc whatever the number of items, and
the graph has one node for each place.
Cost: O(places^2 * (items / 64 + log places)) for each unit moved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from operator import gt, lt, or_

Marginal = Callable[[int, int], int]
"""(place, count) -> the cost of the place's next unit when it holds `count`; not decreasing in count."""

Change = tuple[int, int, int]
"""(item, a, b): the item picks place b instead of a."""
Allowed = Callable[[Sequence[Change]], bool]
"""Whether a move with these changes is allowed; if it is, the move is made."""


@dataclass(frozen=True)
class Rules:
    """The rules that each item's picks must obey; `racks` is `None` when racks do not matter.

    `may[b]` has the bits of the items that may pick place b. `prices` are the distinct costs of a pick and
    `priced[k][b]` the items for which place b costs `prices[k]`. `racks[b]` is the rack of place b,
    `least[i]` and `most[i]` how many picks of item i a rack may hold.
    """

    may: Sequence[int]
    prices: Sequence[int]
    priced: Sequence[Sequence[int]]
    racks: Sequence[int] | None = None
    least: Sequence[int] = ()
    most: Sequence[int] = ()


@dataclass
class Exchange:
    """The picks of all items, kept cheapest for their count vector while units move.

    The picks given at the start must be cheapest item by item; `descend` keeps the invariant that the
    exchange graph has no negative cycle. After the deadline, one of `time.monotonic`, nothing more happens
    and the graph is `late`: its picks are valid, but neither cheapest nor usable for prices.
    """

    rules: Rules
    picks: list[set[int]]
    deadline: float | None = None
    counts: list[int] = field(init=False)
    late: bool = False

    def __post_init__(self) -> None:
        places = len(self.rules.may)
        self.counts = [0] * places
        for chosen in self.picks:
            for place in chosen:
                self.counts[place] += 1
        self.arcs: list[dict[int, tuple[int, int]]] = [{} for _ in range(places)]
        if self._spent():
            return
        self.held = masks(places, self.picks)
        self.above, self.below = self._rack_masks()
        for a in range(places):
            if self._spent():
                return
            for b in range(places):
                self._find_arc(a, b)

    def _spent(self) -> bool:
        """Whether the time is spent, which makes the graph `late`."""
        self.late = self.late or (self.deadline is not None and time.monotonic() > self.deadline)
        return self.late

    def _rack_masks(self) -> tuple[list[int], list[int]]:
        """For each rack the items that could hold one pick fewer there, and those that could one more."""
        rules = self.rules
        if rules.racks is None:
            return [], []
        number = max(rules.racks) + 1
        held = []
        for chosen in self.picks:
            row = [0] * number
            for place in chosen:
                row[rules.racks[place]] += 1
            held.append(row)

        def those(compare: Callable[[int, int], bool], limits: Sequence[int]) -> list[int]:
            racks = range(number)
            return masks(
                number,
                (
                    [rack for rack in racks if compare(row[rack], limit)]
                    for row, limit in zip(held, limits, strict=True)
                ),
            )

        return those(gt, rules.least), those(lt, rules.most)

    def _mark_racks(self, item: int) -> None:
        """Record the racks in which the item could hold one pick fewer, and those in which one more."""
        racks = self.rules.racks
        if racks is None:
            return
        held = [0] * len(self.above)
        for place in self.picks[item]:
            held[racks[place]] += 1
        bit = 1 << item
        least, most = self.rules.least[item], self.rules.most[item]
        for rack, count in enumerate(held):
            self.above[rack] = self.above[rack] | bit if count > least else self.above[rack] & ~bit
            self.below[rack] = self.below[rack] | bit if count < most else self.below[rack] & ~bit

    def _find_arc(self, a: int, b: int) -> None:
        """Set the arc a -> b to its cost and its items, or remove it if no item can use it."""
        rules = self.rules
        able = self.held[a] & rules.may[b] & ~self.held[b] if a != b else 0
        if able and rules.racks is not None and rules.racks[a] != rules.racks[b]:
            able &= self.above[rules.racks[a]] & self.below[rules.racks[b]]
        self.arcs[a].pop(b, None)
        if not able:
            return
        best: tuple[int, int] | None = None
        for price_a, priced_a in zip(rules.prices, rules.priced, strict=True):
            leaving = able & priced_a[a]
            if not leaving:
                continue
            for price_b, priced_b in zip(rules.prices, rules.priced, strict=True):
                if best is not None and price_b - price_a >= best[0]:
                    continue
                moving = leaving & priced_b[b]
                if moving:
                    best = (price_b - price_a, moving)
        if best is not None:
            self.arcs[a][b] = best

    def descend(self, marginal: Marginal, allowed: Allowed | None = None) -> bool:
        """Move units until no move makes picks plus place costs cheaper, or until the deadline.

        Stops before the first move that is not `allowed`, and returns whether all moves were allowed.
        """
        while not self._spent() and (path := self._best_path(marginal)) is not None:
            changes = self._changes(path)
            if allowed is not None and not allowed(changes):
                return False
            self._hand_over(path, changes)
        return True

    def prices(self, marginal: Marginal) -> tuple[int, ...]:
        """The dual solution: a price for a pick at each place, so that no item gains by a change.

        With d(b) the cheapest way of moving a unit to b, d(b) <= d(a) + cost(a -> b), so with prices -d no
        item gains by an exchange; and -d(b) lies between the cost of b's last unit and that of its next one,
        or a move would still pay.
        """
        scale = len(self.counts) + 1
        distances = [None if d is None else d // scale for d in self._search(marginal)[0]]
        highest = max((d for d in distances if d is not None), default=0)
        return tuple(
            -d if d is not None else -max(highest, -marginal(place, 0)) for place, d in enumerate(distances)
        )

    def _search(self, marginal: Marginal) -> tuple[list[int | None], list[int]]:
        """Distances scaled by places + 1 with the number of arcs added, and each place's predecessor.

        Of the cheapest paths the one with the fewest arcs is needed: only its exchanges may be made together
        (the unique-matching lemma of weighted matroid intersection).
        """
        places = len(self.counts)
        scale = places + 1
        distances: list[int | None] = [None] * places
        before = [-1] * places
        heap: list[tuple[int, int]] = []
        for a, count in enumerate(self.counts):
            if count:
                distances[a] = start = -marginal(a, count - 1) * scale
                heappush(heap, (start, a))
        while heap:
            distance, a = heappop(heap)
            if distance != distances[a]:
                continue
            for b, (cost, _) in self.arcs[a].items():
                through = distance + cost * scale + 1
                current = distances[b]
                if current is None or through < current:
                    distances[b] = through
                    before[b] = a
                    heappush(heap, (through, b))
        return distances, before

    def _best_path(self, marginal: Marginal) -> list[int] | None:
        """The places of the cheapest move, or None if no move pays."""
        scale = len(self.counts) + 1
        distances, before = self._search(marginal)
        best: tuple[int, int] | None = None
        for b, distance in enumerate(distances):
            if distance is not None and before[b] >= 0:
                total = distance + marginal(b, self.counts[b]) * scale
                # total // scale is the cost without the arcs, of which there are fewer than places + 1.
                if total // scale < 0 and (best is None or total < best[0]):
                    best = (total, b)
        if best is None:
            return None
        path = [best[1]]
        while before[path[-1]] >= 0:
            path.append(before[path[-1]])
        return path[::-1]

    def _changes(self, path: list[int]) -> list[Change]:
        """The exchanges along the path."""
        return [(_lowest_bit(self.arcs[a][b][1]), a, b) for a, b in pairwise(path)]

    def _hand_over(self, path: list[int], changes: Iterable[Change]) -> None:
        """Exchange along the path: its first place loses a unit, its last gains one."""
        touched: set[int] = set()
        for item, a, b in changes:
            self.picks[item].remove(a)
            self.picks[item].add(b)
            self.held[a] ^= 1 << item
            self.held[b] ^= 1 << item
            touched.add(item)
        self.counts[path[0]] -= 1
        self.counts[path[-1]] += 1
        stale_racks = self._remark(touched)
        for a, b in self._stale(path, stale_racks):
            self._find_arc(a, b)

    def _remark(self, touched: set[int]) -> set[int]:
        before = (list(self.above), list(self.below))
        for item in touched:
            self._mark_racks(item)
        return {
            rack
            for rack in range(len(self.above))
            if self.above[rack] != before[0][rack] or self.below[rack] != before[1][rack]
        }

    def _stale(self, path: list[int], stale_racks: set[int]) -> Iterator[tuple[int, int]]:
        """The arcs that an exchange along the path may have changed."""
        places = range(len(self.counts))
        changed = set(path)
        racks = self.rules.racks
        if racks is not None and stale_racks:
            changed.update(place for place in places if racks[place] in stale_racks)
        for a in places:
            if a in changed:
                yield from ((a, b) for b in places)
            else:
                yield from ((a, b) for b in changed)

    def reachable(self, start: Sequence[int]) -> set[int]:
        """The places to which a unit can move from `start`, at whatever cost; `start` included."""
        places, waiting = set(start), list(start)
        while waiting:
            for b in self.arcs[waiting.pop()]:
                if b not in places:
                    places.add(b)
                    waiting.append(b)
        return places

    def reaching(self, goal: Sequence[int]) -> set[int]:
        """The places from which a unit can move to `goal`, at whatever cost; `goal` included."""
        places = set(goal)
        grown = True
        while grown:
            more = {a for a, arcs in enumerate(self.arcs) if a not in places and not places.isdisjoint(arcs)}
            places |= more
            grown = bool(more)
        return places


def _lowest_bit(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


Prices = Mapping[int, int | None]
"""What an item pays for a pick at each of some places; None where it may not pick."""


def cheapest(
    places: int,
    prices: Sequence[Prices],
    picks: int,
    marginal: Marginal,
    deadline: float | None = None,
    elsewhere: Sequence[int | None] | None = None,
    start: list[set[int]] | None = None,
) -> Exchange:
    """The exchange graph after the descent, where each item has prices for the places that it may pick.

    `elsewhere` is the item's cost of a pick at any place without a price of its own. Every item makes the
    given number of picks, racks ignored. The descent begins at `start`, which must be cheapest for its
    counts; unless given, at each item's own cheapest picks.
    """
    others = elsewhere or (None,) * len(prices)
    if start is None:
        start = _least_of_each(places, prices, others, picks, marginal)
    if deadline is not None and time.monotonic() > deadline:
        return Exchange(Rules((0,) * places, (), ()), start, deadline)
    graph = Exchange(_rules(places, prices, others), start, deadline)
    graph.descend(marginal)
    return graph


def _least_of_each(
    places: int, prices: Sequence[Prices], elsewhere: Sequence[int | None], picks: int, marginal: Marginal
) -> list[set[int]]:
    """Each item's cheapest picks, one item after another; of equal places those most below their share."""
    counts = [0] * places
    # Costs of places only rise, so an outdated entry at the top of the heap is corrected when it is met.
    heap = [(marginal(place, 0), place) for place in range(places)] if _any_price(elsewhere) else []
    heapify(heap)
    start = []
    for row, other in zip(prices, elsewhere, strict=True):
        order = sorted([(p, marginal(b, counts[b]), b) for b, p in row.items() if p is not None])
        if other is not None and (len(order) < picks or order[picks - 1][0] >= other):
            near: list[tuple[int, int]] = []
            free = 0
            while heap and free < picks:
                place = heap[0][1]
                now = marginal(place, counts[place])
                if now != heap[0][0]:
                    heapreplace(heap, (now, place))
                    continue
                near.append(heappop(heap))
                free += place not in row
            order = sorted([*order, *((other, now, b) for now, b in near if b not in row)])
            for each in near:
                heappush(heap, each)
        chosen = {place for _, _, place in order[:picks]}
        for place in chosen:
            counts[place] += 1
        start.append(chosen)
    return start


def _any_price(elsewhere: Iterable[int | None]) -> bool:
    """Whether some item may pick a place without a price of its own."""
    return any(price is not None for price in elsewhere)


def _rules(places: int, prices: Sequence[Prices], elsewhere: Sequence[int | None]) -> Rules:
    """The rules of items with these prices."""
    named = [price for row in prices for price in row.values()]
    levels = sorted({price for price in [*named, *elsewhere] if price is not None})
    own_prices = masks(places, prices)
    priced = []
    for level in levels:
        own = masks(places, ([place for place, price in row.items() if price == level] for row in prices))
        (items,) = masks(1, ((0,) if price == level else () for price in elsewhere))
        priced.append([mask | items & ~other for mask, other in zip(own, own_prices, strict=True)])
    may = [reduce(or_, [of_level[place] for of_level in priced], 0) for place in range(places)]
    return Rules(may, levels, priced)


def masks(places: int, sets: Iterable[Iterable[int]]) -> list[int]:
    """For each place the bits of the sets that it is in."""
    digits = [bytearray() for _ in range(places)]
    length = 0
    for item, chosen in enumerate(sets):
        length = item // 8 + 1
        for place in chosen:
            digit = digits[place]
            if len(digit) < length:
                digit.extend(bytes(length - len(digit)))
            digit[-1] |= 1 << (item % 8)
    return [int.from_bytes(digit, "little") for digit in digits]
