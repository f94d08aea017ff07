"""Replica placement and stateful task instances by shape and seed, families "B" and "C".

Shapes of B: `create`, `add` and `remove` (brokers), `rack_skew` (racks of unequal size), `weighted`
(brokers with shares), `skewed` (most replicas on the first brokers, five unequal racks). Shapes of C:
`fresh`, `join`, `leave`.

Instances of tasks for members inside processes by shape and seed, as documents of family "C".

Shapes: `fresh` (no previous tasks), `join` and `leave` (evenly assigned, then processes join or leave),
`restart` (evenly assigned, then processes restart: their members have nothing, their disks the state),
`scattered` (any member runs a task, any process has a copy). A third of the tasks has no state.
"""

from __future__ import annotations

from bisect import bisect, bisect_left, bisect_right, insort
from collections import Counter
from itertools import accumulate
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.solver.algorithms.splitmix import SplitMix

PLACEMENT_SHAPES: Final = ("create", "add", "remove", "rack_skew", "weighted", "skewed")
_SKEWED_PERCENT: Final = (30, 25, 20, 15, 10)
"""The brokers of each rack of the shape `skewed`."""
TASK_SHAPES: Final = ("fresh", "join", "leave")

Document = dict[str, Any]


def placement(
    shape: str = "add",
    seed: int = 0,
    *,
    brokers: int = 6,
    partitions: int = 30,
    rf: int = 3,
    racks: int = 3,
    change: int = 1,
) -> Document:
    """One topic on brokers of which `change` are new or removed."""
    if shape not in PLACEMENT_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(PLACEMENT_SHAPES)}")
    rng = SplitMix("B", shape, seed, brokers, partitions, rf, racks)
    total = brokers + change if shape == "remove" else brokers
    rack = _broker_racks(shape, total, racks)
    old = range(total - change) if shape == "add" else range(total)
    if shape == "skewed":
        rows = [_skewed_row(rng, total, rf) for _ in range(partitions)]
    else:
        rows = [] if shape == "create" else _spread(rng, list(old), rack, partitions, rf)
    removed = set(rng.sample(range(total), change)) if shape == "remove" else set()
    return {
        "family": "B",
        "shape": shape,
        "seed": seed,
        "name": f"B-{shape}-{brokers}x{partitions}x{rf}-r{racks}-s{seed}",
        "brokers": [
            {"id": b, "rack": rack[b], "share": 1 + rng.below(3) if shape == "weighted" else 1}
            for b in range(total)
            if b not in removed
        ],
        "topics": [{"name": "t0000", "partitions": partitions, "rf": rf}],
        "current": {"t0000": rows},
    }


def _broker_racks(shape: str, total: int, racks: int) -> list[str]:
    if shape == "skewed":
        ends = [*accumulate(_SKEWED_PERCENT)]
        return [f"r{bisect(ends, 100 * b // total)}" for b in range(total)]
    if shape != "rack_skew":
        return [f"r{b % racks}" for b in range(total)]
    if total < racks:
        return [f"r{b}" for b in range(total)]
    return [f"r{b}" if b < racks else f"r{min(b // 2, racks - 1)}" for b in range(total)]


def _skewed_row(rng: SplitMix, brokers: int, rf: int) -> list[int]:
    """Replicas on brokers of which the first ones are the likeliest, whatever their racks."""
    row: list[int] = []
    while len(row) < min(rf, brokers):
        broker = min(rng.below(brokers), rng.below(brokers))
        if broker not in row:
            row.append(broker)
    return row


def _spread(rng: SplitMix, brokers: list[int], rack: list[str], partitions: int, rf: int) -> list[list[int]]:
    """Replicas on the emptiest brokers, racks first, ties at random."""
    racks: dict[str, _Emptiest] = {}
    for broker in brokers:
        racks.setdefault(rack[broker], _Emptiest()).add(broker, 0)
    load = dict.fromkeys(brokers, 0)
    rows = []
    for _ in range(partitions):
        row: list[int] = []
        for _ in range(rf):
            used = Counter(rack[b] for b in row)
            fewest = min(used[name] for name, those in racks.items() if those.lowest is not None)
            near = [each for name, each in racks.items() if each.lowest is not None and used[name] == fewest]
            least = min(each.lowest for each in near if each.lowest is not None)
            lists = [each.at[least] for each in near if each.lowest == least]
            chosen = _smallest(lists, rng.below(sum(map(len, lists))))
            racks[rack[chosen]].remove(chosen, load[chosen])
            row.append(chosen)
        for broker in row:
            load[broker] += 1
            racks[rack[broker]].add(broker, load[broker])
        rows.append(row)
    return rows


class _Emptiest:
    """The brokers of a rack with room, in order, by load in `at`; `lowest` is None if there is none."""

    def __init__(self) -> None:
        self.at: dict[int, list[int]] = {}
        self.lowest: int | None = None

    def add(self, broker: int, load: int) -> None:
        """Add a broker at this load."""
        insort(self.at.setdefault(load, []), broker)
        self.lowest = load if self.lowest is None else min(self.lowest, load)

    def remove(self, broker: int, load: int) -> None:
        """Remove a broker at this load."""
        those = self.at[load]
        del those[bisect_left(those, broker)]
        if not those:
            del self.at[load]
            if load == self.lowest:
                self.lowest = min(self.at, default=None)


def _smallest(lists: list[list[int]], place: int) -> int:
    """The number at this place in the sorted union of the lists, which are sorted and disjoint."""
    if len(lists) == 1:
        return lists[0][place]
    low, high = min(each[0] for each in lists), max(each[-1] for each in lists)
    while low < high:
        middle = (low + high) // 2
        if sum(bisect_right(each, middle) for each in lists) > place:
            high = middle
        else:
            low = middle + 1
    return low


def tasks(
    shape: str = "join",
    seed: int = 0,
    *,
    clients: int = 5,
    tasks: int = 20,
    standbys: int = 1,
    change: int = 1,
    racks: int = 3,
) -> Document:
    """Tasks with standbys on clients of which `change` are new or removed."""
    if shape not in TASK_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(TASK_SHAPES)}")
    rng = SplitMix("C", shape, seed, clients, tasks, standbys)
    before = {"join": clients - change, "leave": clients + change}.get(shape, clients)
    names = [f"c{i:03d}" for i in range(clients)]
    pool = names[: max(before, 1)] + [f"x{i:03d}" for i in range(max(0, before - clients))]
    placed: dict[int, list[str]] = {}
    for turn, task in enumerate(rng.shuffled(range(tasks))):
        active = pool[turn % len(pool)]
        others = rng.sample([c for c in pool if c != active], min(len(pool), 1 + standbys) - 1)
        placed[task] = [active, *others]
    fresh = shape == "fresh"
    return {
        "family": "C",
        "shape": shape,
        "seed": seed,
        "name": f"C-{shape}-{clients}x{tasks}-sb{standbys}-s{seed}",
        "clients": [{"id": c, "rack": f"r{i % racks}", "threads": 1} for i, c in enumerate(names)],
        "tasks": tasks,
        "standbys": standbys,
        "active": [
            None if fresh or placed[task][0] not in names else placed[task][0] for task in range(tasks)
        ],
        "standby": [[] if fresh else [c for c in placed[task][1:] if c in names] for task in range(tasks)],
    }


MEMBER_SHAPES: Final = ("fresh", "join", "leave", "restart", "scattered")
_COPY_PERCENT: Final = 30


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
