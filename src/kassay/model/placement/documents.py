"""Placement requests and what came of them as JSON, for traces."""

from __future__ import annotations

from typing import Any

from kassay.model import codec
from kassay.model.calls import Failure, Refusal, answer_to_json
from kassay.model.cluster import Cluster
from kassay.model.groups.trace import cluster_of, cluster_to_json
from kassay.model.placement.request import NOT_FIXED, PlacementRequest, Replicas
from kassay.model.placement.step import PlacementStep

_FIELDS = (
    "partitions",
    "replication_factor",
    "brokers",
    "existing",
    "start_partition_id",
    "fixed_start_index",
)


def request_to_json(request: PlacementRequest) -> dict[str, Any]:
    """The request as a document; a recorded order of racks is left out."""
    return {
        "partitions": request.partitions,
        "replication_factor": request.replication_factor,
        "brokers": cluster_to_json(Cluster(brokers=request.brokers))["brokers"],
        "existing": [list(replicas) for replicas in request.existing],
        "start_partition_id": request.start_partition_id,
        "fixed_start_index": request.fixed_start_index,
    }


def request_of(document: object, path: str = "case") -> PlacementRequest:
    """The request that a document holds; raises `InputError`."""
    found = codec.mapping(document, path, _FIELDS)

    def row(value: object, where: str) -> Replicas:
        return codec.items(value, where, codec.whole)

    brokers = codec.field(found, "brokers", path)
    return PlacementRequest(
        partitions=codec.whole(codec.field(found, "partitions", path), f"{path}.partitions"),
        replication_factor=codec.whole(
            codec.field(found, "replication_factor", path), f"{path}.replication_factor"
        ),
        brokers=cluster_of({"topics": [], "brokers": brokers}, path).brokers,
        existing=codec.items(found.get("existing", []), f"{path}.existing", row),
        start_partition_id=codec.whole(
            found.get("start_partition_id", NOT_FIXED), f"{path}.start_partition_id"
        ),
        fixed_start_index=codec.whole(found.get("fixed_start_index", NOT_FIXED), f"{path}.fixed_start_index"),
    )


def step_to_json(step: PlacementStep) -> dict[str, Any]:
    """What was asked and what was answered, for the reader of a trace."""
    document: dict[str, Any] = {"request": request_to_json(step.request)}
    answer = step.answer
    if isinstance(answer, Failure | Refusal):
        return document | answer_to_json(answer)
    return document | {"answer": [[partition, list(replicas)] for partition, replicas in step.numbered()]}
