"""CP-SAT as an optional second opinion on packings, always in a separate process.

OR-tools and HiGHS cannot be loaded into one process, and a native solver that does not stop can only be
stopped from outside. The job and the answer are JSON on standard input and output. Needs the extra
`kassay[cpsat]`; without it there is no packing.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from kassay.solver.packing.items import Packing


def available() -> bool:
    """Whether OR-tools is installed."""
    return importlib.util.find_spec("ortools") is not None


def pack(packing: Packing, hint: Sequence[int], lower: int, seconds: float) -> list[int] | None:
    """A packing with a small heaviest load, then few moves; None if CP-SAT is missing, fails or is late."""
    if not available() or not packing.items:
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
            [sys.executable, "-m", "kassay.solver.packing.engines.cpsat"],
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


def _solve(job: dict[str, Any]) -> list[int]:
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
    owner, value = _run(cp_model, model, takes, top, seconds)
    if owner is None:
        return list(job["hint"])
    model.add(top <= value)
    model.clear_hints()
    for take, member in zip(takes, owner, strict=True):
        for m, taken in take.items():
            model.add_hint(taken, int(m == member))
    model.minimize(sum(moves))
    better, _ = _run(cp_model, model, takes, top, seconds)
    return better or owner


def _run(
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
    sys.stdout.write(json.dumps(_solve(json.load(sys.stdin))))
