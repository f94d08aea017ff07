"""Instances of tasks for members inside processes by shape and seed, as documents of family "C".

Shapes: `fresh` (no previous tasks), `join` and `leave` (evenly assigned, then processes join or leave),
`restart` (evenly assigned, then processes restart: their members have nothing, their disks the state),
`scattered` (any member runs a task, any process has a copy). A third of the tasks has no state.
"""

from __future__ import annotations

from typing import Any, Final

from kassay.model.errors import InputError
from kassay.solver.algorithms.splitmix import SplitMix

MEMBER_SHAPES: Final = ("fresh", "join", "leave", "restart", "scattered")
_COPY_PERCENT: Final = 30

Document = dict[str, Any]


def member_tasks(
    shape: str = "join",
    seed: int = 0,
    *,
    processes: int = 5,
    members: int = 2,
    tasks: int = 30,
    standbys: int = 1,
    change: int = 1,
) -> Document:
    """Tasks on processes of up to `members` each; `change` of the processes are new, removed or restarted."""
    if shape not in MEMBER_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(MEMBER_SHAPES)}")
    rng = SplitMix("C-members", shape, seed, processes, members, tasks, standbys)
    ids = [f"p{i:03d}" for i in range(processes)]
    inside = {id_: [f"{id_}-{n}" for n in range(rng.between(1, members))] for id_ in ids}
    stateless = tasks // 3
    pool = ids[: max(1, processes - change)] if shape == "join" else list(ids)
    pool += [f"x{i:03d}" for i in range(change)] if shape == "leave" else []
    again = frozenset(rng.sample(ids, min(change, processes))) if shape == "restart" else frozenset()
    threads = [(id_, member) for id_ in pool for member in inside.get(id_, [f"{id_}-0"])]
    active: list[str | None] = [None] * tasks
    standby: list[list[str]] = [[] for _ in range(tasks)]
    for turn, task in enumerate(rng.shuffled(range(tasks))):
        id_, member = rng.pick(threads) if shape == "scattered" else threads[turn % len(threads)]
        others = [other for other in pool if other != id_]
        copies = (
            [other for other in others if rng.chance(_COPY_PERCENT)]
            if shape == "scattered"
            else rng.sample(others, min(len(others), standbys))
        )
        if shape == "fresh":
            continue
        active[task] = None if id_ in again or id_ not in inside else member
        on_disk = [*copies, id_] if id_ in again else copies
        standby[task] = [] if task >= tasks - stateless else sorted(c for c in on_disk if c in inside)
    return {
        "family": "C",
        "shape": shape,
        "seed": seed,
        "name": f"C-{shape}-{processes}x{members}x{tasks}-sb{standbys}-s{seed}",
        "clients": [{"id": id_, "members": own} for id_, own in inside.items()],
        "tasks": tasks,
        "standbys": standbys,
        "stateless": list(range(tasks - stateless, tasks)),
        "active": active,
        "standby": standby,
    }
