"""Many sets over the same members in few parts: members, and blocks of members that several sets share.

A network in which any of many sets may be chosen needs an arc for each set and each of its members. But sets
of readers are similar: members with one subscription are in the same sets, and one subscription often
contains another. In an order in which members of the same sets are adjacent, a set is a few runs; each run is
cut into blocks of 4, 8, 16, ... members that begin at a multiple of their size, and a block that several sets
have becomes a node of its own. A path goes through each size of block at most once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

_LEAST: Final = 4
"""The smallest block: a smaller one costs as much as the arcs that it saves."""
_WORTH: Final = 512
"""The fewest arcs for which blocks are used."""

Part = int
"""A member, or block b as -1 - b."""


class Blocks(NamedTuple):
    """The parts of each set and of each block; a block's parts come after it."""

    sets: list[Sequence[Part]]
    blocks: list[Sequence[Part]]


def in_blocks(sets: Sequence[Sequence[int]]) -> Blocks:
    """The sets in parts, with no member in two parts of one set. Sets repeat no member."""
    if len(sets) < 2 or sum(map(len, sets)) < _WORTH:
        return Blocks(list(sets), [])
    order = _together(sets)
    levels = _levels(len(order))
    bit = {m: 1 << place for place, m in enumerate(order)}
    cuts = [list(_cut(sum(map(bit.__getitem__, members)), levels)) for members in sets]
    uses = Counter(block for cut in cuts for block in cut if block[1] >= _LEAST)
    shared = sorted((block for block, times in uses.items() if times > 1), key=lambda block: -block[1])
    number = {block: -1 - b for b, block in enumerate(shared)}

    def parts(places: Iterable[_Places]) -> Iterator[Part]:
        for block in places:
            if block in number:
                yield number[block]
            elif block[1] == 1:
                yield order[block[0]]
            else:
                yield from parts(_halves(block))

    return Blocks([list(parts(cut)) for cut in cuts], [list(parts(_halves(block))) for block in shared])


_Places = tuple[int, int]
"""The first of some adjacent places, and their number."""


def _halves(places: _Places) -> tuple[_Places, _Places]:
    first, size = places
    return (first, size // 2), (first + size // 2, size // 2)


def _together(sets: Sequence[Sequence[int]]) -> list[int]:
    """The members in an order in which those of the same sets, large ones above all, are adjacent."""
    inside: dict[int, list[int]] = {}
    for place, members in enumerate(sorted(sets, key=len, reverse=True)):
        for m in members:
            inside.setdefault(m, []).append(place)
    return sorted(inside, key=lambda m: (inside[m], m))


def _levels(width: int) -> list[tuple[int, int]]:
    """For each size of blocks the places where one may begin, as bits."""
    levels, size = [], 1
    while size <= width:
        levels.append((size, sum(1 << place for place in range(0, width, size))))
        size *= 2
    return levels


def _cut(members: int, levels: Sequence[tuple[int, int]]) -> Iterator[_Places]:
    """The blocks of a set of places given as bits, each as large as possible."""
    whole = [members]
    for size, begins in levels[1:]:
        half = whole[-1]
        whole.append(half & (half >> size // 2) & begins)
    above = 0
    for (size, _), blocks in zip(reversed(levels), reversed(whole), strict=True):
        left = blocks & ~above
        above |= left
        while left:
            lowest = left & -left
            left ^= lowest
            yield lowest.bit_length() - 1, size
        above |= above << size // 2  # both halves of a taken block are taken
