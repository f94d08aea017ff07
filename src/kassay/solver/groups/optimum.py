"""The certified optimum of a consumer assignment problem.

Objectives, in lexicographic order: sorted loads, then partitions that leave their previous owner, then
partitions whose owner is in none of their replicas' racks (or the last two swapped). The balance comes from
the load levels, the rest from one min-cost flow per level; every result has passed the independent checker.

A cache of optima for groups that come again soon: the same call, another order of members, a judge.

The key is the canonical instance, in which members and topics are in the order of their names: equal
instances have equal optima, however their groups were written. The checker has accepted each cached optimum
for exactly that instance, so a caller relies only on the certificate. The arguments are frozen values: the
same objects need not be examined again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Final, NamedTuple, TypeVar

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import KassayError
from kassay.model.groups.group import Group
from kassay.model.lazy import lazy
from kassay.solver.algorithms.flow import is_over
from kassay.solver.algorithms.levels import Level, Leveled, level_numbers, leveled
from kassay.solver.check.balance import MOVEMENT_FIRST, BalanceCertificate, refusal
from kassay.solver.check.check import CertificateError
from kassay.solver.groups.hub import Aggregate, Hubs, UnitClass, aggregate, assign_level, level_bands
from kassay.solver.groups.problem import Problem
from kassay.solver.results import NO_OWNER


class NotPolynomialError(KassayError):
    """The problem is one of the NP-hard variants, whose answer is an interval."""


class Figures(NamedTuple):
    """The figures of an assignment: its loads, least first, its moves, and its rack mismatches."""

    loads: tuple[int, ...]
    moved: int
    rack_mismatch: int


class Balanced(NamedTuple):
    """The owner of each unit with the best balance, the levels that prove it, and a price for each member.

    Unless the time ran out, `late`, the prices prove the owners the cheapest with this balance.
    """

    by_weight: Sequence[Level]
    level_of: Sequence[int]
    owner: Sequence[int]
    prices: Sequence[int]
    late: bool


@dataclass(frozen=True)
class Optimum(BalanceCertificate):
    """An optimal assignment of a problem with its proof: `loads` are least first.

    `moved` counts the partitions that leave a previous owner that could have kept them, `rack_mismatch` those
    whose owner is in none of their replicas' racks.
    """

    problem: Problem

    @property
    def sum_squares(self) -> int:
        """The sum of the squared loads."""
        return sum(load * load for load in self.loads)

    @lazy
    def assignment(self) -> dict[str, tuple[TopicPartition, ...]]:
        """Each member id's partitions, by topic and number."""
        return self.problem.partitions_of(self.owners)


def best_assignment(
    problem: Problem, order: tuple[str, ...] = MOVEMENT_FIRST, *, portable: bool = False
) -> Optimum:
    """The best assignment, certified.

    Previous owners that are optimal already keep everything. Of equally good assignments a `portable` one is
    the same on every machine, whether OR-tools is installed or not. Raises `NotPolynomialError` for weights
    and for co-partitioned bundles of different sizes.
    """
    return proven(problem, order, best_balanced(problem, order, portable=portable))


def proven(problem: Problem, order: tuple[str, ...], balanced: Balanced) -> Optimum:
    """The cheapest owners as an optimum; raises `CertificateError` if the proof is not accepted."""
    owners = problem.owners_by_topic(balanced.owner)
    return certified(problem, order, owners, balanced.level_of, balanced.prices)


def best_balanced(
    problem: Problem, order: tuple[str, ...], deadline: float | None = None, *, portable: bool = False
) -> Balanced:
    """Owners with the best balance: the cheapest, or the best found by the deadline.

    `portable` and the exceptions are those of `best_assignment`.
    """
    require_polynomial(problem)
    counted = aggregate(problem)
    balance = leveled(len(problem.members), counted.sets, counted.counts)
    by_weight = balance.levels
    level_of = level_numbers(by_weight, len(problem.members))
    if order == MOVEMENT_FIRST:
        owner = _all_kept(problem, counted, by_weight, level_of)
        if owner is not None:
            return Balanced(by_weight, level_of, owner, [0] * len(problem.members), late=False)
    return _cheapest(problem, counted, balance, level_of, order, deadline, portable)


