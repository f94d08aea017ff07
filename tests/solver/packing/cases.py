"""Small random packings, and every packing of one tried."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from kassay.solver.check.balance import MOVEMENT_FIRST, ORDERS
from kassay.solver.groups.problem import Problem
from kassay.solver.packing.items import Packing, Terms
from kassay.solver.packing.optimum import solve_packing
from kassay.solver.results import NO_OWNER, result

Document = dict[str, Any]
Maker = Callable[[random.Random], Document]


def small(rng: random.Random, weighted: bool, partitions: int = 6) -> Document:
    """Up to 4 members and 3 topics; weights or groups of topics of different sizes; owners, racks."""
    ids = [f"m{i}" for i in range(rng.randint(1, 4))]
    names = [f"t{i}" for i in range(rng.randint(1, 3) if weighted else rng.randint(2, 5))]
    groups: list[list[str]] = []
    counts = dict.fromkeys(names, 1)
    left = partitions
    if weighted:
        for name in names:
            counts[name] = rng.randint(0, left)
            left -= counts[name]
    else:
        groups = [names[: rng.randint(2, len(names))]]
        counts = dict.fromkeys(names, rng.randint(1, 2)) | dict.fromkeys(names[len(groups[0]) :], 1)
        for name in names[len(groups[0]) :]:
            counts[name] = rng.randint(0, 2)
    reads = {id_: {name for name in names if rng.random() < 0.8} for id_ in ids}
    for group in groups:
        for topics in reads.values():
            together = group[0] in topics
            topics.difference_update(group)
            topics.update(group if together else [])
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for name, count in counts.items():
        for partition in range(count):
            if rng.random() < 0.8:
                owned[rng.choice(ids)].append([name, partition])
    racks = ("a", "b") if rng.random() < 0.4 else ()
    span = rng.choice((2, 5, 30, 10**7))
    return {
        "family": "A",
        "name": "small",
        "members": [
            {
                "id": id_,
                "rack": rng.choice(racks) if racks else None,
                "topics": sorted(reads[id_]),
                "owned": owned[id_],
            }
            for id_ in ids
        ],
        "topics": [
            {
                "name": name,
                "partitions": count,
                "racks": [[rng.choice(racks)] for _ in range(count)] if racks else None,
                "weights": [rng.randint(0, span) for _ in range(count)] if weighted else None,
            }
            for name, count in counts.items()
        ],
        "copartition": groups,
    }


def weighted(rng: random.Random) -> Document:
    """A small packing whose weights differ."""
    while True:
        case = small(rng, weighted=True)
        if Problem.parse(case).weighted:
            return case


def bundled(rng: random.Random) -> Document:
    """A small packing of bundles of several sizes."""
    while True:
        case = small(rng, weighted=False)
        if len(Problem.parse(case).bundle_sizes) > 1:
            return case


def one_topic(weights: list[int], members: int) -> Document:
    """One topic of partitions with these weights, read by everybody."""
    return {
        "family": "A",
        "members": [{"id": f"m{i}", "topics": ["t"]} for i in range(members)],
        "topics": [{"name": "t", "partitions": len(weights), "weights": weights}],
    }


def large(seed: int, members: int = 12, partitions: int = 60) -> Problem:
    """One topic whose weights are up to a thousand times apart, each partition with an owner."""
    rng = random.Random(seed)
    ids = [f"m{i:02}" for i in range(members)]
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for number in range(partitions):
        owned[rng.choice(ids)].append(["t", number])
    weights = [1 + rng.randint(0, 9) ** 3 for _ in range(partitions)]
    return Problem.parse(
        {
            "family": "A",
            "members": [{"id": id_, "topics": ["t"], "owned": owned[id_]} for id_ in ids],
            "topics": [{"name": "t", "partitions": partitions, "weights": weights}],
        }
    )


def units(case: Document) -> list[tuple[list[tuple[str, int]], list[int], int]]:
    """What goes together: its partitions, who may take it (positions), its weight."""
    readers = {
        topic["name"]: [i for i, member in enumerate(case["members"]) if topic["name"] in member["topics"]]
        for topic in case["topics"]
    }
    by_name = {topic["name"]: topic for topic in case["topics"]}
    bound = {name for group in case["copartition"] for name in group}
    found = []
    for group in [*case["copartition"], *([name] for name in by_name if name not in bound)]:
        for number in range(by_name[group[0]]["partitions"] if readers[group[0]] else 0):
            weight = sum(
                1 if by_name[name]["weights"] is None else by_name[name]["weights"][number] for name in group
            )
            found.append(([(name, number) for name in group], readers[group[0]], weight))
    return found


def value(case: Document, owner: Sequence[int]) -> tuple[int, int, int, int]:
    """(heaviest weight, sum of squared counts, moved, rack mismatch) when unit i goes to `owner[i]`."""
    members = case["members"]
    before = {
        (topic, number): i
        for i, member in enumerate(members)
        for topic, number in member["owned"]
        if topic in member["topics"]
    }
    by_name = {topic["name"]: topic for topic in case["topics"]}
    weights, counts = [0] * len(members), [0] * len(members)
    moved = mismatch = 0
    for (tps, _, weight), member in zip(units(case), owner, strict=True):
        weights[member] += weight
        counts[member] += len(tps)
        for name, number in tps:
            moved += before.get((name, number), member) != member
            racks = by_name[name]["racks"]
            mismatch += racks is not None and members[member]["rack"] not in racks[number]
    return max(weights), sum(count * count for count in counts), moved, mismatch


def every(case: Document) -> Iterator[tuple[int, int, int, int]]:
    """The value of every packing."""
    return (value(case, owner) for owner in itertools.product(*(able for _, able, _ in units(case))))


def solved(case: dict[str, Any], terms: Terms = Terms(), **options: Any) -> dict[str, Any]:  # noqa: B008
    """The result of a document that is packed."""
    problem = Problem.parse(case)
    return result(problem.name, solve_packing(problem, terms, **options), time.perf_counter())


Values = list[tuple[list[int], int, int]]


def values(case: Document) -> Values:
    """Of every packing the sorted loads, heaviest first, the cost of its moves, and its rack mismatches."""
    members = sorted(case["members"], key=lambda member: str(member["id"]))
    case = case | {"members": members}
    by_name = {topic["name"]: topic for topic in case["topics"]}
    before = {
        (t, p): m for m, member in enumerate(members) for t, p in member["owned"] if t in member["topics"]
    }
    choices = []
    for tps, able, weight in units(case):
        row = []
        for m in able:
            moves = wrong = 0
            for name, p in tps:
                costs, racks = by_name[name].get("move_costs"), by_name[name]["racks"]
                moves += (costs[p] if costs else 1) * (before.get((name, p), m) != m)
                wrong += bool(racks and racks[p]) and members[m]["rack"] not in racks[p]
            row.append((m, weight, moves, wrong))
        choices.append(row)
    every = []
    for way in itertools.product(*choices):
        loads, moves, wrong = [0] * len(members), 0, 0
        for m, weight, cost, mismatch in way:
            loads[m] += weight
            moves += cost
            wrong += mismatch
        every.append((sorted(loads, reverse=True), moves, wrong))
    return every


def value_of(packing: Packing, owner: Sequence[int]) -> tuple[list[int], int, int]:
    """What one packing is worth, counted anew from the problem."""
    problem = packing.problem
    loads, moves, mismatches = [0] * len(problem.members), 0, 0
    for topic, row in problem.owners_by_topic(owner).items():
        known = next(each for each in problem.topics if each.name == topic)
        for p, m in enumerate(row):
            loads[m] += 1 if known.weights is None else known.weights[p]
            if problem.previous[topic][p] not in (NO_OWNER, m):
                moves += 1 if known.move_costs is None else known.move_costs[p]
            racks = known.racks[p] if known.racks else frozenset()
            mismatches += bool(racks) and problem.members[m].rack not in racks
    return sorted(loads, reverse=True), moves, mismatches


def any_case(rng: random.Random) -> Document:
    """A small document of any kind: weights, bundles, neither or both, perhaps costs of moves."""
    kind = rng.randrange(4)
    case = small(rng, weighted=kind in (0, 3), partitions=rng.randint(0, 6))
    if kind == 2:
        case["copartition"] = []
    if kind == 3:
        for topic in case["topics"]:
            topic["weights"] = rng.choice((None, [3] * topic["partitions"], topic["weights"]))
    if rng.random() < 0.4:
        for topic in case["topics"]:
            topic["move_costs"] = [rng.choice((0, 1, 1, 2, 3, 50, 10**6)) for _ in range(topic["partitions"])]
    return case


def any_terms(rng: random.Random) -> Terms:
    """An order alone, or with a tolerance; or a budget."""
    order = rng.choice(ORDERS)
    tolerances = (Fraction(0), Fraction(1, 20), Fraction(1, 4), Fraction(1))
    return rng.choice(
        (
            Terms(order),
            Terms(order, tolerance=rng.choice(tolerances)),
            Terms(order, budget=rng.choice((0, 1, 2, 3, 50, 60, 10**6))),
        )
    )


def measured_from(case: Document) -> int:
    """The bound from which a tolerance is measured, by its definition: what some members alone may take."""
    weights_of: dict[frozenset[str], list[int]] = {}
    names = {name for group in case.get("copartition") or () for name in group}
    for group in [
        *(case.get("copartition") or ()),
        *([t["name"]] for t in case["topics"] if t["name"] not in names),
    ]:
        topics = [topic for topic in case["topics"] if topic["name"] in group]
        able = frozenset(m["id"] for m in case["members"] if topics[0]["name"] in m["topics"])
        for number in range(topics[0]["partitions"] if able else 0):
            weights_of.setdefault(able, []).append(
                sum(1 if topic.get("weights") is None else topic["weights"][number] for topic in topics)
            )
    grain = gcd(*(weight for row in weights_of.values() for weight in row)) or 1
    best = 0
    for members in {*weights_of, frozenset[str]().union(*weights_of)}:
        own = sorted((w for able, row in weights_of.items() if able <= members for w in row), reverse=True)
        if own:
            mean = -(-sum(own) // len(members))
            best = max(best, own[0], -(-mean // grain) * grain)
        for some in range(2, len(own) + 1):
            # Of the heaviest units, of which some member has more than its part, the lightest.
            each = -(-some // len(members))
            best = max(best, sum(own[some - each : some]))
    return best


def lie_in(goals: Sequence[Mapping[str, Any]], terms: Terms, every: Values, base: int) -> str | None:
    """What the goals of a result say that is not so of all packings; None where they say the truth.

    A tolerance is measured from `base`.
    """
    stated = {goal["goal"]: goal for goal in goals}
    costs = ("movement", "rack") if terms.order == MOVEMENT_FIRST else ("rack", "movement")
    allowed = [v for v in every if terms.budget is None or v[1] <= terms.budget]
    mine = tuple(stated[name]["value"] for name in costs)
    if terms.tolerance is None:
        head, best = stated["balance"], min(loads for loads, _, _ in allowed)
        pool = [v for v in allowed if v[0] <= head["value"]]
        ideal = [v for v in allowed if v[0] == best]
        if head["bound"] > best or (head["proven"] and head["value"] != best):
            return "the bound of the loads"
        if not any(loads == head["value"] for loads, _, _ in allowed):
            return "the loads"
    else:
        head, lightest = stated["heaviest"], min(loads[0] for loads, _, _ in allowed)
        limit = base + int(base * terms.tolerance)
        if not base <= head["bound"] <= lightest or head["limit"] != max(limit, head["bound"]):
            return "the bound of the heaviest"
        if head["proven"] != (head["value"] <= head["limit"]):
            return "whether the heaviest is within the tolerance"
        ideal = [v for v in allowed if v[0][0] <= head["limit"]]
        pool = [v for v in allowed if v[0][0] <= max(head["value"], head["limit"])]
    order = (1, 2) if costs[0] == "movement" else (2, 1)
    if stated[costs[0]]["bound"] > min(v[order[0]] for v in pool):
        return f"the bound of the {costs[0]}"
    proven = head["proven"]
    for number, name in enumerate(costs, start=1):
        if stated[name]["proven"]:
            least = min(tuple(v[place] for place in order) for v in ideal)
            if not proven or mine[:number] != least[:number]:
                return f"that the {name} is proven"
        proven = proven and stated[name]["proven"]
    return None


def packed(rng: random.Random, case: Document) -> tuple[Packing, list[int]]:
    """The items of the document, and some packing of them."""
    packing = Packing.of(Problem.parse(case))
    return packing, [rng.choice(item.able) for item in packing.items]


def owners(case: Document, assignment: Mapping[str, Mapping[str, Sequence[int]]]) -> list[int]:
    """The owner of each unit, as `value` wants them."""
    place = {member["id"]: i for i, member in enumerate(case["members"])}
    owner = {
        (topic, number): place[id_]
        for id_, topics in assignment.items()
        for topic, numbers in topics.items()
        for number in numbers
    }
    return [owner[tps[0]] for tps, _, _ in units(case)]


def owners_of(packing: Packing) -> Iterator[tuple[int, ...]]:
    """The owners of the items in every packing."""
    return itertools.product(*(item.able for item in packing.items))
