"""Brokers of a run: their settings, and three genuine ones that fail over, with an assignor of one's own."""

import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.brokers import ONE, BrokerShape, assignors_of, broker_settings, with_assignor
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.program import TIMEOUTS
from kassay.engines.live.run import LiveOptions, live
from kassay.engines.live.script import LiveAction, LiveScript
from kassay.model.errors import InputError

RULES = Path(__file__).parents[2] / "data" / "java" / "rules" / "server.java"
RACKS = ("a", "b", "c")


def test_one_broker_keeps_one_replica():
    (settings,) = broker_settings(ONE, TIMEOUTS)
    assert settings["default.replication.factor"] == settings["offsets.topic.replication.factor"] == "1"
    assert settings["min.insync.replicas"] == "1" and "broker.rack" not in settings


def test_of_three_brokers_one_may_stop():
    every = broker_settings(BrokerShape(3, settings={"x": "1"}), TIMEOUTS)
    assert {each["default.replication.factor"] for each in every} == {"3"}
    assert {each["offsets.topic.replication.factor"] for each in every} == {"3"}
    assert {each["min.insync.replicas"] for each in every} == {"2"}
    assert {each["x"] for each in every} == {"1"}


def test_in_racks_a_partition_is_not_in_every_rack():
    every = broker_settings(BrokerShape(3, RACKS), TIMEOUTS)
    assert [each["broker.rack"] for each in every] == [*RACKS]
    assert {each["default.replication.factor"] for each in every} == {"2"}
    assert {each["offsets.topic.replication.factor"] for each in every} == {"3"}
    assert [each["broker.rack"] for each in broker_settings(BrokerShape(3, ("a",)), TIMEOUTS)] == ["a"] * 3


def test_an_assignor_of_ones_own_comes_after_kafkas():
    shape = with_assignor(BrokerShape(settings={"y": "2"}), ("my.Own",))
    first, second, own = shape.settings["group.consumer.assignors"].split(",")
    assert first.endswith(".UniformAssignor") and second.endswith(".RangeAssignor") and own == "my.Own"
    assert shape.settings["y"] == "2"


def test_a_jar_without_an_assignor_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "empty.jar", "w") as jar:
        jar.writestr("x.txt", "")
    with pytest.raises(InputError, match="implements ConsumerGroupPartitionAssignor"):
        assignors_of(tmp_path / "empty.jar")


def compiled(folder):
    """A jar with the assignor `in-turn`."""
    sources = folder / "rules"
    sources.mkdir()
    text = RULES.read_text().split("/** Gives every partition to two members. */")[0]
    (sources / "InTurn.java").write_text(text)
    path = ":".join(map(str, broker_jars(fetch=True)))
    subprocess.run(
        ["javac", "--release", "17", "-cp", path, "-d", str(folder / "out"), str(sources / "InTurn.java")],
        check=True,
    )
    jar = folder / "own.jar"
    with zipfile.ZipFile(jar, "w") as out:
        out.write(folder / "out" / "rules" / "InTurn.class", "rules/InTurn.class")
    return jar


def played(base, clients, actions, shape, **more):
    programs = ClientPrograms({}, broker_jars(fetch=True))
    seats = tuple(
        replace(seat, rack=shape.racks[i % len(shape.racks)] if shape.racks else "")
        for i, seat in enumerate(programs.seats(clients))
    )
    joins = tuple(LiveAction("join", seat.name) for seat in seats)
    script = LiveScript({"orders": 6}, seats, (*joins, *actions), cluster=shape)
    return live(LiveOptions(script=script, again=0, shrink=False, base=base, **more), programs)


@pytest.mark.broker
@pytest.mark.cluster
def test_a_coordinator_fails_over_and_brokers_restart_under_a_live_group(tmp_path):
    actions = (LiveAction("failover"), LiveAction("restart-broker", broker=2), LiveAction("leave", "m1"))
    result = played(tmp_path, ("java:range*2", "librdkafka:range"), actions, BrokerShape(3, RACKS))
    assert result.findings == () and result.figures.changed_owner > 0
    assert result.peak_mib < 2000
    assert not (Path(result.folder) / "broker").exists()


@pytest.mark.broker
@pytest.mark.cluster
def test_an_assignor_of_ones_own_runs_in_the_broker(tmp_path):
    jar = compiled(tmp_path)
    assert assignors_of(jar) == ("rules.InTurn",)
    clients = ("java:consumer/in-turn*2",)
    result = played(tmp_path, clients, (LiveAction("leave", "m1"),), ONE, assignor=jar)
    assert result.findings == () and result.figures.changed_owner > 0
