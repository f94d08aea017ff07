"""The plain form of a placer (dicts and lists in and out) and its adapter to the full form.

    place(num_partitions: int, replication_factor: int, brokers: list[dict], existing=None) -> list[list[int]]

A broker is a dict with `id`, `rack`, `fenced`. `existing` holds the replica lists of the topic's existing
partitions, and is passed only if there are any. The first replica of a list is the preferred leader. A
`ValueError` is a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from kassay.assignors.plain.answers import changed, check_placement
from kassay.assignors.plain.target import PlainTarget
from kassay.model.failure import FailureKind, TargetFailure, one_line
from kassay.model.java.randomness import RandomSource
from kassay.model.placement.request import Placement, PlacementRefusedError, PlacementRequest

PlainRequest = dict[str, Any]

POSITIONAL: Final = ("num_partitions", "replication_factor", "brokers")


def plain_request(request: PlacementRequest) -> PlainRequest:
    """The keywords of the plain call: fresh dicts and lists of exact built-in types."""
    keywords: PlainRequest = {
        "num_partitions": request.partitions,
        "replication_factor": request.replication_factor,
        "brokers": [{"id": b.broker_id, "rack": b.rack, "fenced": b.fenced} for b in request.brokers],
    }
    if request.existing:
        keywords["existing"] = [list(replicas) for replicas in request.existing]
    return keywords


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a failed plain call that raised `ValueError` into a refusal."""
    try:
        yield
    except TargetFailure as failure:
        if failure.kind is FailureKind.RAISED and ValueError.__name__ in failure.raised:
            raise PlacementRefusedError(failure.message) from None
        raise


class PlainPlacer(PlainTarget):
    """A plain object of this process in the full form; raises `PlacementRefusedError` for a `ValueError`."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The plain function's answer for a copy of the request."""
        self.mutated = None
        arguments = plain_request(request)
        by_place = [arguments[name] for name in POSITIONAL]
        by_name = {name: value for name, value in arguments.items() if name not in POSITIONAL}
        answer = self._call("place", check_placement, *by_place, **by_name)
        before = plain_request(request)
        self.mutated = changed(before, before.values(), arguments.values())
        return tuple(map(tuple, answer))

    def _failure(self, error: BaseException, method: str) -> Exception:
        if isinstance(error, ValueError):
            return PlacementRefusedError(one_line(str(error)) or "refused without a reason")
        return super()._failure(error, method)
