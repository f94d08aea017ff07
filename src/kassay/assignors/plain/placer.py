"""The plain form of a placer, dicts and lists in and out, and its adapter to the full form.

    place(num_partitions: int, replication_factor: int, brokers: list[dict], existing=None) -> list[list[int]]

A broker is a dict with `id`, `rack`, `fenced`. `existing` holds the replica lists of the partitions
that the topic has already, and is passed only where there are some. The first replica of a list is the
preferred leader. A `ValueError` is a refusal.
"""

from __future__ import annotations

from typing import Any, Final

from kassay.assignors.plain.answers import Malformed, check_placement, difference
from kassay.model.failure import FailureKind, TargetFailure, failed, one_line
from kassay.model.java.randomness import RandomSource
from kassay.model.placement.request import Placement, PlacementRefusedError, PlacementRequest

PlainRequest = dict[str, Any]

_POSITIONAL: Final = ("num_partitions", "replication_factor", "brokers")


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


def changed_request(request: PlacementRequest, given: PlainRequest) -> str | None:
    """What a call changed in the keywords it was given, or None."""
    for name, before in plain_request(request).items():
        if found := difference(before, given[name], name):
            return found
    return None


def refusal(failure: TargetFailure) -> PlacementRefusedError | None:
    """The refusal that a failed plain call stands for: it raised a `ValueError`; else None."""
    if failure.kind is FailureKind.RAISED and ValueError.__name__ in failure.raised:
        return PlacementRefusedError(failure.message)
    return None


class PlainPlacer:
    """A plain object of this process in the full form.

    After each call `mutated` says what the call changed in its input, or is None. Raises
    `PlacementRefusedError` for a `ValueError`, and `TargetFailure` for another exception (RAISED,
    MEMORY) and for an answer that is none (MALFORMED).
    """

    def __init__(self, target: Any, *, source: str | None = None) -> None:
        self.mutated: str | None = None
        self._target = target
        self._source = source

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """What the plain function answers to a copy of the request."""
        self.mutated = None
        given = plain_request(request)
        by_place = [given[name] for name in _POSITIONAL]
        by_name = {name: value for name, value in given.items() if name not in _POSITIONAL}
        try:
            answer = check_placement(self._target.place(*by_place, **by_name))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), "place") from None
        except ValueError as refused:
            raise PlacementRefusedError(one_line(str(refused)) or "refused without a reason") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and its like are the target's too
            raise failed(error, "place", self._source) from None
        self.mutated = changed_request(request, given)
        return tuple(map(tuple, answer))
