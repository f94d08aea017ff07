"""What sizes alone say about the balance of bundles, whoever may take them."""

from __future__ import annotations

from collections.abc import Sequence


def grain_bound(sizes: Sequence[int], members: int, grain: int) -> int:
    """The least sum of squared loads, given that few bundles are no multiple of `grain` in size.

    A member without such a bundle has a multiple of `grain`; at most as many members as there are
    such bundles have something else.
    """
    total = sum(sizes)
    free = min(members, sum(size % grain != 0 for size in sizes))
    even = members - free
    if not even:
        return _even_squares(total, members)
    if not free:
        return grain * grain * _even_squares(total // grain, members)
    return min(
        grain * grain * _even_squares(part, even) + _even_squares(total - grain * part, free)
        for part in range(total // grain + 1)
    )


def _even_squares(total: int, members: int) -> int:
    low, high = divmod(total, members)
    return (members - high) * low * low + high * (low + 1) ** 2


def range_of_loads(loads: Sequence[int]) -> tuple[int, int]:
    """The least and the most that a member can carry where the sum of squares is no larger."""
    low, top = min(loads), max(loads)
    squares = sum(load * load for load in loads)
    while low and load_fits(low - 1, sum(loads), len(loads), squares):
        low -= 1
    while load_fits(top + 1, sum(loads), len(loads), squares):
        top += 1
    return low, top


def load_fits(load: int, total: int, members: int, squares: int) -> bool:
    """Whether one member can carry `load` within the sum of squares; the others then share evenly."""
    if load > total or (members == 1 and load != total):
        return False
    return load * load + (_even_squares(total - load, members - 1) if members > 1 else 0) <= squares
