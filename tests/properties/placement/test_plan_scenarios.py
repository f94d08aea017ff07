"""Requests to planners: well formed, the same for a seed, and of every sort."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.properties.placement.plan_scenarios import plan_request
from kassay.properties.sources import Drawn, Seeded


@given(st.composite(lambda draw: plan_request(Drawn(draw)))())
def test_requests_are_well_formed(asked):
    ids = [broker.broker_id for broker in asked.brokers]
    assert len(set(ids)) == len(ids)
    assert 1 <= asked.replication_factor <= min(3, len(ids))
    assert len({tp for tp, _ in asked.before}) == len(asked.before) >= 1
    for _, row in asked.before:
        assert len(set(row)) == len(row) == asked.replication_factor
    topics = Counter(tp.topic for tp, _ in asked.before)
    assert set(topics) <= {"t0", "t1"}
    for name, count in topics.items():
        assert {tp.partition for tp, _ in asked.before if tp.topic == name} == set(range(count))


def test_brokers_come_and_go_and_change_their_rack():
    seen = Counter()
    for seed in range(300):
        asked = plan_request(Seeded(seed))
        assert asked == plan_request(Seeded(seed))
        ids = {broker.broker_id for broker in asked.brokers}
        held = {broker for _, row in asked.before for broker in row}
        seen["going"] += bool(held - ids)
        seen["new"] += bool(ids - held)
        seen["settled"] += held == ids
        seen["racks"] += len({broker.rack for broker in asked.brokers}) > 1
        seen["two topics"] += len({tp.topic for tp, _ in asked.before}) == 2
        assert not any(broker.fenced for broker in asked.brokers)
        assert len({broker.rack is None for broker in asked.brokers}) == 1
    assert min(seen.values()) > 30
    assert len(seen) == 5
