"""Functions of the claims about answers, for placers and planners."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.calls import Failure, Refusal
from kassay.model.errors import FailureKind
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Plan, PlanStep
from kassay.model.placement.request import Placement, PlacementRequest, PlacementStep
from kassay.properties.answers import Difference, Unanswered, answer_claims, repeated_claims, unanswered_calls
from kassay.properties.placement.plans import has_rows, move_words
from kassay.properties.placement.replicas import brokers, is_too_few
from kassay.writing.text import counted


def may_refuse(request: PlacementRequest) -> bool:
    """Whether a refusal is proper: invalid numbers, too few unfenced brokers, partial racks."""
    return (
        request.partitions < 1
        or not 1 <= request.replication_factor <= len(request.unfenced)
        or request.has_partial_racks
    )


def may_decline(step: PlacementStep, call: Unanswered) -> bool:
    """Whether a refusal, or an error in its place where brokers are too few, is a proper answer."""
    if isinstance(call.answer, Refusal):
        return may_refuse(step.request)
    return call.answer.kind is FailureKind.RAISED and is_too_few(step)


def may_differ(step: PlacementStep) -> bool:
    """Whether there are two proper answers: a placement and a refusal, or two placements."""
    request = step.request
    if is_too_few(step):
        return False
    return may_refuse(request) or len(request.brokers) > 1


def difference_of_placements(step: PlacementStep, then: Placement | Refusal) -> Iterator[Difference]:
    """Two placements that are not the same; refusals do not differ in their messages."""
    first = step.answer
    if isinstance(first, Refusal) and isinstance(then, Refusal):
        return
    if isinstance(first, Failure | Refusal) or isinstance(then, Refusal) or len(first) != len(then):
        yield Difference("the answer", first, then, ("The answer is", _shown(first), _shown(then)))
        return
    partition, own, other = next((p, a, b) for p, (a, b) in enumerate(zip(first, then)) if a != b)
    words = f"Partition {partition} is on", brokers(own), brokers(other)
    yield Difference(f"partition {partition}", first, then, words)


def _shown(answer: Placement | Refusal | Failure) -> str:
    if isinstance(answer, Refusal):
        return f"a refusal ({answer.java_class.rpartition('.')[2]})"
    return (
        "a failure" if isinstance(answer, Failure) else f"a placement of {counted(len(answer), 'partition')}"
    )


def difference_of_plans(step: PlanStep, then: Plan) -> Iterator[Difference]:
    """Two plans that are not the same."""
    first, second = step.given.moves, then.moves
    at = next((n for n, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    own, other = (
        f"takes {move_words(moves[at])}" if at < len(moves) else "is missing" for moves in (first, second)
    )
    words = f"Move {at + 1}", own, other
    yield Difference(f"move {at + 1}", tuple(map(str, first)), tuple(map(str, second)), words)


answer_claims(PLACER, "ReplicaPlacer", unanswered_calls("place"), may_decline)
repeated_claims(
    PLACER,
    difference_of_placements,
    may_differ,
    pure="ReplicaPlacer: one object places all topics",
    order="AdminUtils, with racks",
)
answer_claims(PLANNER, "KIP-455", unanswered_calls("plan"))
repeated_claims(PLANNER, difference_of_plans, has_rows, pure="KIP-455")
