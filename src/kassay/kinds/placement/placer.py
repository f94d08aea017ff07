"""The driver of placers: one request a case, put to a new object of the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from kassay.kinds.registry import drives
from kassay.model.placement.kinds import PLACER
from kassay.kinds.cuts import one_or_two, with_one, without_one
from kassay.kinds.judging import Calls, Subject
from kassay.kinds.placement.oracle import best_of_placement
from kassay.kinds.placement.scopes import fresh_requests
from kassay.kinds.protocol import Driver
from kassay.model.cluster import Broker
from kassay.model.java.randomness import JavaRandom
from kassay.model.placement.documents import PLACEMENT_REQUEST, PLACEMENT_STEP, step_to_json
from kassay.model.placement.request import Placement, PlacementRequest
from kassay.model.placement.step import PlacementStep, place
from kassay.model.shape import codec
from kassay.properties.profile import Profile
from kassay.properties.placement.aims import PLACER_AIMS, aimed_request
from kassay.properties.placement.balance import BestPlacement
from kassay.properties.placement.scenarios import LARGE, NO_RACKS, SMALL, PlacementProfile, request
from kassay.properties.registry import Promise
from kassay.properties.sources import Source

_SEED_MAX = 2**31 - 1
FRESH_MAX: Final = 4000
"""So many of the smallest requests are tried where one cannot be cut further."""


class PlacementCase(NamedTuple):
    """A request, and the seed of the random numbers that go with it."""

    request: PlacementRequest
    seed: int


CASE = codec.record(PlacementCase, request=PLACEMENT_REQUEST, seed=codec.Field(codec.WHOLE, 0))


@drives(PLACER)
class PlacementDriver(Driver[PlacementCase]):
    """Puts requests to a placer."""

    asks = "place"
    goals = ("replicas", "leaders")
    form = CASE
    narration = PLACEMENT_STEP
    aims = PLACER_AIMS

    def generate(self, source: Source, profile: Profile, aim: str = "") -> PlacementCase:
        """A request out of the source's choices."""
        sized = _profile(source, profile)
        asked = aimed_request(source, sized, aim) if aim else request(source, sized)
        return PlacementCase(asked, source.integer(0, _SEED_MAX))

    def play(self, case: PlacementCase, subject: Subject) -> Iterator[Calls[PlacementStep]]:
        """The one answer; its balance is judged where there is a placement."""
        new = partial(subject.new, {})
        step = place(new, case.request, case.seed, subject.looks, subject.new_twin)
        yield Calls((step,), () if step.placed is None else (step,))

    def scene(self, case: PlacementCase, played: Calls[PlacementStep]) -> PlacementRequest:
        """Situations are those of the request."""
        return case.request

    def parts(self, answer: Placement) -> dict[str, object]:
        """The replicas of each partition, counted from the first new one."""
        return {f"partition +{number}": replicas for number, replicas in enumerate(answer)}

    def measures(self, asked: tuple[PlacementRequest, JavaRandom], answer: Placement) -> dict[str, object]:
        """Replicas and leaders of the topic on each unfenced broker, the most first."""
        step = PlacementStep(asked[0], answer)
        return {
            "replicas": tuple(sorted(step.replica_loads.values(), reverse=True)),
            "leaders": tuple(sorted(step.leader_loads.values(), reverse=True)),
        }

    def best(self, outcome: PlacementStep, promise: Promise) -> BestPlacement | None:
        """The certified best loads."""
        return best_of_placement(outcome)

    def shrink_candidates(self, case: PlacementCase) -> Iterator[PlacementCase]:
        """Requests with something taken away, then plainer ones."""
        yield from one_or_two(case, _candidates)
        fresh = (PlacementCase(asked, case.seed) for asked in fresh_requests(case.request))
        yield from islice((less for less in fresh if self.size(less) < self.size(case)), FRESH_MAX)

    def size(self, case: PlacementCase) -> tuple[int, ...]:
        """Brokers, partitions, replicas, existing partitions, and the rest."""
        asked = case.request
        ids = [broker.broker_id for broker in asked.brokers]
        racks = sorted({broker.rack for broker in asked.brokers if broker.rack is not None})
        return (
            len(ids),
            asked.partitions,
            asked.replication_factor,
            len(asked.existing),
            sum(broker.fenced for broker in asked.brokers),
            len(racks),
            sum(1 + racks.index(broker.rack) for broker in asked.brokers if broker.rack is not None),
            asked.fixed_start_index + 1,
            sum(place_ != broker for place_, broker in enumerate(ids)),
        )

    def counts(self, case: PlacementCase) -> Mapping[str, int]:
        """Brokers stand for members; a request is one event."""
        return {"members": len(case.request.brokers), "partitions": case.request.partitions, "events": 1}

    def document_of(self, step: PlacementStep) -> dict[str, Any]:
        """The request and its answer."""
        return step_to_json(step)

    def narrate(self, case: PlacementCase, subject: Subject) -> list[dict[str, Any]]:
        """The one answer."""
        return [step_to_json(place(partial(subject.new, {}), case.request, case.seed))]


def _candidates(case: PlacementCase) -> Iterator[PlacementCase]:
    """Cases with one thing taken away, the boldest cuts first."""
    return (PlacementCase(asked, case.seed) for asked in _smaller(case.request))


def _profile(source: Source, profile: Profile) -> PlacementProfile:
    """The size and the racks that a run asks for."""
    sized = LARGE if profile.goes_large(source) else SMALL
    return sized if profile.allows("no-racks") else replace(sized, racks=(NO_RACKS,))


def _smaller(asked: PlacementRequest) -> Iterator[PlacementRequest]:
    """Requests with less in them, the boldest cuts first."""
    if asked.existing:
        yield replace(asked, existing=())
        yield replace(asked, existing=asked.existing[:-1])
    for fewer in sorted({asked.partitions // 2, asked.partitions - 1} - {0}):
        yield replace(asked, partitions=fewer)
    if asked.replication_factor > 1:
        factor = asked.replication_factor - 1
        yield replace(
            asked, replication_factor=factor, existing=tuple(row[:factor] for row in asked.existing)
        )
    if len(asked.brokers) > 1:
        for gone, brokers in zip(asked.brokers, without_one(asked.brokers)):
            existing = tuple(row for row in asked.existing if gone.broker_id not in row)
            yield replace(asked, brokers=brokers, existing=existing)
    if asked.fixed_start_index >= 0:
        yield replace(asked, fixed_start_index=-1)
        yield replace(asked, fixed_start_index=0)
    yield from _plainer(asked)


def _plainer(asked: PlacementRequest) -> Iterator[PlacementRequest]:
    """Requests of the same size with fewer racks, fewer fenced brokers, and ids from 0 on."""
    brokers = asked.brokers
    yield replace(asked, brokers=tuple(broker._replace(rack=None) for broker in brokers))
    racks = sorted({broker.rack for broker in brokers if broker.rack is not None})

    def plainer(broker: Broker) -> Iterator[Broker]:
        if broker.fenced:
            yield broker._replace(fenced=False)
        for rack in racks:
            if broker.rack is not None and rack < broker.rack:
                yield broker._replace(rack=rack)

    for plain in with_one(brokers, plainer):
        yield replace(asked, brokers=plain)
    numbers = {broker.broker_id: number for number, broker in enumerate(brokers)}
    if any(broker_id != number for broker_id, number in numbers.items()):
        yield replace(
            asked,
            brokers=tuple(broker._replace(broker_id=numbers[broker.broker_id]) for broker in brokers),
            existing=tuple(tuple(numbers.get(broker, broker) for broker in row) for row in asked.existing),
        )
