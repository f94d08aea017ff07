"""One call of a placer as a value; the only place where a request meets a placer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from kassay.model.calls import Call, Failure, Look, Refusal, call
from kassay.model.java.randomness import JavaRandom
from kassay.model.lazy import lazy
from kassay.model.placement.request import (
    Placement,
    PlacementRefusedError,
    PlacementRequest,
    Placer,
    Replicas,
)


class PlacementStep(Call[PlacementRequest, Placement | Refusal]):
    """One call of a placer."""

    @property
    def placed(self) -> Placement | None:
        """The placement, or None if the placer refused or failed."""
        return None if isinstance(self.answer, Refusal | Failure) else self.answer

    def numbered(self) -> Iterator[tuple[int, Replicas]]:
        """The placed partitions with their numbers."""
        return enumerate(self.placed or (), start=self.request.first_partition)

    @lazy
    def topic(self) -> Placement:
        """All partitions of the topic: existing ones, then new ones."""
        return (*self.request.existing, *(self.placed or ()))

    @lazy
    def replica_loads(self) -> Mapping[int, int]:
        """The topic's replicas on each unfenced broker, existing partitions included."""
        return self._on_unfenced(broker for replicas in self.topic for broker in replicas)

    @lazy
    def leader_loads(self) -> Mapping[int, int]:
        """The topic's partitions that each unfenced broker leads, existing ones included."""
        return self._on_unfenced(replicas[0] for replicas in self.topic if replicas)

    def _on_unfenced(self, brokers: Iterable[int]) -> Mapping[int, int]:
        """The number of occurrences of each unfenced broker in `brokers`."""
        counts = Counter(brokers)
        return {broker: counts[broker] for broker in sorted(self.request.unfenced)}


def place(
    new: Callable[[], Placer],
    request: PlacementRequest,
    seed: int = 0,
    looks: Collection[Look] = (),
    twin: Callable[[], Placer] | None = None,
) -> PlacementStep:
    """A step with a new placer; every call draws its own random numbers from the same seed.

    PERMUTED reverses the brokers.
    """

    def ask(placer: Placer, received: PlacementRequest) -> Placement | Refusal:
        try:
            return placer.place(received, JavaRandom(seed))
        except PlacementRefusedError as refused:
            return Refusal(refused.java_class, str(refused))

    return call(PlacementStep, ask, new, request, looks, permuted=_backwards, twin=twin)


def _backwards(request: PlacementRequest) -> PlacementRequest:
    return replace(request, brokers=request.brokers[::-1])
