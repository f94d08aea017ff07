"""Claims about who has how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.step import Step
from kassay.model.kinds import CONSUMER_GROUPS
from kassay.properties.parameters import NumberRange, number, one_of
from kassay.properties.registry import Evidence, Promise, Scope, claim

ORDER = "balance,movement,rack"
RACK_FIRST = "balance,rack,movement"


class Best(NamedTuple):
    """The certified optimum for an outcome, supplied by whoever has a solver.

    `loads` are ascending. `moved` and `mismatched` are the least possible in the stated order.
    `weight_bound` is a certified lower bound on the heaviest member's weight.
    """

    loads: tuple[int, ...]
    moved: int
    mismatched: int
    weight_bound: int | None = None


def equal_subscriptions(step: Step) -> bool:
    """Whether all members read the same topics."""
    return step.group.equal_subscriptions


@claim(
    "balanced-within-one",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OUTCOME,
    applies=equal_subscriptions,
    source="RoundRobinAssignor; KIP-54",
)
def balanced_within_one(step: Step) -> Iterator[Evidence]:
    """Where all subscriptions are equal, max load - min load <= 1."""
    loads = step.loads
    most, least = max(loads.values()), min(loads.values())
    if most - least > 1:
        yield Evidence(
            _who(loads, most), {"has": most, "while": _who(loads, least), "with": least, "loads": loads}
        )


def _who(loads: dict[str, int], load: int) -> str:
    """The first member with that load."""
    return min(member_id for member_id, count in loads.items() if count == load)


@claim("balanced-kip54", kinds=CONSUMER_GROUPS, scope=Scope.OUTCOME, source="KIP-54")
def balanced_kip54(step: Step) -> Iterator[Evidence]:
    """No single move of a partition to a member with at least two fewer helps."""
    loads, read = step.loads, step.read
    if max(loads.values()) - min(loads.values()) < 2:
        return
    for x, tps in step.given.items():
        if x not in loads:
            continue
        held = sorted({tp[0] for tp in tps})
        for y, load in loads.items():
            if loads[x] >= load + 2:
                shared = next((topic for topic in held if topic in read[y]), None)
                if shared is not None:
                    tp = min(tp for tp in tps if tp[0] == shared)
                    yield Evidence(str(tp), {"of": x, "with": loads[x], "could go to": y, "with only": load})


@claim(
    "balanced-optimal",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    source="Harvey et al. 2006, semi-matchings",
)
def balanced_optimal(step: Step, best: Best) -> Iterator[Evidence]:
    """The sorted load vector is the lexicographically least possible."""
    loads = tuple(sorted(step.loads.values()))
    if loads != best.loads:
        yield Evidence("loads", {"are": loads, "could be": best.loads})


@claim(
    "sticky-minimal",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    source="KIP-54: second goal of the sticky rule",
)
def sticky_minimal(step: Step, best: Best) -> Iterator[Evidence]:
    """Among assignments with the optimal loads, the fewest partitions leave their previous owner.

    Judged where the loads are optimal; elsewhere the gap is reported.
    """
    if tuple(sorted(step.loads.values())) != best.loads:
        return
    gone = moved(step.given, step.previous)
    if len(gone) > best.moved:
        yield Evidence(
            f"{len(gone)} partitions", {"moved": tuple(map(str, gone)), "needed to move": best.moved}
        )


def order_of(promise: Promise) -> str:
    """The order of goals in which the optimum for this promise is sought."""
    return promise.argument or ORDER if promise.claim.id == "rack-local" else ORDER


@claim(
    "rack-local",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    parameter=one_of(ORDER, RACK_FIRST),
    source="KIP-881",
)
def rack_local(step: Step, best: Best, order: str) -> Iterator[Evidence]:
    """In the declared order of goals, the fewest partitions whose owner's rack holds no replica.

    Judged where the goals before it are met; never better locality at the price of balance.
    """
    if tuple(sorted(step.loads.values())) != best.loads:
        return
    if order != RACK_FIRST and len(moved(step.given, step.previous)) != best.moved:
        return
    bad = rack_mismatches(step.cluster, step.group, step.given)
    if len(bad) > best.mismatched:
        yield Evidence(
            f"{len(bad)} partitions",
            {"without a local replica": tuple(map(str, bad)), "needed": best.mismatched},
        )


def weighted(step: Step) -> bool:
    """Whether any topic has partition weights."""
    return any(topic.weights is not None for topic in step.cluster.topics)


@claim(
    "weighted-spread",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    applies=weighted,
    parameter=number(NumberRange(1, 1000), default="2"),
    source="lag-based assignors; P||Cmax",
)
def weighted_spread(step: Step, best: Best, ratio: str) -> Iterator[Evidence]:
    """With partition weights, the heaviest member carries at most r times the certified lower bound."""
    if best.weight_bound is None:
        return
    cluster = step.cluster
    weights = {m: sum(cluster.weight(tp) for tp in tps if cluster.has(tp)) for m, tps in step.given.items()}
    heaviest = max(weights.values(), default=0)
    if heaviest > float(ratio) * best.weight_bound:
        who = min(member_id for member_id, weight in weights.items() if weight == heaviest)
        yield Evidence(who, {"carries": heaviest, "lower bound": best.weight_bound, "allowed ratio": ratio})
