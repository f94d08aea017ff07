"""Answers of placers and planners: in words, and assertions on one, as Python."""

from __future__ import annotations

from kassay.assignors.plain import POSITIONAL, plain_request
from kassay.assignors.plain_answers import PLACER
from kassay.kinds.answers import Asserts, PlainCall, few, listed
from kassay.kinds.broken import BrokenStep
from kassay.model.calls import Refusal
from kassay.model.placement.plan import PlanStep
from kassay.model.placement.request import PlacementStep


def placement_words(step: PlacementStep) -> str:
    """The replicas of each partition, or why it was refused."""
    if isinstance(step.answer, Refusal):
        return f"refused with {step.answer.java_class.rpartition('.')[2]}: {step.answer.message}"
    return few([f"partition {number} on {listed(row)}" for number, row in step.numbered()])


def plan_words(step: PlanStep) -> str:
    """The moves."""
    moves = step.given.moves
    return f"{len(moves)} move{'' if len(moves) == 1 else 's'}: {few(list(map(str, moves))) or 'none'}"


def placer_asserts(name: str, broken: BrokenStep, step: PlacementStep) -> Asserts | None:
    """What must hold of the answer to the step; None where this takes more than this one answer."""
    request = step.request
    if name in ("too-few-brokers", "partial-racks-refused"):
        return Asserts(raises="ValueError")
    if name == "replicas-distinct" and 1 <= request.replication_factor <= len(request.brokers):
        known = sorted(request.by_id)
        return Asserts(
            (
                f"assert len(answer) == {request.partitions}",
                f"assert all(len(set(row)) == len(row) == {request.replication_factor} for row in answer)",
                f"assert all(broker in {known!r} for row in answer for broker in row)",
            )
        )
    if name == "leaders-even" and broken.evidence.facts.get("could be"):
        led = [row[0] for row in request.existing if row]
        best = sorted(broken.evidence.facts["could be"])  # type: ignore[call-overload]
        return Asserts(
            (
                f"leaders = {led!r} + [row[0] for row in answer]",
                f"assert sorted(map(leaders.count, {sorted(request.unfenced)!r})) == {best!r}",
            )
        )
    return None


def placer_call(form: str, step: PlacementStep) -> PlainCall | None:
    """How to call a class of that form with the step's request."""
    if form != PLACER:
        return None
    keywords = plain_request(step.request)
    by_place = tuple(keywords.pop(key) for key in POSITIONAL)
    return PlainCall("place", by_place, tuple(keywords.items()))
