"""The drivers of placers (one request in a case) and of planners (one placement to change in a case)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice, starmap
from typing import TYPE_CHECKING, Any, Final

from kassay.kinds.broken import BrokenStep
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.judging import Calls, Subject
from kassay.kinds.placement.oracle import best_of_placement, best_rows
from kassay.kinds.placement.scopes import (
    CASE,
    PLACERS_LEAVE_OUT,
    PLANNERS_LEAVE_OUT,
    PlacementCase,
    fresh_plan_requests,
    fresh_requests,
    placer_cell,
    plan_cell,
)
from kassay.kinds.placement.words import placement_words, placer_asserts, placer_call, plan_words
from kassay.kinds.protocol import EVERY_CASE, Case, CellOptions, Driver, ScopeCell
from kassay.kinds.registry import drives
from kassay.kinds.words import OPTIMUM, Asserts, Offer, PlainCall
from kassay.model.calls import Failure
from kassay.model.java import JavaRandom
from kassay.model.placement.documents import (
    PLACEMENT,
    PLACEMENT_STEP,
    PLAN,
    PLAN_REQUEST,
    PLAN_STEP,
    plan_step_to_json,
    step_to_json,
)
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Plan, PlanRequest, PlanStep, plan_step
from kassay.model.placement.request import Placement, PlacementRequest, PlacementStep, place
from kassay.model.shape.cuts import name_rank
from kassay.model.shape.names import renamed
from kassay.model.shape.removal import Removal
from kassay.properties.placement.balance import BestPlacement
from kassay.properties.placement.plans import BestPlan
from kassay.properties.placement.scenarios import (
    LARGE,
    NO_RACKS,
    PLACER_AIMS,
    PLANNER_AIMS,
    SMALL,
    PlacementProfile,
    aimed_plan_request,
    aimed_request,
    plan_request,
    request,
)
from kassay.properties.placement.wide import PLACER_RANGES, PLACER_SIZES, racked_request, sized_request
from kassay.properties.placement.wide_plans import PLANNER_RANGES, PLANNER_SIZES, named_plan, sized_plan
from kassay.properties.profile import Profile
from kassay.properties.registry import Claim, is_sentence
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size, WideRange

if TYPE_CHECKING:
    from kassay.kinds.search import WorstSearch
    from kassay.solver.placement.optimum import PlacementOptimum


_SEED_MAX = 2**31 - 1
_PLAIN_ID_MAX: Final = 99
_PLAIN_PARTITION_MAX: Final = 9
_PLAIN_TOPIC_MAX: Final = 1
_PLAIN_RACK: Final = re.compile(r"rack\d{1,3}")
"""Numbers and names up to which a request counts as plain."""
FRESH_MAX: Final = 4000
"""The number of smallest requests that are tried where one cannot be cut further."""


def _with_smaller_ids(driver: Driver[Case], case: Case, ids: Collection[int]) -> Iterator[Case]:
    """The cases in which all large ids of brokers are smaller by a part of them, by half first."""
    large = [broker for broker in ids if broker > _PLAIN_ID_MAX]
    for part in range(1, max(large, default=0).bit_length() + 1):
        smaller = {broker: broker - max(1, broker >> part) for broker in large}
        if len({smaller.get(broker, broker) for broker in ids}) == len(ids):
            document = renamed(driver.form.node, driver.form.write(case), {"broker": smaller})
            less = driver.read(document)
            if less is not None:
                yield less


def _named(profile: Profile, named: frozenset[str]) -> Profile:
    """The profile with several names in each of the spaces `named`."""
    return replace(profile, wanted=named)


def _odd_racks(racks: Collection[str]) -> int:
    """How far names of racks are from plain ones: 0 for the generator's own."""
    return sum(name_rank(rack) for rack in racks if not _PLAIN_RACK.fullmatch(rack))


def _size_of_case(size: Size) -> Size:
    return replace(size, count=lambda case: size.count(case.request))


def _range_of_case(each: WideRange) -> WideRange:
    return replace(
        each,
        widen=lambda case, wanted, source: case._replace(request=each.widen(case.request, wanted, source)),
        seen=lambda case, wanted: each.seen(case.request, wanted),
    )


