"""Small random placements, and every placement of one tried: the oracle that nobody can argue with."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kassay.solver.check.check import require_accepted
from kassay.solver.placement.optimum import PlacementOptimum, best_placement
from kassay.solver.placement.problem import PlacementProblem
from kassay.solver.placement.results import placement_certificate

Document = dict[str, Any]


def certified(problem: PlacementProblem) -> PlacementOptimum:
    """The optimum of a problem, its certificate accepted."""
    best = best_placement(problem)
    require_accepted(placement_certificate(best), "a placement")
    return best


def brokers(number: int, racks: int, **fields: Any) -> list[dict[str, Any]]:
    """Brokers 0, 1, ... in racks taken in turn (0 racks: none)."""
    return [{"id": i, "rack": f"r{i % racks}" if racks else None, "share": 1} | fields for i in range(number)]


def document(
    hosts: list[dict[str, Any]], rows: Sequence[Sequence[int]], rf: int, partitions: int = 0
) -> Document:
    """A document of one topic with these current rows."""
    count = max(partitions, len(rows))
    return {
        "family": "B",
        "name": "case",
        "brokers": hosts,
        "topics": [{"name": "t", "partitions": count, "rf": rf}],
        "current": {"t": [list(row) for row in rows]},
    }


def small(rng: random.Random) -> Document:
    """Up to 5 brokers and 4 partitions; racks uneven, shares, limits, going brokers, growth."""
    number, racks = rng.randint(1, 5), rng.choice((0, 1, 2, 3))
    alike = rng.random() < 0.6
    hosts = [
        {
            "id": i,
            "rack": f"r{rng.randrange(racks)}" if racks else None,
            "share": 1 if alike else rng.randint(0, 3),
        }
        for i in range(number)
    ]
    if not any(host["share"] for host in hosts):
        hosts[0]["share"] = 1
    if rng.random() < 0.3:
        for host in hosts:
            _limit(rng, host)
    topics: list[dict[str, Any]] = []
    current: dict[str, list[list[int]]] = {}
    left = rng.randint(1, 4)
    for name in ("t0", "t1"):
        partitions = rng.randint(0, left)
        left -= partitions
        topics.append({"name": name, "partitions": partitions, "rf": rng.randint(1, min(number, 4))})
        rows = rng.choice((0, partitions, partitions, partitions))
        current[name] = [rng.sample(range(number + 1), rng.randint(0, number)) for _ in range(rows)]
    return {"family": "B", "name": "small", "brokers": hosts, "topics": topics, "current": current}


def _limit(rng: random.Random, host: dict[str, Any]) -> None:
    if rng.random() < 0.4:
        host["base"] = rng.randint(0, 3)
    if rng.random() < 0.3:
        host["fenced"] = True
    if rng.random() < 0.3:
        host["max_replicas"] = rng.randint(0, 5) + host.get("base", 0)


def partitions(case: Document) -> Iterator[tuple[int, list[int]]]:
    """The replication factor and the current row of each partition, topics by name."""
    for topic in sorted(case["topics"], key=lambda topic: str(topic["name"])):
        rows = case["current"].get(topic["name"], [])
        for number in range(topic["partitions"]):
            yield topic["rf"], (rows[number] if number < len(rows) else [])


def valid_rows(case: Document, rf: int) -> list[tuple[int, ...]]:
    """Every set of brokers that the rack rule lets a partition have."""
    rack = {host["id"]: host["rack"] for host in case["brokers"]}
    sets = list(itertools.combinations(sorted(rack), rf))
    racks = set(rack.values())
    if racks == {None}:
        return sets
    spread = {row: Counter(rack[broker] for broker in row) for row in sets}
    most = max(-(-rf // len(racks)), min(max(held.values(), default=0) for held in spread.values()))
    return [
        row
        for row, held in spread.items()
        if len(held) == min(rf, len(racks)) and max(held.values(), default=0) <= most
    ]


def imbalance(case: Document, counts: Counter[int], total: int, key: str = "base") -> int:
    """The sum over brokers of (count * sum of shares - total * share) squared; `base` counted in."""
    scale = sum(host["share"] for host in case["brokers"])
    return sum(
        (scale * (counts[host["id"]] + host.get(key, 0)) - total * host["share"]) ** 2
        for host in case["brokers"]
    )


def best_by_trying(case: Document) -> tuple[int, int] | None:
    """The least (imbalance, copies) over all placements; None if the limits allow none."""
    rows = list(partitions(case))
    total = sum(rf for rf, _ in rows) + sum(host.get("base", 0) for host in case["brokers"])
    room = {h["id"]: h["max_replicas"] - h.get("base", 0) for h in case["brokers"] if "max_replicas" in h}
    best: tuple[int, int] | None = None
    cordoned = {host["id"] for host in case["brokers"] if host.get("cordoned")}
    for choice in itertools.product(*(valid_rows(case, rf) for rf, _ in rows)):
        if any(
            cordoned.intersection(new).difference(old) for new, (_, old) in zip(choice, rows, strict=True)
        ):
            continue
        counts = Counter(broker for row in choice for broker in row)
        if any(counts[broker] > most for broker, most in room.items()):
            continue
        copies = sum(len(set(new) - set(old)) for new, (_, old) in zip(choice, rows, strict=True))
        value = (imbalance(case, counts, total), copies)
        best = value if best is None else min(best, value)
    return best


def leaders_value(case: Document, rows: Sequence[Sequence[int]], leaders: Sequence[int]) -> tuple[int, int]:
    """(imbalance, avoidable changes) of leaders of these replicas."""
    changes = 0
    for (_, old), row, leader in zip(partitions(case), rows, leaders, strict=True):
        changes += bool(old) and old[0] in may_lead(case, row) and old[0] != leader
    return imbalance(case, Counter(leaders), len(rows), key="never"), changes


def may_lead(case: Document, row: Sequence[int]) -> list[int]:
    """The replicas that may lead: the unfenced ones, or all where there is none."""
    fenced = {host["id"] for host in case["brokers"] if host.get("fenced")}
    return [broker for broker in row if broker not in fenced] or list(row)


def best_leaders_by_trying(case: Document, rows: Sequence[Sequence[int]]) -> tuple[int, int]:
    """The least (imbalance, changes) over all choices of leaders."""
    choices = itertools.product(*(may_lead(case, row) for row in rows))
    return min(leaders_value(case, rows, leaders) for leaders in choices)
