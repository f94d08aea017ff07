"""All groups of a cluster at one moment: by how many requests, and what is seen of each type."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kassay.engines.watch.observation import _other, kind_of, see
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.other_groups import ACTIVE, SHARE, STREAMS, OtherGroup, OtherMember
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.groups import ListedGroup
from kassay.reading.live.other_groups import LiveOther, describe_listed_others
from kassay.reading.live.settings import ClientSettings
from tests.engines.clusters.broker import (
    API_VERSIONS,
    CONSUMER_GROUP_DESCRIBE,
    DESCRIBE_GROUPS,
    LIST_GROUPS,
    METADATA,
)
from tests.engines.watch.broker import ManyGroups
from tests.engines.watch.sights import sight, tps
from tests.reading.live.test_other_groups import Recorded, share

EVEN = {"a": {"orders": [0, 1]}, "b": {"orders": [2, 3]}}


@pytest.fixture
def kafka_python():
    pytest.importorskip("kafka.protocol.consumer.metadata")
    pytest.importorskip("javaproperties")


@pytest.mark.live
@pytest.mark.usefixtures("kafka_python")
def test_a_thousand_groups_take_a_few_requests():
    groups = {f"g{number:04}": EVEN for number in range(1_000)}
    with (
        ManyGroups(groups, {"orders": 4}) as broker,
        LiveCluster(broker.bootstrap, ClientSettings()) as cluster,
    ):
        seen = see(cluster)
        assert cluster.requests == 23
    assert {key: broker.requests.count(key) for key in broker.asked} == {
        API_VERSIONS: 4,  # of two connections, each in two steps to a version in common
        METADATA: 2,
        LIST_GROUPS: 1,
        CONSUMER_GROUP_DESCRIBE: 10,
        DESCRIBE_GROUPS: 10,
    }
    assert (len(seen.groups), seen.dropped, seen.unreadable, seen.brokers) == (1_000, 0, 0, {1})
    first = sight(
        {"a": ["orders-0", "orders-1"], "b": ["orders-2", "orders-3"]},
        {"orders": 4},
        name="g0000",
        assignor="range",
    )
    assert seen.groups[0] == first


@pytest.mark.live
@pytest.mark.usefixtures("kafka_python")
def test_groups_above_the_limit_and_of_other_clients_are_counted():
    groups = {**dict.fromkeys("dbca", EVEN), "workers": {}}
    with (
        ManyGroups(groups, {"orders": 4}, {"workers": "connect"}) as broker,
        LiveCluster(broker.bootstrap, ClientSettings()) as cluster,
    ):
        seen, one = see(cluster, most=2), see(cluster, "c")
    assert ([each.name for each in seen.groups], seen.dropped) == (["a", "b"], 2)
    assert seen.kinds == {"classic": 4, "consumer": 0, "share": 0, "streams": 0, "other": 1}
    assert [each.name for each in one.groups] == ["c"]


@pytest.mark.live
@pytest.mark.usefixtures("kafka_python")
def test_a_group_without_the_right_costs_only_itself():
    with (
        ManyGroups(dict.fromkeys("abc", EVEN), {"orders": 4}) as broker,
        LiveCluster(broker.bootstrap, ClientSettings()) as cluster,
    ):
        broker.refused = {"b"}
        seen = see(cluster)
    assert ([each.name for each in seen.groups], seen.unreadable) == (["a", "c"], 1)


@pytest.mark.parametrize(
    ("protocol_type", "group_type", "kind"),
    [
        ("consumer", "Classic", "classic"),
        ("consumer", "", "classic"),
        ("", "Classic", "classic"),
        ("", "", "classic"),
        ("consumer", "Consumer", "consumer"),
        ("share", "Share", "share"),
        ("streams", "Streams", "streams"),
        ("connect", "Classic", "other"),
        ("connect", "", "other"),
        ("schema-registry", "Classic", "other"),
    ],
)
def test_the_type_of_a_group(protocol_type, group_type, kind):
    assert kind_of(ListedGroup("g", protocol_type, "Stable", group_type, 1)) == kind


def member(name, **tasks):
    """A member with partitions or tasks by view."""
    return OtherMember(
        Place("b", 1), name, None, None, None, {key.replace("_", "-"): each for key, each in tasks.items()}
    )


def test_a_share_group_reads_what_its_members_subscribe_to():
    both = (member("m1", **{ACTIVE: (("t", 0), ("t", 1))}), member("m2", **{ACTIVE: (("t", 1),)}))
    group = OtherGroup(SHARE, "s", both, None, "Stable", "simple", 2)
    seen = _other(LiveOther(group, {"m1": ("t",), "m2": ("t", "gone")}), {"t": 3})
    assert seen == sight(
        {"m1": ["t-0", "t-1"], "m2": ["t-1"]}, {"t": 3}, name="s", kind=SHARE, assignor="simple"
    )


def test_the_tasks_of_a_streams_group_are_those_of_its_targets_too():
    one = member("m1", **{ACTIVE: (("0", 0),), f"TARGET_{ACTIVE}": (("0", 0), ("0", 2))})
    seen = _other(LiveOther(OtherGroup(STREAMS, "app", (one,), None, "Reconciling", None, 1), {}), {"t": 9})
    assert (seen.partitions, seen.members[0].owned, seen.state) == ((("0", 3),), tps(["0-0"]), "Reconciling")


def test_share_groups_are_described_together_and_one_without_the_right_costs_only_itself():
    version, answer = share()
    refused = SimpleNamespace(error_code=30, group_id="x")
    cluster = Recorded({"ShareGroupDescribe": (version, SimpleNamespace(groups=[*answer.groups, refused]))})
    cluster.refused = lambda code, kind, name: ValueError((code, kind, name))  # type: ignore[attr-defined]
    listed = [ListedGroup(name, "share", "Stable", "Share", 1) for name in "sx"]
    described = describe_listed_others(cluster, listed)  # type: ignore[arg-type]
    assert isinstance(described["s"], LiveOther)
    assert described["x"].args == ((30, "group", "x"),)
