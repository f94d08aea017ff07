"""Vectors of replica placement: `AdminUtils.assignReplicasToBrokers` and `StripedReplicaPlacer`.

A placement is compared with replicas in order, or, for a foreign target, as preferred leader and set of
followers. A refusal is compared by Java class; of a foreign target it is enough that it refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kassay.certify.vectors.registry import vector_format
from kassay.model.cluster import Broker
from kassay.model.errors import InputError, KafkaError
from kassay.model.java.randomness import JavaRandom, RandomSource, Recorded
from kassay.model.placement.request import Placement, PlacementRequest, Placer, Replicas


def reference_of(vector: Mapping[str, Any]) -> str:
    """The branch of `AdminUtils` that a vector takes: rack-aware if any of its brokers has a rack."""
    has_racks = any(broker.get("rack") is not None for broker in vector.get("brokers", ()))
    return "placement:rack-aware" if has_racks else "placement:rack-unaware"


@vector_format("replicas-adminutils", reference=reference_of)
def check_adminutils(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target places as `AdminUtils` did, else how not."""
    request = request_of(vector)
    # The start index is fixed in these vectors: whoever draws does not follow the recorded run.
    random: RandomSource = Recorded(()) if exact else JavaRandom(0)
    return _difference(vector, factory(), request, random, exact)


@vector_format("replicas-striped", reference="placement:striped")
def check_striped(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target places as `StripedReplicaPlacer` did on the recorded draws, else how not."""
    request = request_of(vector)
    random = Recorded(_draws(vector))
    difference = _difference(vector, factory(), request, random, exact)
    if difference is None and exact and random.left:
        return f"{random.left} of {len(vector['random'])} recorded random numbers were not drawn"
    return difference


def request_of(vector: Mapping[str, Any]) -> PlacementRequest:
    """What the vector asks of a placer; raises `InputError` if it does not say."""
    try:
        order = vector.get("rack_iteration_order")
        return PlacementRequest(
            partitions=int(vector["partitions"]),
            replication_factor=int(vector["replication_factor"]),
            brokers=tuple(
                Broker(int(broker["id"]), broker["rack"], bool(broker.get("fenced", False)))
                for broker in vector["brokers"]
            ),
            start_partition_id=int(vector.get("start_partition_id", -1)),
            fixed_start_index=int(vector.get("fixed_start_index", -1)),
            rack_order=None if order is None else tuple(order),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"vector {vector.get('id', '?')}: not a placement vector ({error!r})") from error


def _draws(vector: Mapping[str, Any]) -> list[tuple[int, int]]:
    try:
        return [(int(bound), int(value)) for bound, value in vector["random"]]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"vector {vector.get('id', '?')}: random, expected a list of [bound, value] ({error!r})"
        ) from error


def _difference(
    vector: Mapping[str, Any], placer: Placer, request: PlacementRequest, random: RandomSource, exact: bool
) -> str | None:
    """How the placer's answer differs from the vector's; None if it does not."""
    expected = vector.get("expected", {})
    wanted_error = expected.get("error")
    try:
        placement = placer.place(request, random)
    except KafkaError as error:
        if wanted_error is None:
            return f"raised {error.java_class} ({error}), expected a placement"
        if exact and error.java_class != wanted_error:
            return f"raised {error.java_class}, expected {wanted_error}"
        return None
    except InputError as error:
        return str(error)
    if wanted_error is not None:
        return f"placed {len(placement)} partitions, expected {wanted_error}"
    try:
        wanted = {int(partition): tuple(replicas) for partition, replicas in expected["assignment"]}
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"vector {vector.get('id', '?')}: expected.assignment ({error!r})") from error
    return _first_difference(placement, wanted, request.first_partition, exact)


def _first_difference(
    placement: Placement, wanted: Mapping[int, Replicas], first: int, exact: bool
) -> str | None:
    given = dict(enumerate(placement, start=first))
    if given.keys() != wanted.keys():
        return f"placed partitions {sorted(given)}, expected {sorted(wanted)}"
    for partition, replicas in given.items():
        other = wanted[partition]
        if replicas != other and (exact or _unordered(replicas) != _unordered(other)):
            return f"partition {partition} on {list(replicas)}, expected {list(other)}"
    return None


def _unordered(replicas: Replicas) -> tuple[Replicas, Replicas]:
    """The leader and the followers in the order of their ids."""
    return replicas[:1], tuple(sorted(replicas[1:]))
