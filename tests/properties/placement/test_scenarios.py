from hypothesis import given
from hypothesis import strategies as st

from kassay.properties.placement.scenarios import (
    LARGE,
    PARTIAL_RACKS,
    PlacementProfile,
    brokers,
    request,
)
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
