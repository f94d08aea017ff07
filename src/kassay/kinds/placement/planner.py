"""The driver of planners: one placement to change a case, put to a new object of the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from kassay.kinds.registry import drives
from kassay.model.placement.kinds import PLANNER
from kassay.kinds.cuts import one_or_two, without_one, without_runs
from kassay.kinds.judging import Calls, Subject
from kassay.kinds.placement.scopes import fresh_plan_requests
from kassay.kinds.protocol import Driver
from kassay.model.calls import Failure
from kassay.model.placement.documents import PLAN_REQUEST, PLAN_STEP, plan_step_to_json
from kassay.model.placement.plan import Plan
from kassay.model.placement.planning import PlanRequest, PlanStep, plan_step
from kassay.properties.profile import Profile
from kassay.properties.placement.aims import PLANNER_AIMS, aimed_plan_request
from kassay.properties.placement.plan_scenarios import plan_request
from kassay.properties.placement.plans import BestPlan
from kassay.properties.registry import Promise, is_sentence
from kassay.properties.sources import Source

if TYPE_CHECKING:
    from kassay.solver.placement.optimum import PlacementOptimum

FRESH_MAX: Final = 2000
"""So many of the smallest requests are tried where one cannot be cut further."""


@drives(PLANNER)
class PlanDriver(Driver[PlanRequest]):
    """Asks a planner for plans."""

    asks = "plan"
    goals = ("replicas", "copies")
    form = PLAN_REQUEST
    narration = PLAN_STEP
    aims = PLANNER_AIMS

    def generate(self, source: Source, profile: Profile, aim: str = "") -> PlanRequest:
        """A request out of the source's choices."""
        return aimed_plan_request(source) if aim else plan_request(source)

    def play(self, case: PlanRequest, subject: Subject) -> Iterator[Calls[PlanStep]]:
        """The one plan."""
        step = plan_step(partial(subject.new, {}), case, subject.looks, subject.new_twin)
        yield Calls((step,), () if isinstance(step.answer, Failure) else (step,))

    def scene(self, case: PlanRequest, played: Calls[PlanStep]) -> Plan | None:
        """Situations are those of the plan."""
        return next((step.given for step in played.outcomes), None)

    def parts(self, answer: Plan) -> dict[str, object]:
        """The moves by number."""
        return {f"move {number}": str(move) for number, move in enumerate(answer.moves, start=1)}

    def measures(self, asked: tuple[PlanRequest], answer: Plan) -> dict[str, object]:
        """Replicas on each broker afterwards, the most first, and how many are copied."""
        before = dict(asked[0].before)
        copies = sum(len(set(row) - set(before.get(tp, ()))) for tp, row in answer.after)
        return {"replicas": loads_after(asked[0], answer)[::-1], "copies": copies}

    def best(self, outcome: PlanStep, promise: Promise) -> BestPlan | int | None:
        """The fewest copies, for a plan that reaches the best balance; for a sentence whatever is best."""
        best = best_plan(outcome.request)
        if is_sentence(promise.id):
            return BestPlan(tuple(sorted(best.replicas)), best.copies)
        reached = loads_after(outcome.request, outcome.given) == tuple(sorted(best.replicas))
        return best.copies if reached else None

    def shrink_candidates(self, case: PlanRequest) -> Iterator[PlanRequest]:
        """Requests with something taken away, the boldest cuts first."""
        yield from one_or_two(case, _candidates)
        fresh = (less for less in fresh_plan_requests(case) if self.size(less) < self.size(case))
        yield from islice(fresh, FRESH_MAX)

    def size(self, case: PlanRequest) -> tuple[int, ...]:
        """Partitions, replicas, brokers and racks."""
        racks = {broker.rack for broker in case.brokers if broker.rack is not None}
        return len(case.before), case.replication_factor, len(case.brokers), len(racks)

    def counts(self, case: PlanRequest) -> Mapping[str, int]:
        """Brokers stand for members; a request is one event."""
        return {"members": len(case.brokers), "partitions": len(case.before), "events": 1}

    def document_of(self, step: PlanStep) -> dict[str, Any]:
        """The request and its plan."""
        return plan_step_to_json(step)

    def narrate(self, case: PlanRequest, subject: Subject) -> list[dict[str, Any]]:
        """The one plan."""
        return [plan_step_to_json(plan_step(partial(subject.new, {}), case))]


def _candidates(case: PlanRequest) -> Iterator[PlanRequest]:
    """Cases with one thing taken away, the boldest cuts first."""
    for rows in without_runs(case.before, len(case.before) // 2):
        yield replace(case, before=rows)
    if case.replication_factor > 1:
        less = case.replication_factor - 1
        rows = tuple((tp, row[:less]) for tp, row in case.before)
        yield replace(case, replication_factor=less, before=rows)
    if len(case.brokers) > case.replication_factor:
        for brokers in without_one(case.brokers):
            yield replace(case, brokers=brokers)
    if any(broker.rack is not None for broker in case.brokers):
        yield replace(case, brokers=tuple(broker._replace(rack=None) for broker in case.brokers))


def loads_after(request: PlanRequest, plan: Plan) -> tuple[int, ...]:
    """Replicas on each broker of the request once the plan is through, ascending."""
    held = Counter(broker for _, row in plan.after for broker in row)
    return tuple(sorted(held[broker.broker_id] for broker in request.brokers))


@lru_cache(maxsize=1024)
def best_plan(request: PlanRequest) -> PlacementOptimum:
    """The certified best placement that the request can end in, at the fewest copies."""
    from kassay.solver.placement.optimum import best_placement
    from kassay.solver.placement.problem import PlacementProblem

    return best_placement(PlacementProblem.of_plan(request))
