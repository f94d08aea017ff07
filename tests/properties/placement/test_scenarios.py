from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import Broker
from kassay.model.kinds import Kind
from kassay.model.placement.request import PlacementRequest
from kassay.properties.placement.scenarios import (
    LARGE,
    PARTIAL_RACKS,
    PlacementProfile,
    brokers,
    request,
)
from kassay.properties.registry import situations_of
from kassay.properties.sources import Drawn, Seeded


@given(st.composite(lambda draw: request(Drawn(draw)))())
def test_requests_are_well_formed(asked):
    assert asked.partitions >= 1
    assert asked.replication_factor >= 1
    ids = [broker.broker_id for broker in asked.brokers]
    assert len(set(ids)) == len(ids) >= 1
    assert asked.unfenced
    for row in asked.existing:
        assert len(set(row)) == len(row) == asked.replication_factor
        assert set(row) <= set(ids)


def test_every_situation_and_every_kind_of_cluster_is_reached_often():
    asked = [request(Seeded(seed)) for seed in range(400)]
    reached = Counter(s.id for one in asked for s in situations_of(Kind.PLACER) if s.reached(one))
    assert set(reached) == {"uneven-racks", "fenced", "rf-near-brokers", "partitions-added"}
    assert min(reached.values()) >= 40
    kinds = Counter(
        "partial" if one.has_partial_racks else "racks" if one.has_racks else "none" for one in asked
    )
    assert min(kinds[kind] for kind in ("partial", "racks", "none")) >= 40
    assert sum(one.replication_factor > len(one.brokers) for one in asked) >= 15
    assert sum(one.partitions >= len(one.brokers) ** 2 for one in asked) >= 15


def test_the_same_seed_gives_the_same_request():
    assert [request(Seeded(7)) for _ in range(2)] == [request(Seeded(7))] * 2


def test_a_profile_narrows_what_is_made():
    plain = PlacementProfile(racks=(PARTIAL_RACKS,), fenced=False, existing=False, too_few_brokers=False)
    for seed in range(100):
        asked = request(Seeded(seed), plain)
        assert any(broker.rack is None for broker in asked.brokers)
        assert not asked.existing
        assert asked.replication_factor <= len(asked.brokers) == len(asked.unfenced)
    assert max(len(brokers(Seeded(seed), LARGE)) for seed in range(200)) > 12


def test_the_situations_tell_inputs_apart():
    plain = PlacementRequest(1, 1, tuple(Broker(i, "ab"[i % 2]) for i in range(4)))
    assert not any(situation.reached(plain) for situation in situations_of(Kind.PLACER))
