"""Few moves under a limit: overfull members pass items on, all others keep theirs."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import PackingSearch, at_home, longest_first


def shed(packing: Packing, limit: int, deadline: float) -> list[int]:
    """A packing near the previous owners that keeps the limit where possible.

    Overfull members first choose the items with the most weight for their moves, then the lightest sufficient
    items of that number; those and items without a previous owner go to the lightest members. If a member is
    still above the limit, pairs split their items again.
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
    """Items that a member passes on to keep the limit."""
    weights = packing.weights
    excess = sum(weights[i] for i in items) - limit
    if excess <= 0:
        return []

    def saved(i: int) -> int:
        return next(cost for owner, cost in packing.items[i].stays if owner == member)

    # Different ratios differ by at least 1 / scale: multiplied by scale and rounded down, they keep their
    # order.
    scale = max(weights[i] for i in items) ** 2
    ranked = sorted(items, key=lambda i: (saved(i) * scale // (weights[i] or 1), -weights[i], i))
    chosen: list[int] = []
    weight = 0
    for i in (i for i in ranked if weights[i]):
        if weight >= excess:
            break
        chosen.append(i)
        weight += weights[i]
    # The last ones may be more than needed: each is replaced by a lighter one that costs no more.
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
    """Whether an item can stay after all; at most one of them, the first that can."""
    return weights[chosen[turn]] <= over and all(weights[i] > over for i in chosen[:turn])
