"""Real clients on a genuine broker: a fixed schedule without a finding, a planted fault, and nothing left."""

import socket
import sys
from pathlib import Path

import pytest

from kassay.engines.genuine.broker import genuine_broker
from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.clients import LIBRARIES, ClientPrograms, require_installed
from kassay.engines.live.folder import noted
from kassay.engines.live.run import LiveOptions, live
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.model.errors import InputError

pytestmark = pytest.mark.broker

KEEPER = str(Path(__file__).with_name("keeper.py"))
ASSIGNOR = str(Path(__file__).with_name("leaves_one_out.py"))


def play(base, clients, actions, again=0):
    """The result of a fixed schedule: the members join one by one, then the actions."""
    programs = ClientPrograms({"keeper": (sys.executable, KEEPER)}, broker_jars(fetch=True))
    seats = programs.seats(clients)
    try:
        programs.fetch(seats)
        for seat in seats:
            if seat.client in LIBRARIES and LIBRARIES[seat.client].module:
                require_installed(LIBRARIES[seat.client])
    except InputError as missing:
        pytest.skip(str(missing))
    joins = tuple(LiveAction("join", seat.name) for seat in seats)
    script = LiveScript({"orders": 6}, seats, (*joins, *actions), title="fixed")
    result = live(LiveOptions(script=script, again=again, base=base), programs)
    left = [each for each in noted(Path(result.folder)) if each.runs and each.program != "kassay"]
    assert left == []
    assert not (Path(result.folder) / "broker").exists()
    host, _, port = (Path(result.folder) / "bootstrap").read_text().partition(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), 5)
    return result


def test_four_libraries_share_a_group_without_a_finding(tmp_path):
    clients = ("java:range", "librdkafka:range", "kafka-python:range", "aiokafka:range")
    actions = (
        LiveAction("grow", topic="orders", partitions=8),
        LiveAction("leave", "m2"),
        LiveAction("crash", "m3"),
        LiveAction("join", "m2"),
    )
    result = play(tmp_path, clients, actions)
    assert result.findings == ()
    assert {*result.clients} == {"java", "librdkafka", "kafka-python", "aiokafka"}
    assert result.figures.changed_owner > 0 and result.figures.read > 0
    for client in result.clients:
        counts = [each for each in result.counts(client) if each.judged + each.unknown]
        assert sum(each.judged for each in counts) >= 0.8 * sum(each.judged + each.unknown for each in counts)
    assert result.peak_mib < 2000


def test_a_client_in_node_is_judged(tmp_path):
    actions = (LiveAction("pace", "m1", wait_ms=1500), LiveAction("leave", "m1"), LiveAction("join", "m1"))
    result = play(tmp_path, ("kafkajs:roundrobin*2",), actions)
    assert result.findings == () and {*result.clients} == {"kafkajs"}
    assert result.figures.changed_owner > 0 and result.figures.read > 0
    assert not [each for each in result.counts() if each.unknown and not each.judged]


def test_a_consumer_group_is_judged_too(tmp_path):
    result = play(tmp_path, ("java:consumer", "librdkafka:consumer"), (LiveAction("leave", "m1"),))
    assert result.findings == () and result.figures.changed_owner > 0


def test_a_streams_group_is_judged_too(tmp_path):
    result = play(tmp_path, ("java:streams*2",), (LiveAction("leave", "m1"),))
    assert result.findings == () and result.figures.changed_owner > 0 and result.figures.read > 0
    assert not [each for each in result.counts() if each.unknown and not each.judged]


def test_a_share_group_is_judged_too(tmp_path):
    result = play(tmp_path, ("java:share*2",), (LiveAction("leave", "m1"),))
    assert result.findings == () and result.figures.read > 0
    counts = {each.claim: each.judged for each in result.counts() if not each.unknown}
    assert counts == {
        **dict.fromkeys(("complete", "settles", "no-stuck-member"), 3),
        **dict.fromkeys(("exclusive", "balanced", "progress"), 1),
        "moves": 0,
    }


def test_a_program_that_keeps_a_partition_is_found_in_its_step(tmp_path):
    result = play(tmp_path, ("keeper:range", "kafka-python:range"), (LiveAction("pace", "m2"),))
    exclusive = [each for each in result.findings if each.ruling.claim == "exclusive"]
    assert [(each.ruling.step, each.action) for each in exclusive] == [(2, "join m2")]
    assert "orders-5 owned by m1 and m2" in exclusive[0].ruling.text
    assert "keeper" in exclusive[0].ruling.clients


def test_an_assignor_of_ones_own_that_leaves_a_partition_out_is_found(tmp_path):
    result = play(tmp_path, (f"kafka-python:{ASSIGNOR}*2",), ())
    complete = [each for each in result.findings if each.ruling.claim == "complete"]
    assert [each.ruling.text for each in complete] == ["without an owner: orders-5"] * 2
    assert not [each for each in result.findings if each.ruling.claim in ("exclusive", "no-stuck-member")]


def test_nothing_stays_on_a_cluster_that_is_named(tmp_path):
    seats = (LiveSeat("m1", "java", ("range",)), LiveSeat("m2", "java", ("range",), instance="i-m2"))
    joins = tuple(LiveAction("join", seat.name) for seat in seats)
    script = LiveScript(
        {"orders": 3}, seats, (*joins, LiveAction("return", "m2"), LiveAction("restart-broker"))
    )
    with genuine_broker({"OPEN": "PLAINTEXT"}, fetch=True) as broker:
        address = broker.address("OPEN")
        options = LiveOptions(script=script, again=0, base=tmp_path, bootstrap=address)
        result = live(options, ClientPrograms({}, broker.jars))
        assert result.findings == () and result.figures.changed_owner > 0
        topics = broker.tool("kafka-topics", "--bootstrap-server", address, "--list")
        groups = broker.tool("kafka-consumer-groups", "--bootstrap-server", address, "--list")
    assert "kassay-" not in topics + groups
