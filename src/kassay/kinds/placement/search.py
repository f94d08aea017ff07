"""The search for the worst cases of placers and planners.

The search for worst cases of placers: new topics on unfenced brokers; changes racks, factor and start.

The search for worst cases of planners: changes racks, replication factor, and the replicas before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import starmap
from typing import Any, ClassVar

from kassay.kinds.placement.scopes import PlacementCase, placer_cell, plan_cell
from kassay.kinds.search import WorstMeasure, WorstSearch, apart, least_squares, measured
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.properties.placement.balance import gap
from kassay.properties.sentences.words.plans import PLAN_WORDS, PlanScene


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


class PlanSearch(WorstSearch):
    """Plans for partitions that are on the request's brokers before, or on one that leaves."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "max(replicas) - min(replicas) < {}",
            "replicas of the fullest broker less those of the emptiest, once the plan is through",
        ),
        "leaders": WorstMeasure(
            "max(leaders) - min(leaders) < {}",
            "partitions led by one broker less those led by another, once the plan is through",
        ),
        "moves": WorstMeasure(
            "(copied - best_copied) * max(0, 1 - gap) < {}",
            "replicas copied beyond the fewest, where the loads are the best",
        ),
        "gap": WorstMeasure("gap < {}", "sum of squared replicas, less the least possible"),
    }

    def small(self, size: tuple[int, int]) -> Iterator[PlanRequest]:
        """Every request of the size, with at most two brokers and partitions: there are too many of three."""
        return plan_cell(min(size[0], 2), min(size[1], 2), True)

    def widened(self, case: PlanRequest, size: tuple[int, int]) -> PlanRequest:
        """More brokers, each in the rack of the original one; the rows repeated, on the same brokers."""
        racks = [broker.rack for broker in case.brokers]
        goes = len(case.brokers)
        rows = [
            tuple(size[0] if broker == goes else broker for broker in case.before[i % len(case.before)][1])
            for i in range(size[1])
        ]
        brokers = tuple(Broker(i, racks[i % len(racks)]) for i in range(size[0]))
        return replace(case, brokers=brokers, before=_placed(rows))

    def changed(self, case: PlanRequest, rng: random.Random) -> PlanRequest:
        """Another row of replicas before, another rack for a broker, or a replica more or fewer."""
        count, rows = len(case.brokers), [row for _, row in case.before]
        what = rng.randrange(4)
        if what == 0:
            factor = min(count, max(1, case.replication_factor + rng.choice((-1, 1))))
            rows = [(*row, *(b for b in range(count + 1) if b not in row))[:factor] for row in rows]
            return replace(case, replication_factor=factor, before=_placed(rows))
        if what == 1:
            names = [broker.rack or f"r{broker.broker_id}" for broker in case.brokers]
            names[rng.randrange(count)] = f"r{rng.randrange(count)}"
            return replace(case, brokers=tuple(Broker(i, rack) for i, rack in enumerate(names)))
        rows[rng.randrange(len(rows))] = tuple(rng.sample(range(count + 1), case.replication_factor))
        return replace(case, before=_placed(rows))

    def value(self, badness: str, played: Any, best: Any, /) -> int:
        """The measure of the one plan."""
        if not played.outcomes:
            return -1
        step = played.outcomes[0]
        if badness in ("spread", "leaders"):
            name = "replicas" if badness == "spread" else "leaders"
            return apart(PLAN_WORDS, name, PlanScene(step), "brokers")
        scene = PlanScene(step, best(step))
        gap = measured(PLAN_WORDS, "gap", scene)
        if badness == "gap":
            return gap
        copied, least = (measured(PLAN_WORDS, name, scene) for name in ("copied", "best_copied"))
        return copied - least if gap == 0 else 0

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """The bound of placers for loads; none for copies, as a plan may copy anything on the way."""
        return None if badness == "moves" else PlacerSearch().bound(badness, size)


def _placed(rows: list[tuple[int, ...]]) -> tuple[tuple[TopicPartition, tuple[int, ...]], ...]:
    return tuple((TopicPartition("t0", i), row) for i, row in enumerate(rows))
