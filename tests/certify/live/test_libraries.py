"""Every library in Node and Go in real groups, alone and with others: by hand, `tox -e live-clients`."""

import pytest

from kassay.certify.live.script import LiveAction
from tests.certify.live.test_broker import play

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
