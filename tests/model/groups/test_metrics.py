"""What an assignment costs, counted one partition at a time."""

from kassay.assignors.groups.client.range import Range
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member, previous_owners
from kassay.model.groups.metrics import moved, rack_mismatches
from tests.assignors.groups.client.optimal_groups import drawn


def test_costs_are_those_of_each_partition_by_itself():
    for case in drawn(150):
        cluster, group = case
        answer = Range().assign(cluster, group)
        owner, before = answer.owners(), previous_owners(cluster, group)
        assert moved(answer, before) == sorted(tp for tp in before if owner.get(tp) != before[tp])
        rack_of = {broker.broker_id: broker.rack for broker in cluster.brokers}
        mismatched = []
        for topic in cluster.topics:
            for number, replicas in enumerate(topic.replicas or ()):
                tp = TopicPartition(topic.name, number)
                racks = {rack_of[broker] for broker in replicas} - {None}
                if tp in owner and racks and group.by_id[owner[tp]].rack not in racks:
                    mismatched.append(tp)
        assert rack_mismatches(cluster, group, answer) == sorted(mismatched)


def test_what_moved_is_found_without_a_search_of_what_each_member_has():
    """With 20,000 partitions on two members a search for each would look at 400 million."""
    tps = [TopicPartition("t", number) for number in range(20_000)]
    answer = Assignment({"a": tuple(tps[:10_000]), "b": tuple(tps[10_000:])})
    before = dict.fromkeys(tps[:10_001], "a") | dict.fromkeys(tps[10_001:], "b")
    assert moved(answer, before) == [tps[10_000]]
    assert moved(Assignment({}), before) == tps


def test_an_owner_without_a_rack_mismatches_and_what_is_not_there_never_does():
    cluster = Cluster((Topic("t", 1, ((1,),)), Topic("u", 1)), (Broker(1, "r"),))
    group = Group((Member("a", ("t",)), Member("b", ("t",), rack="r")))
    t0, u0, beyond = TopicPartition("t", 0), TopicPartition("u", 0), TopicPartition("t", 7)
    assert rack_mismatches(cluster, group, Assignment({"a": [u0, t0, beyond], "b": [t0]})) == [t0]
    assert rack_mismatches(cluster, group, Assignment({"stranger": [t0]})) == [t0]
    assert rack_mismatches(Cluster.of({"t": 1}), group, Assignment({"a": [t0]})) == []
    nowhere = Cluster((Topic("t", 1, ((1,),)),), (Broker(1),))
    assert rack_mismatches(nowhere, group, Assignment({"a": [t0]})) == []
