"""One call of a placer as a value, and the only place where a request meets a placer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from kassay.model.groups.player import failure_of
from kassay.model.groups.step import Failure, Look
from kassay.model.java.randomness import JavaRandom, RandomSource
from kassay.model.placement.request import (
    Placement,
    PlacementRefusedError,
    PlacementRequest,
    Placer,
    Refusal,
    Replicas,
)


class PlacementProbe(NamedTuple):
    """A second answer to a placement step; `request` is what was asked then."""

    look: Look
    answer: Placement | Refusal | Failure
    request: PlacementRequest


@dataclass(frozen=True)
class PlacementStep:
    """One call of a placer: what was asked, what it answered, and how second looks answered.

    `mutated` says what of its input the target changed.
    """

    request: PlacementRequest
    answer: Placement | Refusal | Failure
    probes: tuple[PlacementProbe, ...] = ()
    mutated: str | None = None

    @property
    def placed(self) -> Placement | None:
        """The placement, None where the placer declined or failed."""
        return None if isinstance(self.answer, Refusal | Failure) else self.answer

    def numbered(self) -> Iterator[tuple[int, Replicas]]:
        """The placed partitions by number."""
        return enumerate(self.placed or (), start=self.request.first_partition)


def ask(placer: Placer, request: PlacementRequest, random: RandomSource) -> Placement | Refusal | Failure:
    """What the placer makes of the request: a placement, a refusal, or nothing usable."""
    try:
        return placer.place(request, random)
    except PlacementRefusedError as refused:
        return Refusal(refused.java_class, str(refused))
    except Exception as error:  # the target's own code
        return failure_of(error)


def place(
    new: Callable[[], Placer], request: PlacementRequest, seed: int = 0, looks: Collection[Look] = ()
) -> PlacementStep:
    """A step with a new placer: the answer, and those second looks that are asked for.

    Every call has random numbers of its own from the same seed. PERMUTED gives the brokers backwards;
    PROCESS is for those who have another process.
    """
    placer = new()
    answer = ask(placer, request, JavaRandom(seed))
    mutated = getattr(placer, "mutated", None)
    probes = []
    if Look.OTHER in looks:
        probes.append(PlacementProbe(Look.OTHER, ask(new(), request, JavaRandom(seed)), request))
    if Look.PERMUTED in looks:
        turned = replace(request, brokers=request.brokers[::-1])
        probes.append(PlacementProbe(Look.PERMUTED, ask(new(), turned, JavaRandom(seed)), turned))
    if Look.AGAIN in looks:
        probes.append(PlacementProbe(Look.AGAIN, ask(placer, request, JavaRandom(seed)), request))
    return PlacementStep(request, answer, tuple(probes), mutated)
