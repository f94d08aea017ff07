"""What an assignment comes to."""

from kassay.certify.clusters.figures import Loads, Racks, loads_of, racks_of
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def test_loads_count_members_without_an_entry():
    loads = loads_of(["b", "a", "c"], {"b": (T0, T1), "c": (U0,)})
    assert loads == Loads(3, 3, 0, 2, "b", ("a",))
    assert loads.spread == 2


def test_racks_count_partitions_whose_replicas_have_one():
    cluster = Cluster((Topic("t", 2, ((1,), (2,))), Topic("u", 1)), (Broker(1, "x"), Broker(2, "y")))
    group = Group((Member("a", ("t", "u"), rack="x"), Member("b", ("t",))))
    given = Assignment({"a": (T0, U0), "b": (T1,)})
    assert racks_of(cluster, group, given) == Racks(1, 2)
    assert racks_of(cluster, Group((Member("a", ("t",)),)), given) is None
    assert racks_of(Cluster.of({"t": 2}), group, given) is None
