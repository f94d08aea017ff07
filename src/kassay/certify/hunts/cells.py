"""The scopes of a hunt in order: numbers of members and of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from kassay.kinds.protocol import CellOptions, Driver, ScopeCell
from kassay.kinds.registry import driver_for
from kassay.model.kinds import Kind

LADDER: Final = (
    (1, 1),
    (2, 2),
    (2, 3),
    (3, 3),
    (3, 4),
    (4, 4),
    (4, 5),
    (4, 6),
    (5, 6),
    (5, 8),
    (6, 8),
    (7, 8),
)
"""The scopes in order, each contains the one before."""


def ladder(
    driver: Driver[Any], most: tuple[int, int] | None
) -> Iterator[tuple[tuple[int, int], list[ScopeCell]]]:
    """The scopes in order, each with the cells that earlier ones lack; ends with `most`.

    In a scope smaller cases come before larger ones: by members first, then by partitions.
    """
    rungs = [rung for rung in LADDER if most is None or (rung[0] <= most[0] and rung[1] <= most[1])]
    if most is not None and most not in rungs:
        rungs.append(most)
    done: set[ScopeCell] = set()
    for members, partitions in rungs:
        pasts = (False, True) if driver.pasts else (False,)
        cells = [
            ScopeCell(m, p, past)
            for m, p in product(range(1, members + 1), range(1, partitions + 1))
            for past in pasts
        ]
        fresh = [cell for cell in cells if cell not in done]
        done.update(fresh)
        yield (members, partitions), fresh


def cases(kind: Kind, cell: ScopeCell, **options: bool) -> Iterator[Any]:
    """The cases of a cell of the kind; `options` are those of `CellOptions`."""
    return driver_for(kind).cell(cell, CellOptions(**options))
