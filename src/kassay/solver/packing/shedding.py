"""Few moves under a limit: who carries too much gives items away, all others keep what they have."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import PackingSearch, at_home, longest_first


def shed(packing: Packing, limit: int, deadline: float) -> list[int]:
    """A packing near home that keeps the limit where that was found possible.

    Overfull members part with what weighs most for its moves, then the lightest items of that number that
    do; those and what nobody had go to the lightest members. Where that leaves somebody above the limit
    pairs part their items anew.
    """
    placed = at_home(packing)
    held: list[list[int]] = [[] for _ in range(packing.members)]
    for i, member in enumerate(placed):
        if member is not None:
            held[member].append(i)
    for member, items in enumerate(held):
        for i in _leaving(packing, items, member, limit):
            placed[i] = None
    search = PackingSearch(packing, longest_first(packing, placed))
    search.relieve(limit, deadline)
    search.go_home(max(limit, search.heaviest()), deadline)
    return search.owner


def _leaving(packing: Packing, items: Sequence[int], member: int, limit: int) -> list[int]:
    """Items that a member gives away to keep the limit."""
    weights = packing.weights
    excess = sum(weights[i] for i in items) - limit
    if excess <= 0:
        return []

    def saved(i: int) -> int:
        return next(cost for owner, cost in packing.items[i].stays if owner == member)

    # Ratios that differ do so by at least 1 / scale: so many times them, rounded down, are in their order.
    scale = max(weights[i] for i in items) ** 2
    ranked = sorted(items, key=lambda i: (saved(i) * scale // (weights[i] or 1), -weights[i], i))
    chosen: list[int] = []
    weight = 0
    for i in (i for i in ranked if weights[i]):
        if weight >= excess:
            break
        chosen.append(i)
        weight += weights[i]
    # The last ones may be more than is needed: each gives way to a lighter one that is no dearer.
    spare = sorted(set(items) - set(chosen), key=lambda i: (weights[i], saved(i), i))
    for turn, i in enumerate(chosen):
        need = excess - weight + weights[i]
        if need <= 0:
            continue
        other = next((j for j in spare if need <= weights[j] < weights[i] and saved(j) <= saved(i)), None)
        if other is not None:
            chosen[turn] = other
            spare[spare.index(other)] = i
            spare.sort(key=lambda j: (weights[j], saved(j), j))
            weight += weights[other] - weights[i]
    return [i for turn, i in enumerate(chosen) if not _needless(weights, chosen, turn, weight - excess)]


def _needless(weights: Sequence[int], chosen: Sequence[int], turn: int, over: int) -> bool:
    """Whether an item can stay after all; one of them at the most, the first that can."""
    return weights[chosen[turn]] <= over and all(weights[i] > over for i in chosen[:turn])
