"""Placers and planners in words: their answers, and what can be removed from a request.

Answers of placers and planners: in words, and assertions on one, as Python.

What can be removed from a request to a placer or a planner, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.assignors.plain import POSITIONAL, plain_request
from kassay.assignors.plain_answers import PLACER
from kassay.kinds.broken import BrokenStep
from kassay.kinds.words import Asserts, PlainCall, few
from kassay.model.calls import Refusal
from kassay.model.placement.plan import PlanStep
from kassay.model.placement.request import PlacementStep
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal
from kassay.properties.placement.plans import move_words
from kassay.properties.placement.replicas import brokers


def placement_words(step: PlacementStep) -> str:
    """The replicas of each partition, or why it was refused."""
    if isinstance(step.answer, Refusal):
        return f"refused with {step.answer.java_class.rpartition('.')[2]}: {step.answer.message}"
    return few([f"partition {number} on {brokers(row)}" for number, row in step.numbered()], "; ")


def plan_words(step: PlanStep) -> str:
    """The moves."""
    moves = step.given.moves
    return few([f"move {move_words(move)}" for move in moves], "; ") or "no move"


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


def request_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Fenced brokers, racks, existing partitions, replicas, partitions and brokers."""
    request = case["request"]
    for number, broker in enumerate(request["brokers"]):
        name = f"broker {broker['id']}"
        at = ("request", "brokers", number)
        if broker.get("fenced"):
            yield Removal(f"{name} being fenced", put(case, (*at, "fenced"), False))
        if broker.get("rack") is not None:
            yield Removal(f"the rack of {name}", put(case, (*at, "rack"), None))
    if any(broker.get("rack") is not None for broker in request["brokers"]):
        bare = [broker | {"rack": None} for broker in request["brokers"]]
        yield Removal("the racks of the brokers", put(case, ("request", "brokers"), bare))
    if request.get("existing"):
        yield Removal("the partitions that exist already", put(case, ("request", "existing"), []))
    for field, noun in (("replication_factor", "replica"), ("partitions", "new partition")):
        if request[field] > 1:
            existing = [row[: request[field] - 1] for row in request.get("existing", [])]
            less = put(case, ("request", field), request[field] - 1)
            if field == "replication_factor" and existing:
                less["request"]["existing"] = existing
            yield Removal(f"one {noun}", less, extent=(request[field], noun))
    for number, broker in enumerate(request["brokers"]):
        less = without_item(case, ("request", "brokers"), number)
        yield Removal(f"broker {broker['id']}", less, extent=(1, "broker"))


def plan_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Racks, partitions and brokers."""
    for number, broker in enumerate(case["brokers"]):
        if broker.get("rack") is not None:
            yield Removal(f"the rack of broker {broker['id']}", put(case, ("brokers", number, "rack"), None))
    for number, row in enumerate(case["before"]):
        words = f"{row['topic']}-{row['partition']}"
        yield Removal(words, without_item(case, ("before",), number), extent=(1, "partition"))
    for number, broker in enumerate(case["brokers"]):
        less = without_item(case, ("brokers",), number)
        yield Removal(f"broker {broker['id']}", less, extent=(1, "broker"))
