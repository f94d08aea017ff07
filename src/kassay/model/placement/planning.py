"""One call of a planner as a value: a placement and the brokers of tomorrow in, a plan out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from kassay.model import codec
from kassay.model.calls import Call, Failure, Look, answer_to_json, call, failure_of
from kassay.model.cluster import Broker, Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.trace import cluster_of, cluster_to_json
from kassay.model.placement.plan import Plan
from kassay.model.placement.request import Replicas


@dataclass(frozen=True)
class PlanRequest:
    """What is asked: a plan from `before` to a placement on these brokers.

    `brokers` are those that stay or come; `before` may name others, which are going.
    """

    brokers: tuple[Broker, ...]
    before: tuple[tuple[TopicPartition, Replicas], ...]
    replication_factor: int

    def __post_init__(self) -> None:
        if not 1 <= self.replication_factor <= len(self.brokers):
            raise InputError(
                f"replication factor {self.replication_factor}: expected one from 1 to {len(self.brokers)}, "
                "the number of brokers"
            )


@runtime_checkable
class Planner(Protocol):
    """Plans the change of a placement."""

    def plan(self, request: PlanRequest) -> Plan:
        """The moves, in order."""


class PlanStep(Call[PlanRequest, Plan]):
    """One call of a planner."""


def plan_step(
    new: Callable[[], Planner],
    request: PlanRequest,
    looks: Collection[Look] = (),
    twin: Callable[[], Planner] | None = None,
) -> PlanStep:
    """A step with a new planner."""
    return call(PlanStep, _ask, new, request, looks, twin=twin)


def _ask(planner: Planner, request: PlanRequest) -> Plan | Failure:
    try:
        return planner.plan(request)
    except Exception as error:  # the target's own code
        return failure_of(error)


def plan_request_to_json(request: PlanRequest) -> dict[str, Any]:
    """The request as a document."""
    return {
        "brokers": cluster_to_json(Cluster(brokers=request.brokers))["brokers"],
        "before": [
            {"topic": tp.topic, "partition": tp.partition, "replicas": list(row)}
            for tp, row in request.before
        ],
        "replication_factor": request.replication_factor,
    }


def plan_request_of(document: object, path: str = "case") -> PlanRequest:
    """The request that a document holds; raises `InputError`."""
    found = codec.mapping(document, path, ("brokers", "before", "replication_factor"))

    def row(value: object, where: str) -> tuple[TopicPartition, Replicas]:
        entry = codec.mapping(value, where, ("topic", "partition", "replicas"))
        replicas = codec.items(codec.field(entry, "replicas", where), f"{where}.replicas", codec.whole)
        partition = codec.whole(codec.field(entry, "partition", where), f"{where}.partition", 0)
        topic = codec.text(codec.field(entry, "topic", where), f"{where}.topic")
        return TopicPartition(topic, partition), replicas

    brokers = codec.field(found, "brokers", path)
    return PlanRequest(
        cluster_of({"topics": [], "brokers": brokers}, path).brokers,
        codec.items(codec.field(found, "before", path), f"{path}.before", row),
        codec.whole(codec.field(found, "replication_factor", path), f"{path}.replication_factor", 1),
    )


def plan_step_to_json(step: PlanStep) -> dict[str, Any]:
    """What was asked and which moves were answered, for the reader of a trace."""
    document: dict[str, Any] = {"request": plan_request_to_json(step.request), "moves": []}
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
