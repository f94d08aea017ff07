"""The search for worst cases of placers: new topics on unfenced brokers; changes racks, factor and start."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import starmap
from typing import Any, ClassVar

from kassay.kinds.placement.cases import PlacementCase
from kassay.kinds.placement.scopes import placer_cell
from kassay.kinds.search import WorstMeasure, WorstSearch, least_squares
from kassay.model.cluster import Broker
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.properties.placement.balance import gap


class PlacerSearch(WorstSearch):
    """New topics on unfenced brokers, with racks for all or for none."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "max(replicas) - min(replicas) < {}",
            "replicas of the fullest broker less those of the emptiest",
        ),
        "leaders": WorstMeasure(
            "max(leaders) - min(leaders) < {}",
            "partitions led by one broker less those led by another",
        ),
        "gap": WorstMeasure(
            "gap < {}",
            "sum of squared replicas, less the least possible",
        ),
    }

    def small(self, size: tuple[int, int]) -> Iterator[PlacementCase]:
        """Every request of the size."""
        return starmap(PlacementCase, placer_cell(*size))

    def widened(self, case: PlacementCase, size: tuple[int, int]) -> PlacementCase:
        """As many brokers, each new one in the rack of the corresponding broker of the small request."""
        racks = [broker.rack for broker in case.request.brokers]
        brokers = tuple(Broker(i, racks[i % len(racks)]) for i in range(size[0]))
        return case._replace(request=replace(case.request, partitions=size[1], brokers=brokers))

    def changed(self, case: PlacementCase, rng: random.Random) -> PlacementCase:
        """Another rack for a broker, a replica more or fewer, or another start."""
        request: PlacementRequest = case.request
        count = len(request.brokers)
        what = rng.randrange(3)
        if what == 0:
            factor = min(count, max(1, request.replication_factor + rng.choice((-1, 1))))
            return case._replace(request=replace(request, replication_factor=factor))
        if what == 1:
            start = rng.randrange(count)
            return PlacementCase(replace(request, fixed_start_index=start), start)
        names = [broker.rack or f"r{broker.broker_id}" for broker in request.brokers]
        names[rng.randrange(count)] = f"r{rng.randrange(count)}"
        brokers = tuple(Broker(i, rack) for i, rack in enumerate(names))
        return case._replace(request=replace(request, brokers=brokers))

    def value(self, badness: str, played: Any, best: Any, /) -> int:
        """The measure of the one answer."""
        if not played.outcomes:
            return -1
        step: PlacementStep = played.outcomes[0]
        if badness == "gap":
            known = best(step)
            if known is None or known.replicas is None:
                return -1
            return gap(step.replica_loads.values(), known.replicas)
        loads = (step.replica_loads if badness == "spread" else step.leader_loads).values()
        return max(loads) - min(loads)

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int:
        """A broker has one replica of a partition at most: loads are 0 to p, squares at most r p squared."""
        brokers, partitions = size
        if brokers == 1:
            return 0
        if badness != "gap":
            return partitions
        return max(r * partitions**2 - least_squares(r * partitions, brokers) for r in range(1, brokers + 1))
