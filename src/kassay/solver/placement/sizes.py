"""Balance of bytes within the optimum of the higher goals, and a lower bound for any placement.

Exchanges of two replicas between two brokers keep every broker's number of replicas; those that keep the rack
rule and make no additional copy are made, the largest relief of the heaviest broker first, until none is left
that reduces the squared bytes. That is a local optimum without a proof, but there is a bound: each rack must
hold certain replicas of each partition in any placement, and its brokers share them at best evenly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from kassay.solver.placement.optimum import PlacementOptimum, with_leaders
from kassay.solver.placement.problem import PlacementProblem

_NEAR: Final = 4
"""The number of partitions that are tried on either side of the best size."""
_SWEEPS_MAX: Final = 40
_CLOSE: Final = 250
"""Two brokers whose difference is below this part of the mean are not exchanged."""
Picks = list[set[int]]
"""The positions of the brokers of each partition."""


def evened(best: PlacementOptimum, sizes: Sequence[int]) -> PlacementOptimum:
    """The placement with bytes balanced, and the best leaders for it; the same proof holds for it.

    The proof of replicas and copies uses their numbers alone, which do not change.
    """
    index = {broker.id: place for place, broker in enumerate(best.problem.brokers)}
    picks = [{index[id_] for id_ in row} for row in best.rows]
    return with_leaders(
        best.problem, even_sizes(best.problem, picks, sizes), best.prices, best.witness, late=best.late
    )


def even_sizes(problem: PlacementProblem, picks: Sequence[set[int]], sizes: Sequence[int]) -> Picks:
    """The replicas with bytes balanced, with the same number on each broker and of copies.

    `picks` and `sizes` (of a copy, in bytes) are by partition, in the problem's order.
    """
    evening = _Evening(problem, picks, sizes)
    for _ in range(_SWEEPS_MAX):
        if not evening.sweep():
            break
    return evening.picks


def least_busiest(problem: PlacementProblem, sizes: Sequence[int]) -> int:
    """The least bytes of the busiest broker in any placement that keeps the rack rule."""
    partitions = list(zip(problem.partitions(), sizes, strict=True))
    every = sum(rf * size for (_, rf, _), size in partitions)
    bounds = [-(-every // len(problem.brokers)), *(size for (_, rf, _), size in partitions if rf)]
    if problem.racks is not None:
        members = Counter(problem.racks)
        for rack, brokers in members.items():
            others = [count for other, count in members.items() if other != rack]
            held = 0
            for (_, rf, _), size in partitions:
                spread = problem.spread(rf)
                elsewhere = sum(min(count, spread.most) for count in others)
                held += size * max(spread.least, rf - elsewhere)
            bounds.append(-(-held // brokers))
    return max(bounds, default=0)


class _Evening:
    """Replicas on their way to balanced bytes."""

    def __init__(self, problem: PlacementProblem, picks: Sequence[set[int]], sizes: Sequence[int]) -> None:
        placed = problem.partitions()
        index = {broker.id: place for place, broker in enumerate(problem.brokers)}
        self.picks: Picks = [set(picked) for picked in picks]
        self.sizes = sizes
        self.old = [frozenset(index[id_] for id_ in row if id_ in index) for _, _, row in placed]
        self.racks = problem.racks or (0,) * len(problem.brokers)
        self.spreads = [problem.spread(rf) for _, rf, _ in placed]
        self.cordoned = [broker.cordoned for broker in problem.brokers]
        self.held: list[set[int]] = [set() for _ in problem.brokers]
        for item, picked in enumerate(self.picks):
            for place in picked:
                self.held[place].add(item)
        self.bytes = [sum(sizes[item] for item in items) for items in self.held]

    def sweep(self) -> bool:
        """Exchange between all pairs of brokers, the furthest apart first; whether any exchange was made."""
        order = sorted(range(len(self.bytes)), key=lambda place: self.bytes[place])
        pairs = sorted(product(order, repeat=2), key=lambda pair: self.bytes[pair[1]] - self.bytes[pair[0]])
        changed, close = False, sum(self.bytes) // len(self.bytes) // _CLOSE
        for heavy, light in pairs:
            while self.bytes[heavy] - self.bytes[light] > close and self._exchange(heavy, light):
                changed = True
        return changed

    def _exchange(self, heavy: int, light: int) -> bool:
        """Make the exchange of the two brokers that balances the most; whether there was one."""
        apart = self.bytes[heavy] - self.bytes[light]
        waiting = self._by_copies(light, heavy)
        best: tuple[int, int, int] | None = None
        for item in sorted(self.held[heavy] - self.held[light]):
            if not self._may_go(item, heavy, light):
                continue
            copies = (light not in self.old[item]) - (heavy not in self.old[item])
            for back, others in waiting.items():
                if copies + back > 0:
                    continue
                for other in self._near(others, self.sizes[item] - apart / 2):
                    moved = self.sizes[item] - self.sizes[other]
                    gain = moved * (apart - moved)
                    if gain > 0 and (best is None or gain > best[0]):
                        best = gain, item, other
        if best is None:
            return False
        _, item, other = best
        self._move(item, heavy, light)
        self._move(other, light, heavy)
        return True

    def _by_copies(self, source: int, target: int) -> Mapping[int, list[int]]:
        """The replicas that may move from one broker to the other, by additional copies, sizes ascending."""
        waiting: dict[int, list[int]] = {}
        for item in sorted(self.held[source] - self.held[target], key=lambda item: (self.sizes[item], item)):
            if self._may_go(item, source, target):
                more = (target not in self.old[item]) - (source not in self.old[item])
                waiting.setdefault(more, []).append(item)
        return waiting

    def _near(self, items: Sequence[int], size: float) -> Iterator[int]:
        at = bisect_left(items, size, key=lambda item: self.sizes[item])
        yield from items[max(0, at - _NEAR) : at + _NEAR]

    def _may_go(self, item: int, source: int, target: int) -> bool:
        """Whether the replica may move there: that broker takes new ones, and the rack rule holds."""
        if self.cordoned[target] and target not in self.old[item]:
            return False
        rack, other = self.racks[source], self.racks[target]
        if rack == other:
            return True
        counts = Counter(self.racks[place] for place in self.picks[item])
        spread = self.spreads[item]
        return counts[rack] > spread.least and counts[other] < spread.most

    def _move(self, item: int, source: int, target: int) -> None:
        self.picks[item] ^= {source, target}
        self.held[source].discard(item)
        self.held[target].add(item)
        self.bytes[source] -= self.sizes[item]
        self.bytes[target] += self.sizes[item]
