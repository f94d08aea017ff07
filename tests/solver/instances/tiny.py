"""Tiny instances of every family, what can be asked of each, and what trying everything says of the answers.

Nothing here shares code with a solver or a checker: instances and answers are read as documents.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from kassay.model.errors import InputError
from kassay.solver.check.balance import ORDERS
from kassay.solver.check.check import check_certificate, pose
from kassay.solver.instances.families import Wanted, solve_document
from kassay.solver.placement.problem import InfeasiblePlacementError
from tests.solver.packing import cases as packings
from tests.solver.placement import cases as placements
from tests.solver.streams import cases as streams
from tests.solver.streams import members_cases as members

Document = dict[str, Any]
Worth = tuple[Any, ...]
"""What an answer is worth, goal by goal, in their order."""

TOLERANCES = (Fraction(0), Fraction(1, 20), Fraction(1, 4), Fraction(1))
BUDGETS = (0, 1, 2, 3, 60)


def judge(goals: Sequence[Mapping[str, Any]], mine: Worth, every: Sequence[Worth]) -> None:
    """Assert that goals in lexicographic order have the values of the answer and bounds that hold.

    A bound is for whatever is as good in the goals before; what is proven is the best of all.
    """
    before = True
    for i, goal in enumerate(goals):
        least = min(worth[i] for worth in every if worth[:i] <= mine[:i])
        assert goal["value"] == mine[i], (goal, mine)
        assert goal["bound"] <= least, (goal, least)
        if goal["proven"]:
            assert before, goal
            assert goal["value"] == goal["bound"] == least, (goal, least)
        before = before and goal["proven"]


# Consumers: weights, bundles, costs of moves, racks.


def group(rng: random.Random) -> Document:
    """A consumer group of any kind; members without a rack, partitions without replicas, unread topics."""
    case = packings.any_case(rng)
    for member in case["members"]:
        if rng.random() < 0.1:
            member["rack"] = None
    for topic in case["topics"]:
        if topic["racks"] and rng.random() < 0.2:
            topic["racks"] = [rng.choice((row, [], ["a", "b"])) for row in topic["racks"]]
    return case


def group_questions(rng: random.Random) -> Iterator[Wanted]:
    """Each order with each tolerance, and with budgets; now and then Z3, or no time at all."""
    for order in ORDERS:
        yield Wanted(order)
        yield Wanted(order, tolerance=rng.choice(TOLERANCES))
        yield Wanted(order, budget=rng.choice(BUDGETS))
        if rng.random() < 0.05:
            yield Wanted(order, solver="z3")
        if rng.random() < 0.2:
            yield rng.choice(
                (
                    Wanted(order, time_limit_s=0.0),
                    Wanted(order, time_limit_s=0.0, tolerance=rng.choice(TOLERANCES)),
                    Wanted(order, time_limit_s=0.0, budget=rng.choice(BUDGETS)),
                )
            )


def group_worths(case: Document) -> list[tuple[tuple[int, ...], Worth]]:
    """Of every assignment the owners of the units and (sorted loads, cost of moves, mismatches)."""
    members = case["members"]
    by_name = {topic["name"]: topic for topic in case["topics"]}
    before = {
        (topic, number): place
        for place, member in enumerate(members)
        for topic, number in member["owned"]
        if topic in member["topics"]
    }
    units = packings.units(case)
    every = []
    for owner in itertools.product(*(able for _, able, _ in units)):
        loads, moves, wrong = [0] * len(members), 0, 0
        for (tps, _, weight), member in zip(units, owner, strict=True):
            loads[member] += weight
            for name, number in tps:
                costs, racks = by_name[name].get("move_costs"), by_name[name]["racks"]
                moves += (costs[number] if costs else 1) * (before.get((name, number), member) != member)
                wrong += bool(racks and racks[number]) and members[member]["rack"] not in racks[number]
        every.append((owner, (sorted(loads, reverse=True), moves, wrong)))
    return every


def judge_group(case: Document, wanted: Wanted, every: Sequence[tuple[tuple[int, ...], Worth]]) -> str:
    """The status of the answer, every goal of it held against all assignments."""
    movement_first = wanted.order == ORDERS[0]
    worths = {owner: (worth[0], *(worth[1:] if movement_first else worth[:0:-1])) for owner, worth in every}
    spent = {owner: worth[1] for owner, worth in every}
    allowed = {o: w for o, w in worths.items() if wanted.budget is None or spent[o] <= wanted.budget}
    try:
        result = solve_document(case, wanted)
    except InputError as error:
        assert "--budget: found" in str(error), error
        assert not allowed
        return "refused"
    accept(case, result)
    mine = worths[tuple(packings.owners(case, result["assignment"]))]
    assert mine in allowed.values()
    pool = list(allowed.values())
    head, *rest = result["goals"]
    if wanted.tolerance is None:
        judge(result["goals"], mine, pool)
        return str(result["status"])
    heaviest = min(worth[0][0] for worth in pool)
    assert head["value"] == mine[0][0]
    assert head["bound"] <= heaviest
    base = packings.measured_from(case)
    assert head["limit"] == max(base + int(base * wanted.tolerance), head["bound"])
    assert head["proven"] == (head["value"] <= head["limit"])
    # Whatever is within the limit is as good; unproven costs are bounded for what is no heavier.
    within = [worth[1:] for worth in pool if worth[0][0] <= max(head["value"], head["limit"])]
    judge(rest, mine[1:], within)
    assert head["proven"] or not any(goal["proven"] for goal in rest)
    return str(result["status"])


# Replicas on brokers.


def placement_worths(case: Document) -> list[Worth]:
    """(imbalance, copies) of every valid placement."""
    rows = list(placements.partitions(case))
    room = {
        host["id"]: host["max_replicas"] - host.get("base", 0)
        for host in case["brokers"]
        if "max_replicas" in host
    }
    worths = []
    for choice in itertools.product(*(placements.valid_rows(case, rf) for rf, _ in rows)):
        counts = Counter(broker for row in choice for broker in row)
        if all(counts[broker] <= most for broker, most in room.items()):
            worths.append(_placement_worth(case, choice))
    return worths


def _placement_worth(case: Document, rows: Sequence[Sequence[int]]) -> Worth:
    counts = Counter(broker for row in rows for broker in row)
    loads = {host["id"]: counts[host["id"]] + host.get("base", 0) for host in case["brokers"]}
    old = [row for _, row in placements.partitions(case)]
    copies = sum(len(set(new) - set(row)) for new, row in zip(rows, old, strict=True))
    return _distance(case, loads), copies


def _distance(case: Document, loads: Mapping[int, int]) -> int:
    """The squared distance from the shares, as results have it."""
    shares = {host["id"]: host["share"] for host in case["brokers"]}
    if len(set(shares.values())) == 1:
        return sum(loads[id_] ** 2 for id_ in shares)
    every, total = sum(shares.values()), sum(loads[id_] for id_ in shares)
    return sum((loads[id_] * every - total * share) ** 2 for id_, share in shares.items())


def _leader_worth(case: Document, old: Sequence[Sequence[int]], leaders: Sequence[int]) -> Worth:
    counts = Counter(leaders)
    ids = {host["id"] for host in case["brokers"]}
    changes = sum(
        bool(row) and row[0] in ids and row[0] != new for row, new in zip(old, leaders, strict=True)
    )
    return _distance(case, {id_: counts[id_] for id_ in ids}), changes


def judge_placement(case: Document, wanted: Wanted, every: Sequence[Worth]) -> str:
    """The status of the answer; leaders are judged with the replicas that it has."""
    try:
        result = solve_document(case, wanted)
    except InfeasiblePlacementError:
        assert not every
        return "infeasible"
    assert every
    accept(case, result)
    judge_rows(case, result, every)
    return str(result["status"])


def judge_rows(case: Document, result: Document, every: Sequence[Worth]) -> None:
    """Assert that what a result says of replicas holds, and of leaders with these replicas."""
    rows = [row for name in sorted(result["assignment"]) for row in result["assignment"][name]]
    for row, (rf, _) in zip(rows, placements.partitions(case), strict=True):
        assert tuple(sorted(row)) in placements.valid_rows(case, rf)
    judge(result["goals"][:2], _placement_worth(case, rows), every)
    old = [row for _, row in placements.partitions(case)]
    led = [
        _leader_worth(case, old, leaders)
        for leaders in itertools.product(*(placements.may_lead(case, row) for row in rows))
    ]
    judge(result["goals"][2:], _leader_worth(case, old, [row[0] for row in rows]), led)


# Tasks with standbys, perhaps in racks.


def tasks(rng: random.Random) -> Document:
    """Tasks on clients, half of the time in racks."""
    case = streams.small(rng, threads=rng.random() < 0.5)
    if rng.random() < 0.5:
        for client in case["clients"]:
            client["rack"] = rng.choice(("a", "b", "c", None))
    return case


def tasks_worths(case: Document) -> dict[tuple[streams.Choice, ...], Worth]:
    """Of every choice both balances, the cost, and the copies that share a rack."""
    return {
        chosen: _tasks_worth(case, chosen)
        for chosen in itertools.product(streams.choices(case), repeat=case["tasks"])
    }


def _tasks_worth(case: Document, chosen: tuple[streams.Choice, ...]) -> Worth:
    actives = Counter(lead for lead, _ in chosen)
    copies = actives + Counter(c for _, row in chosen for c in row)
    threads = [client["threads"] for client in case["clients"]]
    balances = (
        sum((sum(threads) * counts[c] - counts.total() * own) ** 2 for c, own in enumerate(threads))
        for counts in (actives, copies)
    )
    racks = [client.get("rack") for client in case["clients"]]
    held = ([racks[c] for c in {lead} | row if racks[c]] for lead, row in chosen)
    return *balances, streams.worth(case, chosen)[1], sum(len(known) - len(set(known)) for known in held)


def judge_tasks(case: Document, wanted: Wanted, every: Mapping[tuple[streams.Choice, ...], Worth]) -> str:
    """The status of the answer; both balances are one goal, and each is the best there is."""
    result = solve_document(case, wanted)
    accept(case, result)
    mine = every[streams.chosen_by(case, result)]
    for i, goal in enumerate(result["goals"][:2]):
        least = min(worth[i] for worth in every.values())
        assert goal["value"] == mine[i]
        assert goal["bound"] <= least
        assert not goal["proven"] or goal["value"] == goal["bound"] == least
    proven = all(goal["proven"] for goal in result["goals"][:2])
    both = {"value": mine[0] + mine[1], "proven": proven}
    both["bound"] = both["value"] if proven else 0
    pool = [(worth[0] + worth[1], *worth[2:]) for worth in every.values()]
    rest = result["goals"][2:]
    judge([both, *rest], (mine[0] + mine[1], *mine[2 : 2 + len(rest)]), pool)
    return str(result["status"])


# Tasks for members inside processes.


def judge_members(
    case: Document, wanted: Wanted, every: Mapping[tuple[members.Choice, ...], members.Worth]
) -> str:
    """The status of the answer; what is said to be best beside its active tasks is held against those alone."""
    result = solve_document(case, wanted)
    accept(case, result)
    chosen, goals = members.chosen_by(case, result), len(result["goals"])
    mine = every[chosen]
    judge(result["goals"], mine[:goals], [worth[:goals] for worth in every.values()])
    if wanted.time_limit_s:
        assert all(goal["proven"] for goal in result["goals"][:4])
        assert result["standbys_best"]
    if result["standbys_best"]:
        leads = [lead for lead, _ in chosen]
        assert mine[4:] == min(
            worth[4:] for ways, worth in every.items() if [lead for lead, _ in ways] == leads
        )
    return str(result["status"])


def accept(case: Document, result: Document) -> None:
    """Assert that the result stands with its certificate, for this instance, with the status of its goals."""
    checked = check_certificate(result, pose(case))
    assert checked.accepted, checked.reason
    assert checked.bound
    proven = all(goal["proven"] for goal in result["goals"])
    assert result["status"] == ("optimal" if proven else "interval")


def timed(rng: random.Random) -> Iterator[Wanted]:
    """Without a limit, and with no time at all."""
    yield Wanted()
    if rng.random() < 0.3:
        yield Wanted(time_limit_s=0.0)


def asked(family: str, seed: int, number: int) -> Counter[str]:
    """The statuses of so many answers of a family, each of them held against everything tried."""
    rng = random.Random(f"{family} {seed}")
    statuses = Counter[str]()
    while statuses.total() < number:
        match family:
            case "consumers":
                case = group(rng)
                owners = group_worths(case)
                statuses.update(judge_group(case, each, owners) for each in group_questions(rng))
            case "placement":
                case = placements.small(rng)
                rows = placement_worths(case)
                statuses.update(judge_placement(case, each, rows) for each in timed(rng))
            case "members":
                case = members.small(rng)
                worths = {ways: members.worth(case, ways) for ways in members.every(case)}
                limits = (60.0, 0.0) if rng.random() < 0.3 else (60.0,)
                statuses.update(judge_members(case, Wanted(time_limit_s=limit), worths) for limit in limits)
            case _:
                case = tasks(rng)
                chosen = tasks_worths(case)
                statuses.update(judge_tasks(case, each, chosen) for each in timed(rng))
    return statuses
