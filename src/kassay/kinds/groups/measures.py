"""The outcomes of consumer groups and share groups, compared with the certified best."""

from __future__ import annotations

from collections.abc import Callable

from kassay.kinds.groups.oracle import best_of_group
from kassay.kinds.measures import Measure, MeasuredRest, measure_of
from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups.balance import ORDER
from kassay.solver.groups.optimum import Figures
from kassay.solver.groups.results import shortfall
from kassay.solver.groups.share_gap import share_gap
from kassay.solver.groups.shares import ShareProblem


def measured_group(outcome: Step) -> Measure | None:
    """A consumer group's outcome; None where the answer cannot be compared with the optimum."""
    best = best_of_group(outcome, ORDER)
    if not _is_assignment(outcome, sum(best.loads)):
        return None
    mine = Figures(
        tuple(sorted(outcome.loads.values())),
        len(moved(outcome.given, outcome.previous)),
        len(rack_mismatches(outcome.cluster, outcome.group, outcome.given)),
    )
    far = shortfall(mine, Figures(best.loads, best.moved, best.mismatched))
    units, equal = sum(mine.loads), outcome.group.equal_subscriptions
    return Measure(
        len(mine.loads), units, equal, far.balance, far.spread, mine.moved, best.moved, far.movement, far.rack
    )


def _is_assignment(outcome: Step, partitions: int) -> bool:
    """Whether the answer can be compared with the optimum: each partition once, assigned to a subscriber."""
    owners: set[TopicPartition] = set()
    given = 0
    for reader, tps in outcome.given.items():
        read = outcome.read.get(reader, frozenset())
        if any(tp[0] not in read or not outcome.cluster.has(tp) for tp in tps):
            return False
        owners.update(tps)
        given += len(tps)
    return given == len(owners) == partitions


def measured_share_group(outcome: Step) -> Measure | None:
    """A share group's outcome; None where the answer is not an assignment of the group."""
    problem = ShareProblem.of(outcome.cluster, outcome.group)
    try:
        gap = share_gap(problem, outcome.given)
    except InputError:
        return None
    return measure_of(gap, outcome.group.equal_subscriptions)


def rest_of_group(measured: Callable[[Step], Measure | None], rebalanced: Rebalanced) -> MeasuredRest | None:
    """The outcomes of a rebalance, and its rounds; None where its last call had no answer."""
    if isinstance(rebalanced.steps[-1].answer, Failure):
        return None
    # The last round only shows that the group is stable.
    rounds = max(1, len(rebalanced.steps) - 1) if rebalanced.settled else None
    return MeasuredRest([measured(outcome) for outcome in rebalanced.outcomes], rounds)
