"""Z3 and CP-SAT search for a packing with a lighter heaviest member; every result of theirs is checked.

Z3 closes small gaps: is there a packing whose heaviest member carries at most so much? CP-SAT runs in a
process of its own, always. OR-tools and HiGHS cannot be loaded into one process, and a native solver
that does not stop can only be stopped from outside. The job and the answer are JSON on standard input
and output. Needs the extra `kassay[cpsat]`; without it there is no packing.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from kassay.solver.packing.items import Packing

_SMALL: Final = 150


def other_packing(
    packing: Packing, owner: Sequence[int], lower: int, engine: str, deadline: float
) -> list[int]:
    """The packing of another solver within the time, or `owner` without one.

    `engine` is "own" (no other solver), "z3", "cpsat", or "auto": Z3 for small packings, else CP-SAT.
    """
    left = deadline - time.monotonic()
    size = sum(len(item.able) for item in packing.items)
    if left <= 0 or engine == "own":
        return list(owner)
    if engine == "z3" or (engine == "auto" and size <= _SMALL):
        return z3_packing(packing, owner, lower, left)
    return cpsat_packing(packing, owner, lower, left) or list(owner)


def z3_packing(packing: Packing, owner: Sequence[int], lower: int, seconds: float) -> list[int]:
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


def cpsat_available() -> bool:
    """Whether OR-tools is installed."""
    return importlib.util.find_spec("ortools") is not None


def cpsat_packing(packing: Packing, hint: Sequence[int], lower: int, seconds: float) -> list[int] | None:
    """A packing with a small heaviest load, then few moves; None if CP-SAT is missing, fails or is late."""
    if not cpsat_available() or not packing.items:
        return None
    job = {
        "weights": packing.weights,
        "able": [item.able for item in packing.items],
        "moved": [[item.moved(m) for m in item.able] for item in packing.items],
        "members": packing.members,
        "hint": list(hint),
        "lower": lower,
        "until": time.time() + seconds,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "kassay.solver.packing.engines"],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
        owner: list[int] = json.loads(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError):
        return None
    return owner


def _solve_by_cpsat(job: dict[str, Any]) -> list[int]:
    """Two phases, the heaviest load and then the moves, half of the time each; a tenth is for the answer."""
    from ortools.sat.python import cp_model

    top_hint = [0] * job["members"]
    for weight, member in zip(job["weights"], job["hint"], strict=True):
        top_hint[member] += weight
    model: Any = cp_model.CpModel()
    loads: list[list[Any]] = [[] for _ in range(job["members"])]
    moves: list[Any] = []
    takes: list[dict[int, Any]] = []
    for weight, able, moved, hint in zip(job["weights"], job["able"], job["moved"], job["hint"], strict=True):
        take = {member: model.new_bool_var("") for member in able}
        model.add_exactly_one(take.values())
        for (member, taken), cost in zip(take.items(), moved, strict=True):
            loads[member].append(weight * taken)
            moves.append(cost * taken)
            model.add_hint(taken, int(member == hint))
        takes.append(take)
    top = model.new_int_var(job["lower"], max(top_hint), "")
    for load in loads:
        model.add(sum(load) <= top)
    model.minimize(top)
    seconds = 0.45 * (job["until"] - time.time())
    owner, value = _run_cpsat(cp_model, model, takes, top, seconds)
    if owner is None:
        return list(job["hint"])
    model.add(top <= value)
    model.clear_hints()
    for take, member in zip(takes, owner, strict=True):
        for m, taken in take.items():
            model.add_hint(taken, int(m == member))
    model.minimize(sum(moves))
    better, _ = _run_cpsat(cp_model, model, takes, top, seconds)
    return better or owner


def _run_cpsat(
    cp_model: Any, model: Any, takes: list[dict[int, Any]], top: Any, seconds: float
) -> tuple[list[int] | None, int]:
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(seconds, 0.0)
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, 0
    owner = [next(m for m, taken in take.items() if solver.boolean_value(taken)) for take in takes]
    return owner, solver.value(top)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_solve_by_cpsat(json.load(sys.stdin))))