def _all_kept(
    problem: Problem, counted: Aggregate, by_weight: Sequence[Level], level_of: Sequence[int]
) -> list[int] | None:
    """The previous owner of each unit, if these have the best balance; None otherwise, or if a unit has none.

    Where a move outweighs every rack mismatch each unit then has its least cost, without any price.
    """
    for readers, bundles in zip(counted.sets, counted.bundles, strict=True):
        last = max([level_of[m] for m in readers])
        for _, bundle in bundles:
            row = problem.previous[bundle[0].name]
            if len({problem.previous[topic.name] for topic in bundle}) > 1:
                return None
            if NO_OWNER in row or {level_of[m] for m in {*row}} - {last}:
                return None
    owner = list(chain.from_iterable([problem.previous[bundle[0].name] for bundle in problem.bundles]))
    loads = Counter(owner)
    if any({loads[m] - level.low for m in level.members} - {0, 1} for level in by_weight):
        return None
    return owner


def require_polynomial(problem: Problem) -> None:
    """Raise `NotPolynomialError` where levels and prices prove no optimum."""
    if problem.weighted:
        raise NotPolynomialError("weighted partitions: the best balance is strongly NP-hard")
    if len(problem.bundle_sizes) > 1:
        raise NotPolynomialError("co-partitioned bundles of different sizes: the best balance is NP-hard")
    if problem.costed:
        raise NotPolynomialError("partitions that cost differently to move: another certificate proves those")


