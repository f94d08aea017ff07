"""The certified optimum of a consumer group as JSON with its certificate, and the gap of an answer.

The certified optimum of a consumer problem as JSON, and its certificate.

The distance of an answer from the certified optimum.

*balance* is the sum of squared loads less the optimum's: 0 exactly where the sorted loads are the best
possible, and additive, so a larger imbalance weighs more. *spread* gives the imbalance in partitions: largest
load - least load, less the optimum's. *movement* is judged where the loads are optimal, *rack* where the
objectives before it are: a bad balance is always possible with fewer moves, and such a negative "gap" would
mean nothing. An answer that leaves partitions out is not judged at all, only counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.optimum import (
    Balanced,
    Figures,
    Optimum,
    best_assignment,
    best_balanced,
    figures,
    proven,
)
from kassay.solver.groups.problem import Problem
from kassay.solver.results import NO_OWNER, Gap, OutOfTimeError, Solved

SCHEMA: Final = "kassay/optimum-certificate/1"


def solve_consumers(
    problem: Problem, order: tuple[str, ...], solver: str, time_limit_s: float | None
) -> Solved | Balanced:
    """The optimum of a problem that the exact methods solve, by the solver `flow`, `networkx` or `z3`.

    If the time runs out, owners with the best balance, whose cost is as low as the search got.
    """
    deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
    if solver != "flow":
        try:
            best = best_by(solver, problem, order, time_limit_s)
        except OutOfTimeError:
            return best_balanced(problem, order, deadline)
    else:
        balanced = best_balanced(problem, order, deadline)
        if balanced.late:
            return balanced
        best = proven(problem, order, balanced)
    return solution(best)


def solution(best: Optimum) -> Solved:
    """The optimum with its certificate and the other fields of a result."""
    squares = best.sum_squares
    values = {"balance": list(best.loads[::-1]), "movement": best.moved, "rack": best.rack_mismatch}
    return Solved(
        optimum_certificate(best),
        {
            "status": "optimal",
            "goals": [
                {"goal": goal, "value": values[goal], "bound": values[goal], "proven": True}
                for goal in best.order
            ],
            "loads": list(best.loads),
            "sum_squares": squares,
            "moved": best.moved,
            "rack_mismatch": best.rack_mismatch,
            "lower": squares,
            "upper": squares,
            "bound": "levels prove the balance, member prices the rest",
            "order": ",".join(best.order),
        },
    )


def best_by(solver: str, problem: Problem, order: tuple[str, ...], time_limit_s: float | None) -> Optimum:
    """The certified optimum by `flow`, `networkx`, or `z3`, which alone raises `OutOfTimeError`."""
    if solver == "flow":
        return best_assignment(problem, order)
    if solver == "networkx":
        from kassay.solver.groups.networkx_optimum import networkx_optimum

        return networkx_optimum(problem, order)
    from kassay.solver.groups.z3_optimum import z3_optimum

    return z3_optimum(problem, order, time_limit_s)


def optimum_certificate(best: Optimum) -> dict[str, Any]:
    """The input of the checker of balances: the instance, the assignment, its levels and prices."""
    ids = [member.member_id for member in best.problem.members]
    return {
        "schema": SCHEMA,
        "instance": best.problem.document(),
        "order": ",".join(best.order),
        "assignment": best.problem.partitions_by_member(best.owners),
        "levels": dict(zip(ids, best.levels, strict=True)),
        "prices": dict(zip(ids, best.prices, strict=True)),
        "loads": list(best.loads),
        "moved": best.moved,
        "rack_mismatch": best.rack_mismatch,
    }


GENERATION = 1
"""The generation that `as_group` gives to all owned partitions, so that none is stale."""


class Shortfall(NamedTuple):
    """The distance of figures from the best ones; None is "not judged"."""

    balance: int
    spread: int
    movement: int | None
    rack: int | None


def shortfall(mine: Figures, best: Figures, order: Sequence[str] = MOVEMENT_FIRST) -> Shortfall:
    """The distance in each goal; one after the balance is judged where those before it are reached."""
    balance = sum(load * load for load in mine.loads) - sum(load * load for load in best.loads)
    spread = (mine.loads[-1] - mine.loads[0]) - (best.loads[-1] - best.loads[0])
    further = {"movement": mine.moved - best.moved, "rack": mine.rack_mismatch - best.rack_mismatch}
    judged: dict[str, int] = {}
    for goal in order[1:] if balance == 0 else ():
        judged[goal] = further[goal]
        if further[goal]:
            break
    return Shortfall(balance, spread, judged.get("movement"), judged.get("rack"))


def gap(
    problem: Problem,
    answer: Mapping[str, Iterable[TopicPartition]],
    best: Optimum | None = None,
    order: tuple[str, ...] = MOVEMENT_FIRST,
) -> Gap[Problem, Optimum]:
    """The distance of an answer (partitions by member id) to the optimum, computed if it is not given.

    Raises `InputError` if the answer is not an assignment of the problem: a partition assigned twice, to a
    member that does not read it, or missing from the problem.
    """
    best = best or best_assignment(problem, order)
    owners = owners_of(problem, answer)
    missing = sum(row.count(NO_OWNER) for row in owners.values())
    mine = figures(problem, owners)
    if missing:
        return Gap(problem=problem, best=best, missing=missing, **mine._asdict())
    least = Figures(best.loads, best.moved, best.rack_mismatch)
    further = shortfall(mine, least, best.order)
    return Gap(problem=problem, best=best, missing=0, **mine._asdict(), **further._asdict())


def owners_of(problem: Problem, answer: Mapping[str, Iterable[TopicPartition]]) -> dict[str, tuple[int, ...]]:
    """The answer as positions by topic; raises `InputError` where it is no assignment of the problem."""
    position = {member.member_id: m for m, member in enumerate(problem.members)}
    sizes = {topic.name: topic.partitions for topic in problem.topics}
    rows = {topic: [NO_OWNER] * sizes[topic] for topic in problem.subscribers}
    for member_id, partitions in answer.items():
        m = position.get(member_id)
        if m is None:
            raise InputError(f"assignment: member {member_id!r} is not in the group")
        for topic, partition in partitions:
            row = rows.get(topic)
            if row is None or not 0 <= partition < len(row) or topic not in problem.members[m].topics:
                raise InputError(f"assignment.{member_id}: {topic}-{partition} is not for this member")
            if row[partition] != NO_OWNER:
                raise InputError(f"assignment.{member_id}: {topic}-{partition} is given twice")
            row[partition] = m
    return {topic: tuple(row) for topic, row in rows.items()}


def as_group(problem: Problem) -> tuple[Cluster, Group]:
    """The problem as an assignor sees it: a broker a rack, and all owned partitions of one generation."""
    racks = sorted(
        {rack for topic in problem.topics for known in topic.racks or () for rack in known}
        | {member.rack for member in problem.members if member.rack is not None}
    )
    broker = {rack: number for number, rack in enumerate(racks)}
    topics = tuple(
        Topic(
            topic.name,
            topic.partitions,
            None
            if topic.racks is None
            else tuple(tuple(sorted(broker[r] for r in known)) for known in topic.racks),
            topic.weights,
        )
        for topic in problem.topics
    )
    owned: list[list[TopicPartition]] = [[] for _ in problem.members]
    for name, owners in problem.previous.items():
        for partition, owner in enumerate(owners):
            if owner != NO_OWNER:
                owned[owner].append(TopicPartition(name, partition))
    members = tuple(
        Member(member.member_id, tuple(sorted(member.topics)), tuple(tps), GENERATION, member.rack)
        for member, tps in zip(problem.members, owned, strict=True)
    )
    brokers = tuple(Broker(number, rack) for rack, number in broker.items())
    return Cluster(topics, brokers), Group(members, members[0].member_id if members else None)


class _Named(Protocol):
    """A problem with a name."""

    @property
    def name(self) -> str:
        """The name of the instance."""


class Measured(Protocol):
    """A gap on a problem."""

    @property
    def problem(self) -> _Named:
        """The problem."""


G = TypeVar("G", bound=Measured)


class Distribution(NamedTuple):
    """Gaps of many instances in one objective; `at_zero` is a share of those `judged`."""

    judged: int
    median: float
    p99: int
    worst: int
    at_zero: float
    worst_name: str


def distribution(gaps: Iterable[G], value_of: Callable[[G], int | None]) -> Distribution | None:
    """The distribution of a value that is None where it is not judged; None where none is."""
    named = ((value, each.problem.name) for each in gaps if (value := value_of(each)) is not None)
    values = sorted(named, key=itemgetter(0))
    if not values:
        return None
    numbers = [value for value, _ in values]
    count = len(numbers)
    middle = (numbers[(count - 1) // 2] + numbers[count // 2]) / 2
    # The nearest rank: the least value that at least 99 % of the values do not exceed.
    rank = max(0, -(-99 * count // 100) - 1)
    return Distribution(count, middle, numbers[rank], numbers[-1], numbers.count(0) / count, values[-1][1])
