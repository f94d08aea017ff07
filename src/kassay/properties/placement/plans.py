"""Claims about plans that change a placement (kind L), one replica at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import NamedTuple, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Move, Plan, PlanStep
from kassay.model.placement.request import Replicas
from kassay.properties.placement.replicas import brokers, crowded_words, rack_rule, wrong_replicas
from kassay.properties.registry import Evidence, Scope, claim
from kassay.writing.text import counted, only


class BestPlan(NamedTuple):
    """The certified best end of a request: replicas by broker, ascending, and the fewest copies."""

    replicas: tuple[int, ...]
    copies: int


class Stage(NamedTuple):
    """One partition after a move: its replicas, how many there should be, and whether it was the last."""

    partition: TopicPartition
    after_moves: int
    before: Replicas
    replicas: Replicas
    wanted: int
    last: bool

    def against(self, facts: Mapping[str, object], words: str) -> Evidence:
        """The evidence with words that follow the name of the partition."""
        return Evidence(
            str(self.partition),
            {"after moves": self.after_moves, "replicas": self.replicas, **facts},
            f"After {counted(self.after_moves, 'move')}, {self.partition} {words}.",
        )


_P = TypeVar("_P", bound=Callable[..., Iterator[Evidence]])


def has_rows(step: PlanStep, *_: int) -> bool:
    """Whether there is a partition that a plan could move: needlessly, wrongly, or in another way."""
    return bool(step.request.before)


def _has_moves(step: PlanStep) -> bool:
    """Whether the plan moves anything: for an empty one the claims about moves are vacuous."""
    return bool(step.given.moves)


def _may_crowd(step: PlanStep) -> bool:
    """Whether a plan could break the rack rule, at least on the way.

    It could put two replicas into one rack where another is free, or keep a broker that is being removed,
    which counts for no rack, instead of one that stays.
    """
    brokers = {broker.broker_id for broker in step.request.brokers}
    racks = [broker.rack for broker in step.request.brokers]
    going = any(not brokers.issuperset(row) for _, row in step.request.before)
    return has_rows(step) and None not in racks and (going or 1 < len(set(racks)) < len(racks))


def _claim(
    claim_id: str,
    source: str,
    breakable: Callable[..., bool],
    scope: Scope = Scope.STEP,
    *,
    fix: str,
    applies: Callable[..., bool] | None = _has_moves,
    validity: bool = False,
) -> Callable[[_P], _P]:
    """Register a predicate over a planner's plan."""

    def register(predicate: _P) -> _P:
        @claim(
            claim_id,
            kinds=PLANNER,
            scope=scope,
            validity=validity,
            applies=applies,
            breakable=breakable,
            source=source,
            fix=fix,
        )
        @wraps(predicate)
        def of_step(step: PlanStep, *best: int) -> Iterator[Evidence]:
            return predicate(step.given, *best)

        return predicate

    return register


def move_words(move: Move) -> str:
    """The move as what it takes where."""
    if move.source is None:
        return f"a new replica of {move.partition} to broker {move.target}"
    where = "away" if move.target is None else f"to broker {move.target}"
    return f"a replica of {move.partition} from broker {move.source} {where}"


def stages(plan: Plan) -> Iterator[Stage]:
    """Every state of a partition during the plan, without the starts."""
    ends = {move.partition: number for number, move in enumerate(plan.moves, start=1)}
    sizes = {partition: len(replicas) for partition, replicas in plan.before}
    for number, (move, before, after) in enumerate(plan.states(), start=1):
        partition = move.partition
        sizes[partition] += move.added
        last = ends[partition] == number
        factor = plan.replication_factor
        wanted = factor if last and factor is not None else sizes[partition]
        yield Stage(partition, number, before, after, wanted, last)


@_claim(
    "plan-valid",
    "KIP-455",
    has_rows,
    fix="move a replica only from a broker that hosts it by then, to one that does not",
)
def plan_valid(plan: Plan) -> Iterator[Evidence]:
    """A replica moves only from a broker that hosts it; each state between keeps the other rules."""
    for number, (move, before, after) in enumerate(plan.states(), start=1):
        if move.source is not None and move.source not in before:
            words = f"Move {number} takes {move_words(move)}, but its replicas are on {brokers(before)}."
            yield Evidence(f"move {number}", {"is": str(move), "but the replicas are on": before}, words)
        if Counter(after) != Counter(move.exchanged(before)):
            words = f"Move {number} takes {move_words(move)}, but leads to {brokers(after)}."
            facts = {"is": str(move), "from": before, "but leads to": after}
            yield Evidence(f"move {number}", facts, words)
    yield from replicas_distinct_in_plan(plan)
    yield from rack_spread_in_plan(plan)


@_claim(
    "replicas-distinct",
    "KIP-455",
    has_rows,
    validity=True,
    fix=("use the replicas as they are after the previous moves, so that no broker is there twice"),
)
def replicas_distinct_in_plan(plan: Plan) -> Iterator[Evidence]:
    """After every move the partition has exactly RF different brokers, none of them removed at its last."""
    known = {broker.broker_id: broker for broker in plan.brokers}
    going = {
        partition: frozenset(broker for broker in replicas if broker not in known)
        for partition, replicas in plan.before
    }
    for stage in stages(plan):
        still = frozenset() if stage.last else going[stage.partition]
        for facts, words in wrong_replicas(stage.replicas, known, stage.wanted):
            unknown = facts.get("no such broker")
            if not isinstance(unknown, list) or not still.issuperset(unknown):
                yield stage.against(facts, words)


@_claim(
    "rack-spread",
    "KIP-36, KIP-455",
    _may_crowd,
    fix=("choose the order of moves so that no rack holds more replicas than the rule allows on the way"),
)
def rack_spread_in_plan(plan: Plan) -> Iterator[Evidence]:
    """No move breaks the rack rule of its partition, and a finished partition keeps it."""
    if not plan.brokers or any(broker.rack is None for broker in plan.brokers):
        return
    racks = {broker.broker_id: broker.rack for broker in plan.brokers}
    for stage in stages(plan):
        rule = rack_rule(plan.brokers, stage.wanted)
        held_before = not rack_rule(plan.brokers, len(stage.before)).broken_by(stage.before, racks)
        # A plan may start from a placement that breaks the rule; on the way it cannot fix all at once.
        if rule.broken_by(stage.replicas, racks) and (stage.last or held_before):
            held = tuple(racks.get(broker) for broker in stage.replicas)
            facts = {"in racks": held, "racks wanted": rule.racks, "in one": rule.most}
            yield stage.against(facts, crowded_words(stage.replicas, held, rule))


@_claim(
    "plan-minimal",
    "KAFKA-19048",
    has_rows,
    Scope.OPTIMUM,
    applies=None,
    fix="keep every replica whose broker has room for it in the balanced placement",
)
def plan_minimal(plan: Plan, fewest: int) -> Iterator[Evidence]:
    """The fewest replicas move among plans that reach the same balance."""
    copied = sum(move.target is not None for move in plan.moves)
    if copied > fewest:
        words = f"The plan copies {counted(copied, 'replica')}, but {only(fewest, 'has')} to be copied."
        yield Evidence("the plan", {"replicas copied": copied, "could be": fewest}, words)
