"""Requests to placers and planners and what came of them as JSON, for traces."""

from __future__ import annotations

from dataclasses import replace
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
    reference,
    size,
    whole,
    wrong,
)
from kassay.model.shape.nodes import Leaf, LeafKind

_FROM: Final = replace(WHOLE, node=Leaf(LeafKind.WHOLE, plain=NOT_FIXED))

PLACEMENT_REQUEST: Final = record(
    PlacementRequest,
    partitions=whole(-MOST, MOST, plain=1),
    replication_factor=whole(-MOST, MOST, plain=1),
    brokers=BROKERS,
    existing=Field(listed(listed(reference("broker", WHOLE))), ()),
    start_partition_id=Field(_FROM, NOT_FIXED, fixed=True),
    fixed_start_index=Field(_FROM, NOT_FIXED),
)
"""A recorded order of racks is left out."""


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
            replicas=Field(listed(reference("broker", WHOLE)), get=lambda row: row[1]),
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
"""What `step_to_json` writes."""
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
"""What `plan_step_to_json` writes."""


def step_to_json(step: PlacementStep) -> dict[str, Any]:
    """What was asked and what was answered, for the reader of a trace."""
    document: dict[str, Any] = {"request": PLACEMENT_REQUEST.write(step.request)}
    answer = step.answer
    if isinstance(answer, Failure | Refusal):
        return document | answer_to_json(answer)
    return document | {"answer": [[partition, list(replicas)] for partition, replicas in step.numbered()]}


def plan_step_to_json(step: PlanStep) -> dict[str, Any]:
    """What was asked and which moves were answered, for the reader of a trace."""
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