@drives(PLACER)
class PlacementDriver(Driver[PlacementCase]):
    """Calls a placer with requests."""

    asks = "place"
    pasts = False
    goals = ("replicas", "leaders")
    countable = tuple(map(_size_of_case, PLACER_SIZES))
    ranges = tuple(map(_range_of_case, PLACER_RANGES))
    form = CASE
    narration = PLACEMENT_STEP
    answers = PLACEMENT
    aims = PLACER_AIMS

    def generate(self, source: Source, profile: Profile, aim: str = "") -> PlacementCase:
        """A request built from the source's choices."""
        if profile.wanted:
            return PlacementCase(racked_request(source), source.integer(0, _SEED_MAX))
        sized = _profile(source, profile)
        generated = aimed_request(source, sized, aim) if aim else request(source, sized)
        return PlacementCase(generated, source.integer(0, _SEED_MAX))

    def sized(self, source: Source, profile: Profile, sizes: Mapping[str, int]) -> PlacementCase:
        """A request with so many brokers, new or existing partitions."""
        racked = bool(profile.wanted) or (profile.allows("no-racks") and source.boolean())
        return PlacementCase(sized_request(source, sizes, racked=racked), source.integer(0, _SEED_MAX))

    def wide_profile(self, profile: Profile, wanted: frozenset[str]) -> Profile:
        """One with racks where their names are wanted."""
        return _named(profile, wanted & {"rack"})

    def unnamed(self, assume: frozenset[str]) -> frozenset[str]:
        """Racks, where there are none."""
        return frozenset({"rack"} if "no-racks" in assume else ())

    def play(self, case: PlacementCase, subject: Subject) -> Iterator[Calls[PlacementStep]]:
        """The one call; its balance is judged where there is a placement."""
        new = partial(subject.new, {})
        step = place(new, case.request, case.seed, subject.looks, subject.new_twin)
        yield Calls((step,), () if step.placed is None else (step,))

    def scene(self, case: PlacementCase, played: Calls[PlacementStep]) -> PlacementRequest:
        """Situations are those of the request."""
        return case.request

    def parts(self, answer: Placement) -> dict[str, object]:
        """The replicas of each partition, counted from the first new one."""
        return {f"partition +{number}": replicas for number, replicas in enumerate(answer)}

    def measures(
        self, arguments: tuple[PlacementRequest, JavaRandom], answer: Placement
    ) -> dict[str, object]:
        """Replicas and leaders of the topic on each unfenced broker, the most first."""
        step = PlacementStep(arguments[0], answer)
        return {
            "replicas": tuple(sorted(step.replica_loads.values(), reverse=True)),
            "leaders": tuple(sorted(step.leader_loads.values(), reverse=True)),
        }

    def best(self, outcome: PlacementStep, claim: Claim) -> BestPlacement | None:
        """The certified best loads."""
        return best_of_placement(outcome)

    def shrink_candidates(self, case: PlacementCase) -> Iterator[PlacementCase]:
        """Requests with a replica fewer, existing rows included; then what is derived."""
        request = case.request
        if request.replication_factor > len(request.brokers) + 1:
            yield PlacementCase(replace(request, replication_factor=len(request.brokers) + 1), case.seed)
        if request.replication_factor > 1:
            existing = tuple(row[: request.replication_factor - 1] for row in request.existing)
            fewer = replace(request, replication_factor=request.replication_factor - 1, existing=existing)
            yield PlacementCase(fewer, case.seed)
        yield from _with_smaller_ids(self, case, request.by_id)
        yield from super().shrink_candidates(case)

    def smallest(self, case: PlacementCase) -> Iterator[PlacementCase]:
        """The smallest cases, to restart where one cannot be cut further."""
        return islice(
            (PlacementCase(request, case.seed) for request in fresh_requests(case.request)), FRESH_MAX
        )

    def size(self, case: PlacementCase) -> tuple[int, ...]:
        """Brokers, partitions, replicas, existing partitions, and the rest."""
        wanted = case.request
        ids = [broker.broker_id for broker in wanted.brokers]
        racks = sorted({broker.rack for broker in wanted.brokers if broker.rack is not None})
        return (
            len(ids),
            wanted.partitions,
            wanted.replication_factor,
            len(wanted.existing),
            sum(broker.fenced for broker in wanted.brokers),
            len(racks),
            sum(1 + racks.index(broker.rack) for broker in wanted.brokers if broker.rack is not None),
            wanted.fixed_start_index + 1,
            sum(place_ != broker for place_, broker in enumerate(ids)),
            sum(broker for broker in ids if broker > _PLAIN_ID_MAX),
            _odd_racks(racks),
        )

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[PlacementCase]:
        """Every request with these numbers of brokers and new partitions."""
        return starmap(PlacementCase, placer_cell(*cell.size, options.racks, options.alike_by_rack))

    @property
    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """What no scope has; nothing is certified by a scope of this kind."""
        return dict.fromkeys(PLACERS_LEAVE_OUT, ())

    def search(self) -> WorstSearch:
        """Changes racks, replication factors and starts."""
        from kassay.kinds.placement.search import PlacerSearch

        return PlacerSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, rare features first."""
        from kassay.kinds.placement.words import request_removals

        return request_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """A frame for each request."""
        from kassay.kinds.placement.view import placed_frames

        return placed_frames(reported)

    def counts(self, case: PlacementCase) -> Mapping[str, int]:
        """Brokers count as members; a request is one event."""
        return {"members": len(case.request.brokers), "partitions": case.request.partitions, "events": 1}

    def offers(self, claim: Claim, broken: BrokenStep, step: PlacementStep) -> Iterator[Offer]:
        """The certified best replicas of the new partitions, if any; existing ones stay."""
        if (rows := best_rows(step.request)) is not None:
            yield OPTIMUM, rows

    def answer_of(self, target: Any, step: PlacementStep) -> Any:
        """The reference's placement, or its refusal."""
        return place(lambda: target, step.request).answer

    def words(self, step: PlacementStep) -> str:
        """The replicas of each partition, or why it was refused."""
        return placement_words(step)

    def asserts(self, claim: str, broken: BrokenStep, step: PlacementStep) -> Asserts | None:
        """What must hold of the placement."""
        return placer_asserts(claim, broken, step)

    def plain_call(
        self, form: str, extras: tuple[str, ...], broken: BrokenStep, step: PlacementStep
    ) -> PlainCall | None:
        """How to call a user's placer."""
        return placer_call(form, step)

    def document_of(self, step: PlacementStep) -> dict[str, Any]:
        """The request and its answer."""
        return step_to_json(step)


