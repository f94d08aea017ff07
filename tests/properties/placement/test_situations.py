"""The situations of placers are reached, and tell inputs apart."""

from collections import Counter

from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest
from kassay.properties.placement.scenarios import request
from kassay.properties.registry import situations_of
from kassay.properties.sources import Seeded


def test_every_situation_and_every_kind_of_cluster_is_reached_often():
    asked = [request(Seeded(seed)) for seed in range(400)]
    reached = Counter(s.id for one in asked for s in situations_of(PLACER) if s.reached(one))
    assert set(reached) == {"uneven-racks", "fenced", "rf-near-brokers", "partitions-added"}
    assert min(reached.values()) >= 40
    kinds = Counter(
        "partial" if one.has_partial_racks else "racks" if one.has_racks else "none" for one in asked
    )
    assert min(kinds[kind] for kind in ("partial", "racks", "none")) >= 40
    assert sum(one.replication_factor > len(one.brokers) for one in asked) >= 15
    assert sum(one.partitions >= len(one.brokers) ** 2 for one in asked) >= 15


def test_the_situations_tell_inputs_apart():
    plain = PlacementRequest(1, 1, tuple(Broker(i, "ab"[i % 2]) for i in range(4)))
    assert not any(situation.reached(plain) for situation in situations_of(PLACER))
