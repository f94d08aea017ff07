"""Requests to placers and planners and their results as JSON, for traces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from kassay.model.calls import NO_ANSWER, Failure, Refusal, ReportedFailure, answer_to_json
from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import Move, Plan, PlanRequest, PlanStep
from kassay.model.placement.request import NOT_FIXED, Placement, PlacementRequest, PlacementStep, Replicas
from kassay.model.shape.codec import (
    COUNT,
    MOST,
    TEXT,
    WHOLE,
    Field,
    Shape,
    at_least,
    listed,
    optional,
    record,
    reference,
    size,
    whole,
    wrong,
)
from kassay.model.shape.legal import TOPIC_NAMES
from kassay.model.shape.nodes import LeafKind, LeafNode
from kassay.model.shape.parts import BROKERS

_FROM: Final = replace(WHOLE, node=LeafNode(LeafKind.WHOLE, plain=NOT_FIXED))

PLACEMENT_REQUEST: Final = record(
    PlacementRequest,
    partitions=whole(-MOST, MOST, plain=1),
    replication_factor=whole(-MOST, MOST, plain=1),
    brokers=at_least(1, BROKERS),
    existing=Field(listed(listed(reference("broker", WHOLE))), ()),
    start_partition_id=Field(_FROM, NOT_FIXED, fixed=True),
    fixed_start_index=Field(_FROM, NOT_FIXED),
)
"""Excludes a recorded order of racks."""


def _row(topic: str, partition: int, replicas: Replicas) -> tuple[TopicPartition, Replicas]:
    return TopicPartition(topic, partition), replicas


def _move(topic: str, partition: int, **ends: Any) -> Move:
    return Move(TopicPartition(topic, partition), **ends)


PLAN_REQUEST: Final = record(
    PlanRequest,
    brokers=at_least(1, BROKERS),
    before=at_least(
        1,
        listed(
            record(
                _row,
                topic=Field(reference("topic", TEXT, legal=TOPIC_NAMES), get=lambda row: row[0].topic),
                partition=Field(COUNT, get=lambda row: row[0].partition),
                replicas=Field(listed(reference("broker", WHOLE)), get=lambda row: row[1]),
            )
        ),
    ),
    replication_factor=size(1),
)


PLACEMENT: Final[Shape[Placement]] = listed(listed(WHOLE))
"""The replicas of the new partitions, in order."""
_MOVE: Final = record(
    _move,
    topic=Field(TEXT, get=lambda move: move.partition.topic),
    partition=Field(WHOLE, get=lambda move: move.partition.partition),
    source=optional(WHOLE),
    target=optional(WHOLE),
    order=Field(optional(listed(WHOLE)), None, sparse=True),
)
PLAN: Final = record(
    Plan,
    brokers=BROKERS,
    before=listed(
        record(
            _row,
            topic=Field(TEXT, get=lambda row: row[0].topic),
            partition=Field(WHOLE, get=lambda row: row[0].partition),
            replicas=Field(listed(WHOLE), get=lambda row: row[1]),
        )
    ),
    moves=listed(_MOVE),
    replication_factor=Field(optional(WHOLE), None),
)
"""A plan in full."""


def _numbered(value: object, path: str) -> tuple[int, Replicas]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(path, "a pair [partition, replicas]", value)
    return WHOLE.read(value[0], path), listed(WHOLE).read(value[1], path)


class ReportedPlacement(NamedTuple):
    """A call of a placer as a trace keeps it: the replicas by partition, None where there is no answer."""

    request: PlacementRequest
    answer: tuple[tuple[int, Replicas], ...] | None = None
    failure: ReportedFailure | None = None
    refused: Refusal | None = None


class ReportedMove(NamedTuple):
    """A move of a plan from one broker to another as a trace keeps it, with the replicas afterwards."""

    topic: str
    partition: int
    source: int | None
    target: int | None
    replicas: Replicas


class ReportedPlan(NamedTuple):
    """A call of a planner as a trace keeps it."""

    request: PlanRequest
    moves: tuple[ReportedMove, ...]
    failure: ReportedFailure | None = None
    refused: Refusal | None = None


NUMBERED: Final = listed(Shape(_numbered, lambda pair: [pair[0], list(pair[1])]))
"""The replicas of new partitions, each as `[partition, replicas]`."""
PLACEMENT_STEP: Final = record(
    ReportedPlacement, request=PLACEMENT_REQUEST, answer=Field(NUMBERED, None, sparse=True), **NO_ANSWER
)
"""The form of `step_to_json`."""
PLAN_STEP: Final = record(
    ReportedPlan,
    request=PLAN_REQUEST,
    moves=listed(
        record(
            ReportedMove,
            topic=TEXT,
            partition=WHOLE,
            source=optional(WHOLE),
            target=optional(WHOLE),
            replicas=listed(WHOLE),
        )
    ),
    **NO_ANSWER,
)
"""The form of `plan_step_to_json`."""


def step_to_json(step: PlacementStep) -> dict[str, Any]:
    """The request and the answer, for a trace."""
    document: dict[str, Any] = {"request": PLACEMENT_REQUEST.write(step.request)}
    answer = step.answer
    if isinstance(answer, Failure | Refusal):
        return document | answer_to_json(answer)
    return document | {"answer": [[partition, list(replicas)] for partition, replicas in step.numbered()]}


def plan_step_to_json(step: PlanStep) -> dict[str, Any]:
    """The request and the planned moves, for a trace."""
    document: dict[str, Any] = {"request": PLAN_REQUEST.write(step.request), "moves": []}
    if isinstance(step.answer, Failure):
        return document | answer_to_json(step.answer)
    document["moves"] = [
        {
            "topic": move.partition.topic,
            "partition": move.partition.partition,
            "source": move.source,
            "target": move.target,
            "replicas": list(after),
        }
        for move, _, after in step.answer.states()
    ]
    return document
