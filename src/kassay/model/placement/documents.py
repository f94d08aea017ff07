"""Requests to placers and planners and their results as JSON, for traces."""

from __future__ import annotations

from typing import Any, Final

from kassay.model.calls import NO_ANSWER, Failure, Refusal, answer_to_json
from kassay.model.cluster import TopicPartition
from kassay.model.placement.planning import PlanRequest, PlanStep
from kassay.model.placement.request import NOT_FIXED, PlacementRequest, Replicas
from kassay.model.placement.step import PlacementStep
from kassay.model.shape.clusters import BROKERS
from kassay.model.shape.codec import (
    COUNT,
    MOST,
    TEXT,
    WHOLE,
    Field,
    Shape,
    document,
    listed,
    optional,
    record,
    size,
    whole,
    wrong,
)

PLACEMENT_REQUEST: Final = record(
    PlacementRequest,
    partitions=whole(-MOST, MOST),
    replication_factor=whole(-MOST, MOST),
    brokers=BROKERS,
    existing=Field(listed(listed(WHOLE)), ()),
    start_partition_id=Field(WHOLE, NOT_FIXED),
    fixed_start_index=Field(WHOLE, NOT_FIXED),
)
"""Excludes a recorded order of racks."""


def _row(topic: str, partition: int, replicas: Replicas) -> tuple[TopicPartition, Replicas]:
    return TopicPartition(topic, partition), replicas


PLAN_REQUEST: Final = record(
    PlanRequest,
    brokers=BROKERS,
    before=listed(
        record(
            _row,
            topic=Field(TEXT, get=lambda row: row[0].topic),
            partition=Field(COUNT, get=lambda row: row[0].partition),
            replicas=Field(listed(WHOLE), get=lambda row: row[1]),
        )
    ),
    replication_factor=size(1),
)


def _numbered(value: object, path: str) -> None:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(path, "a pair [partition, replicas]", value)
    WHOLE.read(value[0], path)
    listed(WHOLE).read(value[1], path)


PLACEMENT_STEP: Final = document(
    request=PLACEMENT_REQUEST, answer=Field(listed(Shape(_numbered)), None), **NO_ANSWER
)
"""The form of `step_to_json`."""
PLAN_STEP: Final = document(
    request=PLAN_REQUEST,
    moves=listed(
        document(
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
