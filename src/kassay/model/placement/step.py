"""One call of a placer as a value, and the only place where a request meets a placer."""

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
        """The placement, None where the placer declined or failed."""
        return None if isinstance(self.answer, Refusal | Failure) else self.answer

    def numbered(self) -> Iterator[tuple[int, Replicas]]:
        """The placed partitions by number."""
        return enumerate(self.placed or (), start=self.request.first_partition)

    @lazy
    def topic(self) -> Placement:
        """All partitions of the topic: existing ones, then those that were placed."""
        return (*self.request.existing, *(self.placed or ()))

    @lazy
    def replica_loads(self) -> Mapping[int, int]:
        """Replicas of the topic on each unfenced broker, existing partitions included."""
        return self._on_unfenced(broker for replicas in self.topic for broker in replicas)

    @lazy
    def leader_loads(self) -> Mapping[int, int]:
        """Partitions of the topic that each unfenced broker leads, existing ones included."""
        return self._on_unfenced(replicas[0] for replicas in self.topic if replicas)

    def _on_unfenced(self, brokers: Iterable[int]) -> Mapping[int, int]:
        """How often each unfenced broker is among these."""
        counts = Counter(brokers)
        return {broker: counts[broker] for broker in sorted(self.request.unfenced)}


def place(
    new: Callable[[], Placer],
    request: PlacementRequest,
    seed: int = 0,
    looks: Collection[Look] = (),
    twin: Callable[[], Placer] | None = None,
) -> PlacementStep:
    """A step with a new placer; every call has random numbers of its own from the same seed.

    PERMUTED gives the brokers backwards.
    """

    def ask(placer: Placer, asked: PlacementRequest) -> Placement | Refusal:
        try:
            return placer.place(asked, JavaRandom(seed))
        except PlacementRefusedError as refused:
            return Refusal(refused.java_class, str(refused))

    return call(PlacementStep, ask, new, request, looks, permuted=_backwards, twin=twin)


def _backwards(request: PlacementRequest) -> PlacementRequest:
    return replace(request, brokers=request.brokers[::-1])
