"""What a cluster says of its partitions agrees, whichever of its views is asked."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition, numbers_by_topic
from tests.assignors.groups.client.optimal_groups import drawn


def test_the_views_of_the_partitions_agree():
    for cluster, _ in drawn(100):
        listed = {topic.name: tuple(topic.tps()) for topic in cluster.topics if topic.partitions}
        assert cluster.partitions == listed
        assert {name: len(tps) for name, tps in listed.items()} == cluster.counts
        assert list(cluster.by_name) == list(cluster.counts) == list(listed)
        names = [topic.name for topic in cluster.topics] + ["unknown"]
        every = {TopicPartition(name, p) for name, p in product(names, range(-2, 9))}
        assert {tp for tp in every if cluster.has(tp)} == {tp for tps in listed.values() for tp in tps}
        assert cluster.everything == {tp for tps in listed.values() for tp in tps}
        assert all(type(tp) is TopicPartition for tps in cluster.partitions.values() for tp in tps)


def test_other_orders_keep_topics_and_brokers():
    one, two, three = (Topic(name, 1) for name in ("one", "two", "three"))
    cluster = Cluster((one, two, three), (Broker(1, "r"),))
    assert cluster.reversed == Cluster((three, two, one), cluster.brokers)
    assert cluster.rotated == Cluster((two, three, one), cluster.brokers)


def test_a_partition_is_in_the_racks_of_those_brokers_that_have_one():
    for cluster, _ in drawn(100):
        rack_of = {broker.broker_id: broker.rack for broker in cluster.brokers}
        assert cluster.replica_racks.keys() == {t.name for t in cluster.topics if t.replicas is not None}
        for topic in cluster.topics:
            for number, replicas in enumerate(topic.replicas or ()):
                racks = {rack_of[broker] for broker in replicas} - {None}
                assert cluster.replica_racks[topic.name][number] == racks


def test_a_replica_on_an_unknown_broker_adds_no_rack():
    cluster = Cluster((Topic("t", 1, ((1, 7),)),), (Broker(1, "a"),))
    assert cluster.replica_racks == {"t": (frozenset("a"),)}


def test_a_partition_without_weights_costs_one():
    cluster = Cluster((Topic("t", 2, weights=(5, 0)), Topic("u", 1)))
    costs = {tp: cluster.weight(tp) for tps in cluster.partitions.values() for tp in tps}
    assert {str(tp): cost for tp, cost in costs.items()} == {"t-0": 5, "t-1": 0, "u-0": 1}
    assert cluster.weight(TopicPartition("ghost", 3)) == 1


def test_other_topics_leave_the_brokers():
    cluster = Cluster((Topic("t", 1),), (Broker(1, "a"),))
    assert cluster.with_topics([Topic("u", 2)]) == Cluster((Topic("u", 2),), (Broker(1, "a"),))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9))))
def test_numbers_by_topic_keep_every_pair_in_order(pairs):
    numbers = numbers_by_topic(pairs)
    assert list(numbers) == list(dict.fromkeys(topic for topic, _ in pairs))
    assert all(numbers[topic] == [p for name, p in pairs if name == topic] for topic in numbers)
