"""A search that improves a packing: pairs of members that split their items again.

A heavy member and another pool their items and split them by exact subset sums; where those would take too
long, some items of each sort take part, or single moves and swaps are used. No promise of an optimum: the
steps of `bounds` say how far off the result can be. Source of the first pass: Graham 1969, the longest-
processing-time rule.

*Subset sums*: two members put their items together and split them again, the exact best.
A set of sums is the bits of one integer, one such set a number of moves, so a new item costs as many
shifts as there are numbers of moves. Great weights and long lists are refused: `Shares` says so.

`shed` reaches a limit with few moves: members above it give items away, all others keep what they have.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heapreplace
from typing import Final, NamedTuple

from kassay.solver.packing.items import Packing

_WORK_MOST: Final = 1 << 26
_OF_EACH: Final = (8, 5, 3, 2, 1)


class Piece(NamedTuple):
    """An item that either member may take, with the cost of a move to each."""

    item: int
    weight: int
    first: int
    second: int


def too_much(pieces: Sequence[Piece]) -> bool:
    """Whether the sums would take too long."""
    moves = 1 + sum(abs(piece.first - piece.second) for piece in pieces)
    return len(pieces) * moves * (64 + sum(piece.weight for piece in pieces)) > _WORK_MOST


def few_of_each(pieces: Sequence[Piece], owner: Sequence[int]) -> Sequence[Piece]:
    """The pieces, or if their sums would take too long as many of each sort as do not; none if that is none.

    Pieces of a sort have one weight, one owner and the same costs; the first of them are taken.
    """
    for most in _OF_EACH if too_much(pieces) else (len(pieces),):
        counts: Counter[tuple[int, int, int, int]] = Counter()
        few = []
        for piece in pieces:
            sort = (owner[piece.item], *piece[1:])
            counts[sort] += 1
            if counts[sort] <= most:
                few.append(piece)
        if not too_much(few):
            return few
    return ()


class Shares:
    """All sums that the first of two members can get, by the number of moves."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.steps: list[list[int]] = [[1]]
        for piece in pieces:
            dearer = piece.first - piece.second
            with_, without = max(dearer, 0), max(-dearer, 0)
            old = self.steps[-1]
            new = [0] * (len(old) + abs(dearer))
            for moves, sums in enumerate(old):
                new[moves + with_] |= sums << piece.weight
                new[moves + without] |= sums
            self.steps.append(new)

    def fewest(self, least: int, most: int) -> tuple[int, int] | None:
        """(moves, sum) with the fewest moves for a sum from `least` to `most`, nearest their middle."""
        for moves, sums in enumerate(self.steps[-1]):
            total = nearest(sums, least, most, (least + most) // 2)
            if total is not None:
                return moves, total
        return None

    def evenest(self, goal: int, least: int, most: int) -> tuple[int, int] | None:
        """(moves, sum) for the sum nearest to the goal, in range, with the fewest moves for it."""
        every = 0
        for sums in self.steps[-1]:
            every |= sums
        total = nearest(every, least, most, goal)
        if total is None:
            return None
        return next(moves for moves, sums in enumerate(self.steps[-1]) if sums >> total & 1), total

    def items_of(self, moves: int, total: int) -> set[int]:
        """The items of such a sum with this number of moves."""
        chosen = set()
        for piece, before in zip(reversed(self.pieces), reversed(self.steps[:-1])):
            dearer = piece.first - piece.second
            with_, without = max(dearer, 0), max(-dearer, 0)
            back = moves - without
            if 0 <= back < len(before) and before[back] >> total & 1:
                moves = back
            else:
                moves -= with_
                total -= piece.weight
                chosen.add(piece.item)
        return chosen


def nearest(sums: int, least: int, most: int, goal: int) -> int | None:
    """The sum in range that is nearest to the goal, the lesser of two; None if there is none."""
    least, most = max(least, 0), min(most, sums.bit_length() - 1)
    if least > most:
        return None
    sums = sums >> least & ((1 << (most - least + 1)) - 1)
    if not sums:
        return None
    at = min(max(goal - least, 0), most - least)
    below = (sums & ((2 << at) - 1)).bit_length() - 1
    above_bits = sums >> at
    above = at + (above_bits & -above_bits).bit_length() - 1 if above_bits else -1
    if below < 0 or (above >= 0 and above - at < at - below):
        return least + above
    return least + below


_SHAKES: Final = 300


def longest_first(packing: Packing, owner: Sequence[int | None] | None = None) -> list[int]:
    """Assign the items without an owner, heaviest first, each to the lightest member that may take it."""
    placed: list[int | None] = list(owner) if owner is not None else [None] * len(packing.items)
    loads = [0] * packing.members
    for item, member in zip(packing.items, placed, strict=True):
        if member is not None:
            loads[member] += item.weight
    order = sorted(range(len(placed)), key=lambda i: (-packing.weights[i], len(packing.items[i].able), i))
    # Loads only grow, so an outdated entry at the top of the heap is corrected when it is met.
    heaps = [[(loads[m], m) for m in able] for able in packing.sets]
    for heap in heaps:
        heapify(heap)
    given = [0] * len(placed)
    for i in order:
        member = placed[i]
        if member is None:
            heap = heaps[packing.set_of[i]]
            while heap[0][0] != loads[heap[0][1]]:
                heapreplace(heap, (loads[heap[0][1]], heap[0][1]))
            member = heap[0][1]
            loads[member] += packing.weights[i]
        given[i] = member
    return given


def at_home(packing: Packing) -> list[int | None]:
    """Each item with the previous owner that keeps most of it, None for items without one."""
    return [item.homes[0] if item.stays else None for item in packing.items]


class PackingSearch:
    """A packing under change."""

    def __init__(self, packing: Packing, owner: list[int]) -> None:
        self.packing = packing
        self.owner = list(owner)
        self.loads = packing.loads(owner)
        self.held: list[set[int]] = [set() for _ in range(packing.members)]
        for item, member in enumerate(owner):
            self.held[member].add(item)
        sets = [frozenset(able) for able in packing.sets]
        self.able = [sets[position] for position in packing.set_of]

    def heaviest(self) -> int:
        """The heaviest load."""
        return max(self.loads)

    def place(self, item: int, member: int) -> None:
        """Assign the item to the member."""
        old, weight = self.owner[item], self.packing.weights[item]
        self.held[old].remove(item)
        self.held[member].add(item)
        self.loads[old] -= weight
        self.loads[member] += weight
        self.owner[item] = member

    def pieces(self, first: int, second: int) -> list[Piece]:
        """The items of the two members that both may take."""
        items = self.packing.items
        return [
            Piece(i, items[i].weight, items[i].moved(first), items[i].moved(second))
            for i in sorted(self.held[first] | self.held[second])
            if first in self.able[i] and second in self.able[i]
        ]

    def relieve(self, enough: int, deadline: float) -> None:
        """Let the heaviest member split its items again with another, while that makes it lighter."""
        while (top := self.heaviest()) > enough:
            heavy = self.loads.index(top)
            others = sorted((m for m in range(len(self.loads)) if m != heavy), key=self.loads.__getitem__)
            for other in others:
                if time.monotonic() > deadline:
                    return
                if self._part(heavy, other, top, enough):
                    break
            else:
                break

    def _part(self, heavy: int, other: int, top: int, enough: int) -> bool:
        """Split the items of two members so that both end below `top`; whether that was possible."""
        total = self.loads[heavy] + self.loads[other]
        if total > 2 * (top - 1):
            return False
        every = self.pieces(heavy, other)
        pieces = few_of_each(every, self.owner)
        if not pieces:
            return self._swap(every, heavy, other, top)
        shares = Shares(pieces)
        fixed = self.loads[heavy] - sum(p.weight for p in pieces if self.owner[p.item] == heavy)
        share = shares.fewest(total - enough - fixed, enough - fixed)
        if share is None:
            share = shares.evenest(total // 2 - fixed, total - top + 1 - fixed, top - 1 - fixed)
        if share is None:
            return len(pieces) < len(every) and self._swap(every, heavy, other, top)
        self._share_out(pieces, shares.items_of(*share), heavy, other)
        return True

    def _share_out(self, pieces: Sequence[Piece], chosen: set[int], first: int, second: int) -> None:
        for piece in pieces:
            self.place(piece.item, first if piece.item in chosen else second)

    def _swap(self, pieces: Sequence[Piece], heavy: int, other: int, top: int) -> bool:
        """One move, or one exchange of two items, that leaves both members below `top`."""
        room = top - 1 - self.loads[other]
        giving = [p for p in pieces if self.owner[p.item] == heavy]
        taking = [p for p in pieces if self.owner[p.item] == other]
        for piece in sorted(giving, key=lambda p: (p.second - p.first, -p.weight, p.item)):
            if 0 < piece.weight <= room:
                self.place(piece.item, other)
                return True
        for piece in giving:
            for back in taking:
                if 0 < piece.weight - back.weight <= room:
                    self.place(piece.item, other)
                    self.place(back.item, heavy)
                    return True
        return False

    def even_out(self, deadline: float) -> None:
        """Let pairs split their items more evenly, the heaviest first, until no pair can."""
        stuck: set[tuple[int, int, int, int]] = set()
        changed = True
        while changed:
            changed = False
            ranked = sorted(range(len(self.loads)), key=lambda m: (-self.loads[m], m))
            for heavy in ranked:
                for other in reversed(ranked):
                    here, there = self.loads[heavy], self.loads[other]
                    if here - there <= 1:
                        break
                    pair = (heavy, here, other, there)
                    if pair in stuck:
                        continue
                    if time.monotonic() > deadline:
                        return
                    if self._part(heavy, other, here, -(-(here + there) // 2)):
                        changed = True
                        break
                    stuck.add(pair)
                if changed:
                    break

    def relieve_within(self, budget: int, deadline: float) -> None:
        """Let heavy members pass items to lighter ones, most relief a cost first, within the budget."""
        left = budget - self.packing.moved(self.owner)
        stuck: set[int] = set()
        while len(stuck) < len(self.loads) and time.monotonic() < deadline:
            heavy = max((m for m in range(len(self.loads)) if m not in stuck), key=self.loads.__getitem__)
            handover = self._relief(heavy, left)
            if handover is None:
                stuck.add(heavy)
                continue
            item, other, cost = handover
            self.place(item, other)
            left -= cost
            stuck.clear()

    def _relief(self, heavy: int, left: int) -> tuple[int, int, int] | None:
        """The item, the member and the cost of the move with the most relief for its cost."""
        top = self.loads[heavy]
        best: tuple[tuple[float, int], tuple[int, int, int]] | None = None
        for i in sorted(self.held[heavy]):
            weight, item = self.packing.weights[i], self.packing.items[i]
            for other in item.able:
                relief = min(weight, top - self.loads[other] - weight)
                cost = item.moved(other) - item.moved(heavy)
                if relief <= 0 or cost > left or other == heavy:
                    continue
                worth = (relief / cost if cost > 0 else float("inf"), relief)
                if best is None or worth > best[0]:
                    best = (worth, (i, other, cost))
        return best[1] if best is not None else None

    def shake(self, enough: int, deadline: float) -> None:
        """Let random pairs split their items at random, then relieve again; keep it if it is no worse."""
        rng = random.Random(len(self.owner))
        for _ in range(_SHAKES if len(self.loads) > 1 else 0):
            if self.heaviest() <= enough:
                break
            if time.monotonic() > deadline:
                return
            kept, value = list(self.owner), self._value()
            for _ in range(3):
                first, second = rng.sample(range(len(self.loads)), 2)
                for piece in self.pieces(first, second):
                    self.place(piece.item, rng.choice((first, second)))
            self.relieve(enough, deadline)
            if self._value() > value:
                for item, member in enumerate(kept):
                    if self.owner[item] != member:
                        self.place(item, member)

    def _value(self) -> tuple[int, int]:
        top = self.heaviest()
        return top, self.loads.count(top)

    def go_home(self, top: int | None, deadline: float) -> None:
        """Let pairs split again with cheaper moves until no pair can, no member heavier than `top`.

        Without a `top` neither of two members gets heavier than the heavier one was.
        """
        changed = True
        while changed:
            changed = False
            for first, second in self.astray():
                if time.monotonic() > deadline:
                    return
                most = max(self.loads[first], self.loads[second]) if top is None else top
                changed = self.fewer_moves(first, second, most) or changed

    def astray(self) -> list[tuple[int, int]]:
        """The pairs of members of which one has what the other would keep with fewer moves."""
        items = zip(self.packing.items, self.owner, strict=True)
        return sorted(
            {
                (min(member, home), max(member, home))
                for item, member in items
                if item.stays and member not in (homes := item.homes)
                for home in homes
            }
        )

    def fewer_moves(self, first: int, second: int, top: int) -> bool:
        """Split the items of two members with fewer moves, neither above `top`; whether that was possible."""
        every = self.pieces(first, second)
        pieces = few_of_each(every, self.owner)
        if not pieces:
            return self._walk_home(every, first, second, top)
        shares = Shares(pieces)
        inside = sum(p.weight for p in pieces if self.owner[p.item] == first)
        fixed = self.loads[first] - inside
        paid = sum(
            (p.first if self.owner[p.item] == first else p.second) - min(p.first, p.second) for p in pieces
        )
        share = shares.fewest(self.loads[first] + self.loads[second] - top - fixed, top - fixed)
        if share is None or share[0] >= paid:
            return len(pieces) < len(every) and self._walk_home(every, first, second, top)
        self._share_out(pieces, shares.items_of(*share), first, second)
        return True

    def _walk_home(self, pieces: Sequence[Piece], first: int, second: int, top: int) -> bool:
        """Move items one by one to the member where they cost fewer moves, as far as they fit."""
        changed = False
        for piece in sorted(pieces, key=lambda p: (p.weight, p.item)):
            home = first if piece.first < piece.second else second
            fits = self.loads[home] + piece.weight <= top
            if piece.first != piece.second and self.owner[piece.item] != home and fits:
                self.place(piece.item, home)
                changed = True
        return changed


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
