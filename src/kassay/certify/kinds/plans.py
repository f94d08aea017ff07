"""The driver of planners: one placement to change a case, put to a new object of the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kassay.certify.kinds.driver import Examination, Subject
from kassay.model.groups.step import Failure, Look
from kassay.model.placement.plan import Plan
from kassay.model.placement.planning import (
    PlanProbe,
    PlanRequest,
    PlanStep,
    ask_planner,
    plan_request_of,
    plan_request_to_json,
    plan_step,
    plan_step_to_json,
)
from kassay.properties.groups.generator import Profile
from kassay.properties.placement.plan_scenarios import MANY_MOVES, plan_request, smaller_requests
from kassay.properties.placement.plans import has_many_moves
from kassay.properties.registry import Promise, Scope, Violation
from kassay.properties.sources import Source
from kassay.solver.placement.optimum import PlacementOptimum, best_placement
from kassay.solver.placement.problem import Broker, PlacedTopic, PlacementProblem

ALWAYS_JUDGED = frozenset({"total", "terminates"})
"""Claims that speak of calls without an answer too."""


class PlanDriver:
    """Asks a planner for plans and judges every state that they go through."""

    def generate(self, source: Source, profile: Profile) -> PlanRequest:  # noqa: ARG002  # one size for all
        """A request out of the source's choices."""
        return plan_request(source)

    def examine(self, case: PlanRequest, subject: Subject) -> Examination:
        """Ask the planner and judge every promise that says something about the plan."""
        seen = Examination(asked=1)
        step = _step(case, subject)
        for promise in subject.promises:
            _judge(promise, step, seen)
        if isinstance(step.answer, Plan) and has_many_moves(step.answer):
            seen.reached[MANY_MOVES.id] = 1
        return seen

    def smaller(self, case: PlanRequest) -> Iterator[PlanRequest]:
        """Requests with something taken away."""
        return smaller_requests(case)

    def size(self, case: PlanRequest) -> tuple[int, ...]:
        """Partitions, replicas, brokers and racks."""
        racks = {broker.rack for broker in case.brokers if broker.rack is not None}
        return len(case.before), case.replication_factor, len(case.brokers), len(racks)

    def counts(self, case: PlanRequest) -> Mapping[str, int]:
        """Brokers stand for members; a request is one event."""
        return {"members": len(case.brokers), "partitions": len(case.before), "events": 1}

    def encode(self, case: PlanRequest) -> dict[str, Any]:
        """The request as a document."""
        return plan_request_to_json(case)

    def decode(self, document: object, path: str) -> PlanRequest:
        """The request that a document holds; raises `InputError`."""
        return plan_request_of(document, path)

    def told(self, case: PlanRequest, subject: Subject) -> list[dict[str, Any]]:
        """The one plan, second looks left out."""
        return [plan_step_to_json(plan_step(lambda: subject.new({}), case))]


def _step(case: PlanRequest, subject: Subject) -> PlanStep:
    """The answer with the second looks that the promises need."""
    looks = frozenset(look for promise in subject.promises for look in promise.claim.looks)
    step = plan_step(lambda: subject.new({}), case, looks - {Look.PROCESS})
    if subject.twin is None or isinstance(step.answer, Failure):
        return step
    other = PlanProbe(Look.PROCESS, ask_planner(subject.twin({}), case))
    return replace(step, probes=(*step.probes, other))


def _judge(promise: Promise, step: PlanStep, seen: Examination) -> None:
    """Judge one promise, if it says anything about the step and what it needs is there."""
    claim, plan = promise.claim, step.answer
    subject: tuple[Any, ...] = (step,)
    if isinstance(plan, Failure):
        if claim.id not in ALWAYS_JUDGED:
            return
    elif claim.scope is Scope.CASE:
        subject = (plan,)
    elif claim.scope is Scope.OPTIMUM:
        best = best_plan(step.request)
        if loads_after(step.request, plan) != tuple(sorted(best.replicas)):
            return
        subject = (plan, best.copies)
    seen.judged[promise.id] = seen.judged.get(promise.id, 0) + 1
    seen.violations += [Violation(promise.id, evidence) for evidence in claim.predicate(*subject)]


def loads_after(request: PlanRequest, plan: Plan) -> tuple[int, ...]:
    """Replicas on each broker of the request once the plan is through, ascending."""
    held = Counter(broker for _, row in plan.after for broker in row)
    return tuple(sorted(held[broker.broker_id] for broker in request.brokers))


@lru_cache(maxsize=1024)
def best_plan(request: PlanRequest) -> PlacementOptimum:
    """The certified best placement that the request can end in, at the fewest copies."""
    hosts = tuple(Broker(broker.broker_id, broker.rack) for broker in sorted(request.brokers))
    rows: dict[str, list[tuple[int, ...]]] = {}
    for tp, row in sorted(request.before):
        rows.setdefault(tp.topic, []).append(row)
    topics = tuple(PlacedTopic(name, len(own), request.replication_factor) for name, own in rows.items())
    return best_placement(PlacementProblem(hosts, topics, {name: tuple(own) for name, own in rows.items()}))
