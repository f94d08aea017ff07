"""Requests as bytes: what Kafka's schemas say, read back, and a broker that answers them."""

import socket
import struct
import threading

import pytest

from kassay.engines.conform import wire
from kassay.engines.conform.on_broker import BrokerFailed, BrokerPlayer
from kassay.engines.genuine import events as e
from kassay.model.errors import InputError

EVENTS = [
    e.JoinEvent("c", "", [("range", {"topics": ["foo"], "version": 3, "owned": {"foo": [1]}})], "i"),
    e.SyncEvent("m", 2, {"m": {"foo": [0, 1]}, "n": None}),
    e.HeartbeatEvent("m", 2, "i"),
    e.LeaveEvent([{"member": "m", "instance": None}]),
    e.CommitEvent("m", 3, [("foo", 0, 1 << 40)]),
    e.ConsumerHeartbeatEvent("m", 0, None, 30_000, ["foo"], None, "uniform", {"foo": [0]}),
    e.ConsumerHeartbeatEvent("m", 5),
    e.StreamsHeartbeatEvent(
        "s", 0, topology={"epoch": 1, "subtopologies": [{"id": "0", "sources": ["foo"]}]}, process="p"
    ),
]
_STR, _NULLABLE = "s", "s"
REQUESTS = {
    "join": [
        ("group", "s"),
        ("session", "i"),
        ("rebalance", "i"),
        ("member", "s"),
        ("instance", "s"),
        ("type", "s"),
        ("protocols", [("name", "s"), ("metadata", "b")]),
        ("reason", "s"),
    ],
    "sync": [
        ("group", "s"),
        ("generation", "i"),
        ("member", "s"),
        ("instance", "s"),
        ("type", "s"),
        ("protocol", "s"),
        ("assignments", [("member", "s"), ("assignment", "b")]),
    ],
    "heartbeat": [("group", "s"), ("generation", "i"), ("member", "s"), ("instance", "s")],
    "leave": [("group", "s"), ("members", [("member", "s"), ("instance", "s"), ("reason", "s")])],
    "commit": [
        ("group", "s"),
        ("generation", "i"),
        ("member", "s"),
        ("instance", "s"),
        (
            "topics",
            [
                ("name", "s"),
                ("partitions", [("partition", "i"), ("offset", "q"), ("epoch", "i"), ("metadata", "s")]),
            ],
        ),
    ],
    "consumer_heartbeat": [
        ("group", "s"),
        ("member", "s"),
        ("epoch", "i"),
        ("instance", "s"),
        ("rack", "s"),
        ("rebalance", "i"),
        ("subscribed", ["s"]),
        ("regex", "s"),
        ("assignor", "s"),
        ("owned", [("topic", "u"), ("partitions", ["i"])]),
    ],
}
FOO = {"foo": bytes(range(16))}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_a_request_is_read_to_its_last_byte(event):
    """By the schemas of the message definitions; a Streams heartbeat is written only."""
    _, body = wire.REQUESTS[event.kind]("g", event.document(), FOO)
    if event.kind not in REQUESTS:
        assert body.startswith(b"\2g\2s")
        return
    reader = wire.WireReader(body)
    request = reader.fields(REQUESTS[event.kind])
    assert reader.place == len(body)
    assert request["group"] == "g"
    if event.kind == "sync":
        given = {each["member"]: wire.assignment_of(each["assignment"]) for each in request["assignments"]}
        assert given == {"m": {"foo": [0, 1]}, "n": None}
    if event.kind == "commit":
        assert request["topics"][0]["partitions"][0]["offset"] == 1 << 40
    if event.kind == "consumer_heartbeat" and event.owned:
        assert request["owned"] == [{"topic": FOO["foo"], "partitions": [0]}]


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 1 << 20])
def test_a_varint_is_read_as_it_is_written(number):
    assert wire.WireReader(wire._varint(number)).varint() == number


class Answering:
    """A broker on a port of its own that answers by API key; a key without an answer is parked."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []
        self.parked = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        (length,) = struct.unpack(">i", connection.recv(4))
        data = b""
        while len(data) < length:
            data += connection.recv(length - len(data))
        key, _, number = struct.unpack(">hhi", data[:8])
        self.asked.append(key)
        body = self.answers.get(key)
        if body is None:
            self.parked.append(connection)
            return
        whole = struct.pack(">i", number) + b"\0" + body
        connection.sendall(struct.pack(">i", len(whole)) + whole)
        connection.close()

    def close(self):
        self._server.close()
        for connection in self.parked:
            connection.close()


def code(number):
    return struct.pack(">ih", 0, number)


METADATA = (
    struct.pack(">i", 0)
    + wire._array([])
    + wire._string(None)
    + struct.pack(">i", 0)
    + wire._array(
        [
            struct.pack(">h", 0)
            + wire._string("foo")
            + FOO["foo"]
            + b"\0"
            + wire._array([])
            + struct.pack(">i", 0)
            + b"\0"
        ]
    )
)
ANSWERS = {19: struct.pack(">i", 0), 3: METADATA, 10: struct.pack(">i", 0), 13: code(0), 12: code(25)}


@pytest.fixture
def broker():
    serving = Answering(ANSWERS)
    yield serving
    serving.close()


def test_requests_are_answered_and_a_parked_one_is_not(broker):
    player = BrokerPlayer(broker.address, {"foo": 1})
    answered = player.send(e.HeartbeatEvent("m", 2).document())
    assert answered.answers == [{"to": 0, "kind": "heartbeat", "error": "UNKNOWN_MEMBER_ID"}]
    assert player.send(EVENTS[0].document()).answers == []
    player.close()
    assert broker.asked[:4] == [19, 3, 10, 13]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (e.HeartbeatEvent("m", 1, write_fails="X"), "writes do not fail on demand"),
        (e.DeferEvent(), "a broker does that by itself"),
        (e.FailoverEvent(), "expected --restart COMMAND"),
    ],
)
def test_what_no_client_can_cause_is_refused(broker, event, message):
    player = BrokerPlayer(broker.address, {})
    with pytest.raises(InputError, match=message):
        player.send(event.document())


def test_an_address_is_checked_and_so_is_the_connection():
    with pytest.raises(InputError, match="expected HOST:PORT"):
        BrokerPlayer("localhost", {})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(BrokerFailed, match=f"127.0.0.1:{port}"):
        BrokerPlayer(f"127.0.0.1:{port}", {})
