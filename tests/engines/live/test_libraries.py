"""Every library in Node and Go in real groups, alone and with others: by hand, `tox -e live-clients`."""

import pytest

from kassay.engines.genuine.broker import genuine_broker
from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.run import LiveOptions, live
from kassay.engines.live.script import LiveAction, LiveScript
from tests.engines.live.test_broker import play

pytestmark = [pytest.mark.broker, pytest.mark.clients]

ACTIONS = (
    LiveAction("leave", "m1"),
    LiveAction("join", "m1"),
    LiveAction("crash", "m2"),
    LiveAction("join", "m2"),
    LiveAction("pace", "m1", wait_ms=1500),
)
SHARE = 0.95


@pytest.mark.parametrize(
    "clients",
    [
        ("kafkajs:roundrobin*3",),
        ("platformatic:roundrobin*3",),
        ("platformatic:consumer*2", "franz-go:consumer", "java:consumer"),
        ("franz-go:range", "sarama:range", "java:range"),
        ("franz-go:cooperative-sticky", "sarama:cooperative-sticky", "java:cooperative-sticky"),
        ("franz-go:roundrobin", "sarama:roundrobin", "librdkafka:roundrobin", "kafka-python:roundrobin"),
        ("sarama:sticky*3",),
        ("segmentio:range*3",),
        ("java:streams*3",),
        ("java:streams/classic*3",),
    ],
    ids=" ".join,
)
def test_a_group_is_judged_and_breaks_nothing(tmp_path, clients):
    result = play(tmp_path, clients, ACTIONS)
    assert result.findings == () and result.figures.changed_owner > 0
    for client in result.clients:
        counts = result.counts(client)
        assert sum(c.judged for c in counts) >= SHARE * sum(c.judged + c.unknown for c in counts)


def test_a_share_group_is_judged_and_breaks_nothing(tmp_path):
    result = play(tmp_path, ("java:share*3",), ACTIONS)
    assert result.findings == () and result.figures.read > 0
    assert all(each.judged for each in result.counts() if each.claim != "moves")


@pytest.mark.parametrize("client", ["java:share", "java:streams"])
def test_no_group_of_any_type_stays_on_a_cluster_that_is_named(tmp_path, client):
    seats = ClientPrograms({}).seats((f"{client}*2",))
    actions = (*(LiveAction("join", seat.name) for seat in seats), LiveAction("leave", "m1"))
    alone = dict.fromkeys(
        ("share.coordinator.state.topic.replication.factor", "share.coordinator.state.topic.min.isr"), "1"
    )
    with genuine_broker({"OPEN": "PLAINTEXT"}, fetch=True, settings=alone) as broker:
        address = broker.address("OPEN")
        script = LiveScript({"orders": 4}, seats, actions)
        programs = ClientPrograms({}, broker_jars())
        programs.fetch(seats)
        result = live(LiveOptions(script=script, again=0, base=tmp_path, bootstrap=address), programs)
        assert result.findings == ()
        topics = broker.tool("kafka-topics", "--bootstrap-server", address, "--list")
        groups = broker.tool("kafka-groups", "--bootstrap-server", address, "--list")
    assert "kassay-" not in topics + groups