def restricted(counted: Aggregate, level_of: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """For each set of readers its last level and the members of it that belong to that level."""
    last_levels = []
    for readers in counted.sets:
        last = max(level_of[m] for m in readers)
        last_levels.append((last, tuple(m for m in readers if level_of[m] == last)))
    return last_levels


def weigh(problem: Problem, order: tuple[str, ...]) -> tuple[int, int]:
    """The costs of a move and of a rack mismatch that make the order lexicographic."""
    scale = 1 + sum(topic.partitions for bundle in problem.bundles for topic in bundle)
    return (scale, 1) if order == MOVEMENT_FIRST else (1, scale)


def _cheapest(
    problem: Problem,
    counted: Aggregate,
    balance: Leveled,
    level_of: Sequence[int],
    order: tuple[str, ...],
    deadline: float | None,
    portable: bool,
) -> Balanced:
    """The owner of each unit and the price of each member.

    A level for which there is no time has the owners that come with the balance, and no prices.
    """
    by_weight = balance.levels
    last = restricted(counted, level_of)
    owner = [NO_OWNER] * counted.units
    prices = [0] * len(problem.members)
    if is_over(deadline):
        _hand_out(counted, range(len(counted.sets)), balance.holds, owner)
        return Balanced(by_weight, level_of, owner, prices, late=True)
    by_level: list[list[UnitClass]] = [[] for _ in by_weight]
    for each in counted.classes:
        by_level[last[each.readers][0]].append(each)
    racks = [member.rack for member in problem.members]
    takers = [members for _, members in last]
    move, wrong = weigh(problem, order)
    late = False
    for number, (level, classes) in enumerate(zip(by_weight, by_level, strict=True)):
        hubs = Hubs(
            level.members,
            level_bands(level),
            racks,
            takers,
            lambda moved, mismatched: move * moved + wrong * mismatched,
        )
        priced = assign_level(hubs, classes, owner, deadline, portable=portable)
        if not priced:
            _hand_out(counted, [s for s, (of, _) in enumerate(last) if of == number], balance.holds, owner)
        for m, price in priced.items():
            prices[m] = price
        late = late or hubs.late
    return Balanced(by_weight, level_of, owner, prices, late)


def _hand_out(
    counted: Aggregate, sets: Iterable[int], holds: Sequence[Mapping[int, int]], owner: list[int]
) -> None:
    """Write owners of these sets' units by the members' counts; previous owners come first."""
    for s in sets:
        room = {m: holds[m].get(s, 0) for m in counted.sets[s]}
        loose: list[int] = []
        for first, bundle in counted.bundles[s]:
            for unit, before in enumerate(counted.previous[bundle[0].name], first):
                if room.get(before, 0):
                    room[before] -= 1
                    owner[unit] = before
                else:
                    loose.append(unit)
        takers = chain.from_iterable(repeat(m, free) for m, free in room.items())
        for unit, m in zip(loose, takers, strict=True):
            owner[unit] = m


def certified(
    problem: Problem,
    order: tuple[str, ...],
    owners: Mapping[str, tuple[int, ...]],
    level_of: Iterable[int],
    prices: Iterable[int],
) -> Optimum:
    """The assignment as an optimum; raises `CertificateError` if the proof is not accepted."""
    best = Optimum(order, owners, tuple(level_of), tuple(prices), *figures(problem, owners), problem)
    reason = refusal(problem, best)
    if reason is not None:
        raise CertificateError(f"the optimum of {problem.name or 'a problem'} was refused: {reason}")
    return best


def figures(problem: Problem, owners: Mapping[str, Sequence[int]]) -> Figures:
    """The figures of an assignment.

    An owner NO_OWNER leaves a partition out; it counts as moved if it had an owner, never as a mismatch.
    """
    moved = rack_mismatch = 0
    racks = [member.rack for member in problem.members]
    rows: list[Sequence[int]] = []
    for topic in problem.topics:
        row = owners.get(topic.name)
        if row is None:
            continue
        rows.append(row)
        before = problem.previous[topic.name]
        if row != before:
            moved += sum([old not in (NO_OWNER, new) for old, new in zip(before, row, strict=True)])
        if topic.racks is not None:
            rack_mismatch += sum(
                [
                    bool(known) and owner != NO_OWNER and racks[owner] not in known
                    for owner, known in zip(row, topic.racks, strict=True)
                ]
            )
    counted = Counter(chain.from_iterable(rows))
    loads = sorted([counted[m] for m in range(len(problem.members))])
    return Figures(tuple(loads), moved, rack_mismatch)


REMEMBERED: Final = 64
"""Instances and calls kept: more than a rebalance needs, and few enough to keep."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Asked(NamedTuple):
    """A call, which keeps its objects alive so that no others get their ids."""

    cluster: Cluster
    group: Group
    best: Optimum


_by_call: dict[tuple[int, int, tuple[str, ...]], _Asked] = {}
_by_instance: dict[tuple[object, ...], Optimum] = {}
_at_rest: dict[tuple[object, ...], Optimum] = {}
"""By the instance that results when the owners report their assignment."""


def remembered_optimum(cluster: Cluster, group: Group, order: tuple[str, ...] = MOVEMENT_FIRST) -> Optimum:
    """The certified optimum of the group with equal weights: the same on every machine."""
    call = id(cluster), id(group), order
    known = _by_call.get(call)
    if known is None:
        problem = Problem.of(cluster, group)
        known = _Asked(
            cluster, group, _of_instance(problem.unweighted() if cluster.weighs else problem, order)
        )
        _keep(_by_call, call, known)
    return known.best


def _of_instance(problem: Problem, order: tuple[str, ...]) -> Optimum:
    # Topics come in the order of their names, and so do the rows of previous owners.
    instance = problem.members, problem.topics, tuple(problem.previous.values()), order
    best = _by_instance.get(instance)
    if best is None:
        before = _at_rest.pop(instance, None)
        best = best_assignment(problem, order, portable=True) if before is None else _kept(problem, before)
        _keep(_by_instance, instance, best)
        if order == MOVEMENT_FIRST:
            rows = tuple(
                [best.owners.get(topic.name, (NO_OWNER,) * topic.partitions) for topic in problem.topics]
            )
            if rows != instance[2]:
                _keep(_at_rest, (problem.members, problem.topics, rows, order), best)
    return best


def _kept(problem: Problem, before: Optimum) -> Optimum:
    """The optimum of a group that owns exactly the previous optimum: all stays, at no price.

    `best_assignment` would return the same; the checker checks it as any other.
    """
    free = (0,) * len(problem.members)
    return certified(problem, before.order, before.owners, before.levels, free)


def _keep(memory: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Store the value in place of the oldest."""
    if len(memory) >= REMEMBERED:
        del memory[next(iter(memory))]
    memory[key] = value
