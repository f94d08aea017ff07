"""Claims about loads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.step import Step
from kassay.properties.groups.exchanges import mismatches_more, moves_more
from kassay.properties.registry import Claim, Evidence, NumberRange, Scope, claim, number, one_of
from kassay.writing.text import counted, only, series

ORDER = "balance,movement,rack"
RACK_FIRST = "balance,rack,movement"
WEIGHTED_SPREAD = "weighted-spread"
"""The only claim that uses the bound on the heaviest member."""


class Best(NamedTuple):
    """The certified optimum for an outcome, supplied by a caller with a solver.

    `loads` are ascending. `moved` and `mismatched` are the least possible in the stated order, and
    `assignment` is one that has them. `weight_bound` is a certified lower bound on the heaviest member's
    weight.
    """

    loads: tuple[int, ...]
    moved: int
    mismatched: int
    assignment: Assignment
    weight_bound: int | None = None


def equal_subscriptions(step: Step) -> bool:
    """Whether all members read the same topics."""
    return step.group.equal_subscriptions


def _may_differ_by_two(step: Step) -> bool:
    """Whether one member could have everything, at least two partitions more than another has."""
    members, counts = step.group.members, step.cluster.counts
    return len(members) > 1 and sum([counts.get(topic, 0) for topic in set(members[0].topics)]) > 1


@claim(
    "balanced-within-one",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OUTCOME,
    applies=equal_subscriptions,
    breakable=_may_differ_by_two,
    source="RoundRobinAssignor; KIP-54",
    fix=(
        "count partitions over all topics when choosing the next member, so that none gets two "
        "more than another"
    ),
)
def balanced_within_one(step: Step) -> Iterator[Evidence]:
    """Where all subscriptions are equal, max load - min load <= 1."""
    loads = step.loads
    most, least = max(loads.values()), min(loads.values())
    if most - least > 1:
        heavy, light = _first_with(loads, most), _first_with(loads, least)
        yield Evidence(
            heavy,
            {"has": most, "while": light, "with": least, "loads": loads},
            f"{heavy} has {counted(most, 'partition')}, but {light} has {only(least)}.",
        )


def _first_with(loads: dict[str, int], load: int) -> str:
    """The first member with that load."""
    return min(member_id for member_id, count in loads.items() if count == load)


class _Reach(NamedTuple):
    """The contested topics, and for each member the partitions that it may have and those it must have."""

    contested: tuple[tuple[str, ...], ...]
    most: dict[str, int]
    least: dict[str, int]

    @classmethod
    def of(cls, step: Step) -> _Reach | None:
        """The members' possible partitions; None if one topic has two readers and two partitions or more.

        Two readers of two partitions may always differ by two: the one that needs fewer of the others may
        have none, the other one both.
        """
        if step.is_divisible:
            return None
        contested = []
        most = dict.fromkeys(step.group.by_id, 0)
        least = dict(most)
        subscribers = step.group.subscribers
        for topic, count in step.cluster.counts.items():
            readers = subscribers.get(topic, ())
            if len(readers) > 1:
                contested.append(readers)
            for member_id in readers:
                most[member_id] += count
            if len(readers) == 1:
                least[readers[0]] += count
        return cls(tuple(contested), most, least)


def _may_be_moved_better(step: Step) -> bool:
    """Whether a member could have two partitions more than another one that reads a topic with it."""
    reach = _Reach.of(step)
    return reach is None or any(
        reach.most[x] >= reach.least[y] + 2
        for readers in reach.contested
        for x, y in permutations(readers, 2)
    )


def _some_move_helps(step: Step) -> bool:
    """Whether a member has a partition of a topic that another one with two fewer reads."""
    loads = step.loads
    least, readers = min(loads.values()), step.group.subscribers
    equal = {id(ids): ids for ids in readers.values()}
    lightest = {key: min(map(loads.__getitem__, ids)) for key, ids in equal.items()}
    of_topic = {topic: lightest[id(ids)] for topic, ids in readers.items()}
    return any(
        load > least + 1
        and load > min([of_topic.get(topic, load) for topic in {tp[0] for tp in step.given[member_id]}]) + 1
        for member_id, load in loads.items()
    )


@claim(
    "balanced-kip54",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OUTCOME,
    breakable=_may_be_moved_better,
    source="KIP-54",
    fix=("move a partition whenever a subscriber of its topic has two fewer, until no such move is left"),
)
def balanced_kip54(step: Step) -> Iterator[Evidence]:
    """No partition could go to a subscriber that has at least two fewer than its owner."""
    loads = step.loads
    if max(loads.values()) - min(loads.values()) < 2 or not _some_move_helps(step):
        return
    read = step.read
    for x, tps in step.given.items():
        if x not in loads:
            continue
        held = sorted({tp[0] for tp in tps})
        for y, load in loads.items():
            if loads[x] >= load + 2:
                shared = next((topic for topic in held if topic in read[y]), None)
                if shared is not None:
                    tp = min(tp for tp in tps if tp[0] == shared)
                    yield Evidence(
                        str(tp),
                        {"owner": x, "with": loads[x], "could go to": y, "with only": load},
                        f"{tp} belongs to {x}, which has {loads[x]} partitions, "
                        f"but could go to {y}, which has {only(load)}.",
                    )


def _loads_may_differ(step: Step, _: Best) -> bool:
    """Whether two answers could have different sorted loads.

    They are equal only where no member reads two contested partitions and the readers of each contested one
    must have equally many of the others.
    """
    reach = _Reach.of(step)
    if reach is None:
        return True
    reading = [member_id for readers in reach.contested for member_id in readers]
    return len(set(reading)) < len(reading) or any(
        len({reach.least[member_id] for member_id in readers}) > 1 for readers in reach.contested
    )


@claim(
    "balanced-optimal",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    breakable=_loads_may_differ,
    source="Harvey et al. 2006, semi-matchings",
    fix=("move partitions along chains of subscribers too, not only from one member straight to another"),
)
def balanced_optimal(step: Step, best: Best) -> Iterator[Evidence]:
    """The sorted load vector is the lexicographically least possible."""
    loads = tuple(sorted(step.loads.values()))
    if loads != best.loads:
        own, possible = (series(each, most=8) for each in (loads, best.loads))
        words = f"The loads are {own} partitions, but {possible} are possible."
        yield Evidence("loads", {"are": loads, "could be": best.loads}, words)


def _is_balanced(step: Step, best: Best) -> bool:
    """Whether the loads are the best possible."""
    return tuple(sorted(step.loads.values())) == best.loads


def _may_move_more(step: Step, best: Best) -> bool:
    """Whether an answer with the best loads could move more partitions than needed."""
    return moves_more(step, best.assignment)


@claim(
    "sticky-minimal",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    applies=_is_balanced,
    breakable=_may_move_more,
    source="KIP-54: second goal of the sticky rule",
    fix=("start from the previous owners (the highest generation counts) and move only what balance needs"),
)
def sticky_minimal(step: Step, best: Best) -> Iterator[Evidence]:
    """Among assignments with the optimal loads, the fewest partitions leave their previous owner.

    Judged where the loads are optimal; elsewhere the gap is reported.
    """
    gone = moved(step.given, step.previous)
    if len(gone) > best.moved:
        subject = counted(len(gone), "partition")
        yield Evidence(
            subject,
            {"moved": tuple(map(str, gone)), "needed to move": best.moved},
            f"{subject} moved ({series(gone)}), but {only(best.moved, 'had')} to.",
        )


def order_of(claim: Claim) -> str:
    """The order of goals of the optimum for this claim."""
    return claim.argument or ORDER if claim.kind.id == "rack-local" else ORDER


def _is_best_but_for_racks(step: Step, best: Best, order: str) -> bool:
    """Whether the goals before the racks are met."""
    return _is_balanced(step, best) and (
        order == RACK_FIRST or len(moved(step.given, step.previous)) == best.moved
    )


def _may_mismatch_more(step: Step, best: Best, order: str) -> bool:
    """Whether an answer that meets the goals before the racks could have more mismatches than needed."""
    return mismatches_more(step, best.assignment, unmoved=order != RACK_FIRST)


@claim(
    "rack-local",
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    applies=_is_best_but_for_racks,
    breakable=_may_mismatch_more,
    parameter=one_of(ORDER, RACK_FIRST),
    source="KIP-881",
    fix=("prefer, among equally good owners, a member whose rack holds a replica of the partition"),
)
def rack_local(step: Step, best: Best, _: str) -> Iterator[Evidence]:
    """In the declared order of goals, the fewest partitions whose owner's rack holds no replica.

    Judged where the goals before it are met; never better locality at the price of balance.
    """
    bad = rack_mismatches(step.cluster, step.group, step.given)
    if len(bad) > best.mismatched:
        subject = counted(len(bad), "partition")
        lack = "has no replica in its" if len(bad) == 1 else "have no replica in their"
        yield Evidence(
            subject,
            {"without a local replica": tuple(map(str, bad)), "needed": best.mismatched},
            f"{subject} {lack} owner's rack ({series(bad)}), but at best {only(best.mismatched, 'does')}.",
        )


def _has_weight_bound(_: Step, best: Best, __: str) -> bool:
    """Whether a topic with readers has partition weights."""
    return best.weight_bound is not None


def _may_weigh_more(step: Step, best: Best, ratio: str) -> bool:
    """Whether a member with all that it reads would carry more than allowed."""
    cluster = step.cluster
    weighs = {t: sum(map(cluster.weight, tps)) for t, tps in cluster.partitions.items()}
    heaviest = max(sum(weighs.get(topic, 0) for topic in topics) for topics in step.read.values())
    return heaviest > float(ratio) * (best.weight_bound or 0)


@claim(
    WEIGHTED_SPREAD,
    kinds=CONSUMER_GROUPS,
    scope=Scope.OPTIMUM,
    applies=_has_weight_bound,
    breakable=_may_weigh_more,
    parameter=number(NumberRange(1, 1000), default="2"),
    source="lag-based assignors; P||Cmax",
    fix=("assign partitions by their weight, the heaviest first, each to the subscriber that carries least"),
)
def weighted_spread(step: Step, best: Best, ratio: str) -> Iterator[Evidence]:
    """With partition weights, the heaviest member carries at most r times the certified lower bound."""
    bound = best.weight_bound or 0
    cluster = step.cluster
    weights = {m: sum(cluster.weight(tp) for tp in tps if cluster.has(tp)) for m, tps in step.given.items()}
    heaviest = max(weights.values(), default=0)
    if heaviest > float(ratio) * bound:
        who = min(member_id for member_id, weight in weights.items() if weight == heaviest)
        yield Evidence(
            who,
            {"carries": heaviest, "lower bound": bound, "allowed ratio": ratio},
            f"{who} carries a weight of {heaviest}, more than {ratio} times the lower bound of {bound}.",
        )