def _profile(source: Source, profile: Profile) -> PlacementProfile:
    """The size and the racks that a run wants."""
    sized = LARGE if profile.goes_large(source) else SMALL
    return sized if profile.allows("no-racks") else replace(sized, racks=(NO_RACKS,))


FRESH_PLANS_MAX: Final = 2000
"""The number of smallest requests that are tried where one cannot be cut further."""


@drives(PLANNER)
class PlanDriver(Driver[PlanRequest]):
    """Calls a planner for plans."""

    asks = "plan"
    options = frozenset()
    pasts = False
    usual_scope = (3, 2)
    goals = ("replicas", "copies")
    countable = PLANNER_SIZES
    ranges = PLANNER_RANGES
    form = PLAN_REQUEST
    narration = PLAN_STEP
    answers = PLAN
    aims = PLANNER_AIMS

    @property
    def optimum(self) -> str:
        """The planner that uses the solver."""
        return "plan:optimal"

    def generate(self, source: Source, profile: Profile, aim: str = "") -> PlanRequest:
        """A request built from the source's choices."""
        if profile.wanted:
            return named_plan(source, racked="rack" in profile.wanted)
        return aimed_plan_request(source) if aim else plan_request(source)

    def sized(self, source: Source, profile: Profile, sizes: Mapping[str, int]) -> PlanRequest:
        """A request with so many brokers, topics or partitions."""
        return sized_plan(source, sizes, profile.wanted)

    def wide_profile(self, profile: Profile, wanted: frozenset[str]) -> Profile:
        """One with several topics, and with racks, where their names are wanted."""
        return _named(profile, wanted & {"rack", "topic"})

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

    def measures(self, arguments: tuple[PlanRequest], answer: Plan) -> dict[str, object]:
        """Replicas on each broker after the plan, the most first, and the number of copies."""
        before = dict(arguments[0].before)
        copies = sum(len(set(row) - set(before.get(tp, ()))) for tp, row in answer.after)
        return {"replicas": loads_after(arguments[0], answer)[::-1], "copies": copies}

    def best(self, outcome: PlanStep, claim: Claim) -> BestPlan | int | None:
        """The fewest copies, for a plan that reaches the best balance; for a sentence the best plan."""
        best = best_plan(outcome.request)
        if is_sentence(claim.id):
            return BestPlan(tuple(sorted(best.replicas)), best.copies)
        reached = loads_after(outcome.request, outcome.given) == tuple(sorted(best.replicas))
        return best.copies if reached else None

    def read(self, document: Any) -> PlanRequest | None:
        """The request; None where a partition has not as many replicas as the others, or comes twice."""
        case = super().read(document)
        if case is None or any(len(row) != case.replication_factor for _, row in case.before):
            return None
        if len({partition for partition, _ in case.before}) < len(case.before):
            return None
        return case

    def shrink_candidates(self, case: PlanRequest) -> Iterator[PlanRequest]:
        """Requests with a replica fewer of each partition; then what is derived."""
        if case.replication_factor > 1:
            factor = case.replication_factor - 1
            before = tuple((tp, row[:factor]) for tp, row in case.before)
            yield replace(case, replication_factor=factor, before=before)
        held = (broker for _, row in case.before for broker in row)
        ids = {*held, *(broker.broker_id for broker in case.brokers)}
        yield from _with_smaller_ids(self, case, ids)
        yield from super().shrink_candidates(case)

    def smallest(self, case: PlanRequest) -> Iterator[PlanRequest]:
        """The smallest cases, to restart where one cannot be cut further."""
        return islice(fresh_plan_requests(case), FRESH_PLANS_MAX)

    def size(self, case: PlanRequest) -> tuple[int, ...]:
        """Partitions, replicas, brokers and racks; plain names and small numbers come last."""
        racks = {broker.rack for broker in case.brokers if broker.rack is not None}
        partitions = [partition for partition, _ in case.before]
        return (
            len(partitions),
            case.replication_factor,
            len(case.brokers),
            len(racks),
            sum(rank for topic, _ in partitions if (rank := name_rank(topic)) > _PLAIN_TOPIC_MAX),
            sum(number for _, number in partitions if number > _PLAIN_PARTITION_MAX),
            sum(broker.broker_id for broker in case.brokers if broker.broker_id > _PLAIN_ID_MAX),
            _odd_racks(racks),
        )

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[PlanRequest]:
        """Every request of the size, with one more broker that leaves; 3 x 3 gives 90,000 requests."""
        return plan_cell(*cell.size, options.racks)

    @property
    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """What no scope has; nothing is certified by a scope of this kind."""
        return dict.fromkeys(PLANNERS_LEAVE_OUT, ())

    def search(self) -> WorstSearch:
        """Changes racks, replication factors and rows of replicas."""
        from kassay.kinds.placement.search import PlanSearch

        return PlanSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, rare features first."""
        from kassay.kinds.placement.words import plan_removals

        return plan_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """The placement at the start, and a frame for each move."""
        from kassay.kinds.placement.view import planned_frames

        return planned_frames(reported)

    def counts(self, case: PlanRequest) -> Mapping[str, int]:
        """Brokers count as members; a request is one event."""
        return {"members": len(case.brokers), "partitions": len(case.before), "events": 1}

    def words(self, step: PlanStep) -> str:
        """The moves."""
        return plan_words(step)

    def document_of(self, step: PlanStep) -> dict[str, Any]:
        """The request and its plan."""
        return plan_step_to_json(step)


def loads_after(request: PlanRequest, plan: Plan) -> tuple[int, ...]:
    """Replicas on each broker of the request after the plan, ascending."""
    held = Counter(broker for _, row in plan.after for broker in row)
    return tuple(sorted(held[broker.broker_id] for broker in request.brokers))


@lru_cache(maxsize=1024)
def best_plan(request: PlanRequest) -> PlacementOptimum:
    """The certified best placement that the request can reach, with the fewest copies."""
    from kassay.solver.placement.optimum import best_placement
    from kassay.solver.placement.problem import PlacementProblem

    return best_placement(PlacementProblem.of_plan(request))
