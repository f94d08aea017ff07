"""The smallest requests: each once, none larger than the one that they come from, the smallest first."""

from kassay.kinds.placement.scopes import fresh_plan_requests, fresh_requests, plan_cell
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.planning import PlanRequest
from kassay.model.placement.request import PlacementRequest

PLAIN = PlacementRequest(2, 2, (Broker(0), Broker(1), Broker(2)))


def test_placements_come_once_by_brokers_and_partitions():
    fresh = list(fresh_requests(PLAIN))
    assert len(set(fresh)) == len(fresh) > 100
    sizes = [(len(asked.brokers), asked.partitions) for asked in fresh]
    assert sizes == sorted(sizes)
    assert max(sizes) == (3, 2)
    assert {len(asked.existing) for asked in fresh} == {0, 1}
    assert not any(broker.fenced for asked in fresh for broker in asked.brokers)


def test_fenced_brokers_other_orders_and_too_many_replicas_only_where_the_request_has_them():
    fenced = list(fresh_requests(PlacementRequest(1, 3, (Broker(1), Broker(0, fenced=True)))))
    assert any(broker.fenced for asked in fenced for broker in asked.brokers)
    assert not any(all(broker.fenced for broker in asked.brokers) for asked in fenced)
    assert any([broker.broker_id for broker in asked.brokers] == [1, 0] for asked in fenced)
    assert max(asked.replication_factor - len(asked.brokers) for asked in fenced) == 1
    assert max(asked.replication_factor - len(asked.brokers) for asked in fresh_requests(PLAIN)) == 0


def test_plans_may_set_out_from_a_broker_that_goes():
    asked = PlanRequest((Broker(0), Broker(1)), ((TopicPartition("t", 0), (0,)),), 1)
    fresh = list(fresh_plan_requests(asked))
    assert len(set(fresh)) == len(fresh) > 5
    assert {row for each in fresh for _, row in each.before} == {(0,), (1,), (2,)}
    assert {each.replication_factor for each in fresh} == {1}


def test_a_cell_of_plans_has_every_placement_before():
    assert len(set(plan_cell(2, 2, True))) == 3 * (3**2 + 6**2)
    assert len(set(plan_cell(2, 1, False))) == 3 + 6
