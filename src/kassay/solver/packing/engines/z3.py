"""Z3 closes small gaps: it decides whether a packing has a heaviest load below a number."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from kassay.solver.packing.items import Packing


def narrow(packing: Packing, owner: Sequence[int], lower: int, seconds: float) -> list[int]:
    """A packing whose heaviest member is no heavier than that of `owner`; none is lighter than `lower`.

    Binary search between the two by pseudo-Boolean satisfiability; "unknown" ends it.
    """
    import z3  # type: ignore[import-untyped]

    deadline = time.monotonic() + seconds
    best = list(owner)
    upper = max(packing.loads(best), default=0)
    takes: list[dict[int, Any]] = []
    solver = z3.Solver()
    for i, item in enumerate(packing.items):
        if time.monotonic() > deadline:
            return best
        take = {m: z3.Bool(f"x{i}_{m}") for m in item.able}
        solver.add(z3.PbEq([(taken, 1) for taken in take.values()], 1))
        takes.append(take)
    on_member: list[list[tuple[z3.BoolRef, int]]] = [[] for _ in range(packing.members)]
    for take, weight in zip(takes, packing.weights, strict=True):
        for member, taken in take.items():
            if weight:
                on_member[member].append((taken, weight))
    while lower < upper:
        middle = (lower + upper) // 2
        solver.push()
        for terms in on_member:
            if terms and time.monotonic() < deadline:
                solver.add(z3.PbLe(terms, middle))
        if time.monotonic() > deadline:
            break
        solver.set("timeout", max(1, int((deadline - time.monotonic()) * 1000)))
        verdict = solver.check()
        if verdict == z3.sat:
            model = solver.model()
            best = [next(m for m, taken in take.items() if z3.is_true(model[taken])) for take in takes]
            upper = max(packing.loads(best))
        solver.pop()
        if verdict == z3.unsat:
            lower = middle + 1
        elif verdict != z3.sat:
            break
    return best
