"""Claims about planners as callers see them (kind L), and requests to them out of a source of choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.failure import FailureKind
from kassay.model.groups.step import Failure, Look
from kassay.model.kinds import Kind
from kassay.model.placement.plan import Plan
from kassay.model.placement.planning import PlanRequest, PlanStep
from kassay.model.placement.request import Replicas
from kassay.properties.placement.plans import has_many_moves
from kassay.properties.placement.scenarios import (
    EVEN_RACKS,
    NO_RACKS,
    UNEVEN_RACKS,
    PlacementProfile,
    brokers,
)
from kassay.properties.registry import Evidence, Scope, claim
from kassay.properties.situations import SITUATIONS, Situation
from kassay.properties.sources import Source, many

_SPENT = (FailureKind.TIMEOUT, FailureKind.MEMORY)


def _answers(step: PlanStep) -> Iterator[tuple[str, Plan | Failure]]:
    yield "plan", step.answer
    for probe in step.probes:
        yield f"plan, asked {probe.look.value}", probe.answer


@claim("total", kinds=Kind.PLANNER, scope=Scope.STEP, validity=True, source="KIP-455")
def total(step: PlanStep) -> Iterator[Evidence]:
    """A well-formed request never raises."""
    for call, answer in _answers(step):
        if isinstance(answer, Failure) and answer.kind not in _SPENT:
            yield Evidence(call, {"no answer": answer.message})


@claim("terminates", kinds=Kind.PLANNER, scope=Scope.STEP, validity=True, source="KIP-455")
def terminates(step: PlanStep) -> Iterator[Evidence]:
    """It answers within the call limit."""
    for call, answer in _answers(step):
        if isinstance(answer, Failure) and answer.kind in _SPENT:
            yield Evidence(call, {"no answer": answer.message})


def _differing(step: PlanStep, *looks: Look) -> Iterator[Evidence]:
    for probe in step.probes:
        if probe.look not in looks or probe.answer == step.answer:
            continue
        then = probe.answer
        told = then.message if isinstance(then, Failure) else tuple(map(str, then.moves))
        first = step.answer.moves if isinstance(step.answer, Plan) else ()
        yield Evidence("the plan", {"asked": probe.look.value, "first": tuple(map(str, first)), "then": told})


@claim(
    "pure",
    kinds=Kind.PLANNER,
    scope=Scope.STEP,
    validity=True,
    looks=(Look.AGAIN, Look.OTHER),
    source="KIP-455",
)
def pure(step: PlanStep) -> Iterator[Evidence]:
    """The same request gets the same plan from this and any other object."""
    yield from _differing(step, Look.AGAIN, Look.OTHER)


@claim(
    "deterministic",
    kinds=Kind.PLANNER,
    scope=Scope.STEP,
    looks=(Look.AGAIN, Look.OTHER, Look.PROCESS),
    source="KAFKA-12898: answers that follow a hash order",
)
def deterministic(step: PlanStep) -> Iterator[Evidence]:
    """The plan depends on the request alone: not on process, hash seed, time or earlier calls."""
    yield from _differing(step, Look.AGAIN, Look.OTHER, Look.PROCESS)


_PROFILE = PlacementProfile(brokers_max=7, racks=(NO_RACKS, EVEN_RACKS, UNEVEN_RACKS), fenced=False)


def plan_request(source: Source, profile: PlacementProfile = _PROFILE) -> PlanRequest:
    """Brokers that come, go or change their rack, under one or two topics that are there already."""
    hosts = brokers(source, profile)
    stay = list(hosts)
    if len(stay) > 1 and source.boolean(0.6):
        stay.remove(source.choice(stay))
    if len(stay) > 2 and source.boolean(0.2):
        stay.remove(source.choice(stay))
    factor = source.integer(1, min(3, len(stay)))
    # New brokers hold nothing yet: rows go to a part of those that were there.
    empty = source.integer(0, len(hosts) - factor) if source.boolean(0.5) else 0
    holders = hosts[: len(hosts) - empty]
    rows = many(source, 1, 10, lambda _: _row(source, holders, factor), 0.8)
    split = source.integer(1, len(rows))
    before = tuple(
        (TopicPartition("t0", number) if number < split else TopicPartition("t1", number - split), row)
        for number, row in enumerate(rows)
    )
    return PlanRequest(_reracked(source, stay), before, factor)


def _row(source: Source, hosts: tuple[Broker, ...], factor: int) -> Replicas:
    left = [broker.broker_id for broker in hosts]
    row = []
    for _ in range(factor):
        row.append(source.choice(left))
        left.remove(row[-1])
    return tuple(row)


def _reracked(source: Source, hosts: list[Broker]) -> tuple[Broker, ...]:
    """The brokers, one of them now and then in another rack."""
    racks = sorted({broker.rack for broker in hosts if broker.rack is not None})
    if len(racks) > 1 and source.boolean(0.3):
        place = source.integer(0, len(hosts) - 1)
        hosts = [*hosts[:place], hosts[place]._replace(rack=source.choice(racks)), *hosts[place + 1 :]]
    return tuple(hosts)


MANY_MOVES = Situation(
    "many-moves",
    (Kind.PLANNER,),
    "Several replicas of one partition move in one plan.",
    has_many_moves,
    ("plan-valid",),
)
SITUATIONS["many-moves"] = MANY_MOVES


def smaller_requests(asked: PlanRequest) -> Iterator[PlanRequest]:
    """Requests with less in them, the boldest cuts first."""
    rows = asked.before
    width = len(rows) // 2
    while width:
        for start in range(0, len(rows), width):
            if width < len(rows):
                yield replace(asked, before=rows[:start] + rows[start + width :])
        width //= 2
    if asked.replication_factor > 1:
        less = asked.replication_factor - 1
        yield replace(
            asked, replication_factor=less, before=tuple((tp, row[:less]) for tp, row in asked.before)
        )
    if len(asked.brokers) > asked.replication_factor:
        for broker in asked.brokers:
            yield replace(asked, brokers=tuple(other for other in asked.brokers if other != broker))
    if any(broker.rack is not None for broker in asked.brokers):
        yield replace(asked, brokers=tuple(broker._replace(rack=None) for broker in asked.brokers))
