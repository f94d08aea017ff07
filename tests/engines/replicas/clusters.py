"""Small clusters for tests: by hand, and drawn."""

from __future__ import annotations

import random
from collections.abc import Mapping

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.model.cluster import Broker, TopicPartition

RACKS = {1: "a", 2: "b", 3: "c", 4: "a", 5: "b", 6: "c"}


def cluster(
    rows: Mapping[str, list[tuple[int, ...]]],
    racks: Mapping[int, str | None] = RACKS,
    sizes: bool = False,
    cordoned: frozenset[int] = frozenset(),
) -> PlacedCluster:
    """A cluster with these replicas; with sizes, partition n of a topic has n + 1 MiB."""
    placed = {
        TopicPartition(topic, number): row
        for topic, own in sorted(rows.items())
        for number, row in enumerate(own)
    }
    return PlacedCluster(
        tuple(Broker(*each) for each in sorted(racks.items())),
        placed,
        {tp: (tp.partition + 1) << 20 for tp in placed} if sizes else None,
        cordoned=cordoned,
    )


def drawn(seed: int) -> tuple[PlacedCluster, PlacementChange]:
    """A cluster of up to 7 brokers, its replicas anywhere, and brokers that come, go, are drained or cordoned."""
    rng = random.Random(seed)
    number, racks = rng.randint(3, 7), rng.choice((0, 2, 3))
    brokers = {i: f"r{rng.randrange(racks)}" if racks else None for i in range(number)}
    rows: dict[str, list[tuple[int, ...]]] = {}
    for topic in ("t", "u"):
        rf = rng.randint(1, min(3, number - 1))
        rows[topic] = [
            tuple(rng.sample(sorted(brokers), rng.choice((rf, rf, rf, 1)))) for _ in range(rng.randint(1, 9))
        ]
    change = PlacementChange()
    what = rng.random()
    if what < 0.3:
        change = PlacementChange(removed=frozenset({rng.randrange(number)}))
    elif what < 0.5:
        change = PlacementChange(drained=frozenset({rng.randrange(number)}))
    elif what < 0.7:
        change = PlacementChange(added=(Broker(9, "r0" if racks else None),))
    placed = cluster(rows, brokers, rng.random() < 0.5)
    if what > 0.9:
        change = PlacementChange(cordoned=frozenset({rng.randrange(number)}))
    return placed, change
