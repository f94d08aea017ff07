"""Every example of Kafka's documentation and of the articles that motivated this project, by target spec."""

import pytest

from kassay.assignors.groups.client.failover import PRIORITY_KEY
from kassay.assignors.groups.server.coordinator import lookups_differ, offsets_partition, remainder_first
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Broker, Cluster
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave
from kassay.model.groups.player import Player
from kassay.model.java import JavaRandom
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from kassay.model.placement.request import PlacementRequest


def played(spec, counts, reads, leaver=None, configs=None):
    """The assignment at the start, and after one member has left."""
    joins = tuple(
        Join(Member(m, tuple(topics.split())), (configs or {}).get(m, ())) for m, topics in reads.items()
    )
    changes = (joins, (Leave(leaver),)) if leaver else (joins,)
    target = resolve(spec)
    with target.open() as host:
        rounds = list(Player(host.new, target.protocol).play(History(Cluster.of(counts), changes)))
    return [{m: " ".join(sorted(map(str, tps))) for m, tps in r.outcomes[-1].given.items()} for r in rounds]


@pytest.mark.parametrize("spec", ["range", "server-range", "kafka-python:range"])
def test_range_as_in_kafkas_javadoc(spec):
    if spec.startswith("kafka-python"):
        pytest.importorskip("kafka")
    (found,) = played(spec, {"t0": 3, "t1": 3}, {"C0": "t0 t1", "C1": "t0 t1"})
    assert found == {"C0": "t0-0 t0-1 t1-0 t1-1", "C1": "t0-2 t1-2"}


def test_range_gives_c0_one_more_with_every_topic_of_four_partitions():
    for topics in (1, 2, 5):
        names = [f"t{i}" for i in range(topics)]
        (found,) = played(
            "range", dict.fromkeys(names, 4), dict.fromkeys(("C0", "C1", "C2"), " ".join(names))
        )
        assert [len(own.split()) for own in found.values()] == [2 * topics, topics, topics]


def test_round_robin_as_in_kafkas_javadoc():
    (even,) = played("roundrobin", {"t0": 3, "t1": 3}, {"C0": "t0 t1", "C1": "t0 t1"})
    assert even == {"C0": "t0-0 t0-2 t1-1", "C1": "t0-1 t1-0 t1-2"}
    uneven = {"C0": "t0", "C1": "t0 t1", "C2": "t0 t1 t2"}
    (found,) = played("roundrobin", {"t0": 1, "t1": 2, "t2": 3}, uneven)
    assert found == {"C0": "t0-0", "C1": "t1-0", "C2": "t1-1 t2-0 t2-1 t2-2"}


EXAMPLE_1 = (dict.fromkeys(("t0", "t1", "t2", "t3"), 2), dict.fromkeys(("C0", "C1", "C2"), "t0 t1 t2 t3"))
EXAMPLE_2 = ({"t0": 1, "t1": 2, "t2": 3}, {"C0": "t0", "C1": "t0 t1", "C2": "t0 t1 t2"})


@pytest.mark.parametrize("spec", ["sticky", "cooperative-sticky"])
def test_sticky_as_in_kafkas_javadoc_with_equal_subscriptions(spec):
    before, after = played(spec, *EXAMPLE_1, leaver="C1")
    assert before == {"C0": "t0-0 t1-1 t3-0", "C1": "t0-1 t2-0 t3-1", "C2": "t1-0 t2-1"}
    assert set(after["C0"].split()) > set(before["C0"].split())
    assert set(after["C2"].split()) > set(before["C2"].split())
    assert sorted(len(own.split()) for own in after.values()) == [4, 4]


def test_round_robin_moves_more_in_the_same_example():
    before, after = played("roundrobin", *EXAMPLE_1, leaver="C1")
    assert before == {"C0": "t0-0 t1-1 t3-0", "C1": "t0-1 t2-0 t3-1", "C2": "t1-0 t2-1"}
    assert after == {"C0": "t0-0 t1-0 t2-0 t3-0", "C2": "t0-1 t1-1 t2-1 t3-1"}


@pytest.mark.parametrize("spec", ["sticky", "cooperative-sticky"])
def test_sticky_as_in_kafkas_javadoc_with_different_subscriptions(spec):
    before, after = played(spec, *EXAMPLE_2, leaver="C0")
    assert before == {"C0": "t0-0", "C1": "t1-0 t1-1", "C2": "t2-0 t2-1 t2-2"}
    assert after == {"C1": "t0-0 t1-0 t1-1", "C2": "t2-0 t2-1 t2-2"}


def test_the_article_on_assignors_when_the_second_of_three_leaves():
    counts, reads = {"A": 2, "B": 2}, dict.fromkeys(("C1", "C2", "C3"), "A B")
    first = {"C1": "A-0 B-1", "C2": "A-1", "C3": "B-0"}
    assert played("roundrobin", counts, reads, "C2") == [first, {"C1": "A-0 B-0", "C3": "A-1 B-1"}]
    assert played("sticky", counts, reads, "C2") == [first, {"C1": "A-0 B-1", "C3": "A-1 B-0"}]


def test_the_article_on_failover():
    priorities = {m: ((PRIORITY_KEY, p),) for m, p in (("C1", "3"), ("C2", "2"), ("C3", "1"))}
    reads = dict.fromkeys(priorities, "t")
    before, after = played("failover", {"t": 3}, reads, "C1", priorities)
    assert before == {"C1": "t-0 t-1 t-2", "C2": "", "C3": ""}
    assert after == {"C2": "t-0 t-1 t-2", "C3": ""}


def placed(spec, brokers, partitions):
    request = PlacementRequest(partitions, 3, brokers, start_partition_id=0, fixed_start_index=0)
    with resolve(spec).open() as host:
        return host.new({}).place(request, JavaRandom(0))


@pytest.mark.parametrize("spec", ["placement:rack-unaware", "placement:rack-aware"])
def test_the_table_of_five_brokers(spec):
    rows = placed(spec, tuple(Broker(number) for number in range(5)), 10)
    table = [[[p for p in range(10) if rows[p][rank] == broker] for broker in range(5)] for rank in range(3)]
    assert table == [
        [[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]],
        [[4, 8], [0, 9], [1, 5], [2, 6], [3, 7]],
        [[3, 7], [4, 8], [0, 9], [1, 5], [2, 6]],
    ]


def test_the_table_of_six_brokers_in_three_racks_and_partition_6_on_0_4_2():
    racks = {0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"}
    rows = placed("placement:rack-aware", tuple(Broker(*pair) for pair in racks.items()), 7)
    assert rows == ((0, 3, 1), (3, 1, 5), (1, 5, 4), (5, 4, 2), (4, 2, 0), (2, 0, 3), (0, 4, 2))


@pytest.mark.parametrize("spec", ["partitioner:murmur2", "partitioner:explicit"])
@pytest.mark.parametrize(("key", "hashed"), [(b"foobar", -790332482), (b"21", -973932308)])
def test_keys_go_where_kafkas_own_hashes_say(spec, key, hashed):
    with resolve(spec).open() as host:
        made = host.new({})
        made.configure({})
        assert made.partition(ProducerRecord("t", key), TopicMetadata.of(7)) == (hashed & 0x7FFFFFFF) % 7


def test_the_article_on_coordinators_and_kafka_differ_for_one_hash_only():
    assert offsets_partition("my-group") == remainder_first("my-group") == 12
    assert lookups_differ("polygenelubricants", 50)
    assert (offsets_partition("polygenelubricants"), remainder_first("polygenelubricants")) == (0, 48)
