"""Kafka's own coordinator in process: answers, records, timers, faults; and our classes, which drive it."""

import os
import shutil
import subprocess

import pytest

from kassay.engines.genuine import events as e
from kassay.engines.genuine.coordinator import CLASSES, CONFIG, GenuineFailed, GenuineProcess, GenuineStep
from tests.genuine import genuine_jars

pytestmark = pytest.mark.java

FOLDER = CLASSES / "org" / "apache" / "kafka" / "coordinator" / "group"
RANGE = [("range", {"topics": ["foo"], "version": 0})]
SECOND = 1000


@pytest.fixture(scope="module")
def process():
    with GenuineProcess(genuine_jars()) as running:
        yield running


@pytest.fixture
def group(process):
    process.start(dict(CONFIG, classic_initial_rebalance_delay_ms=0), {"foo": 2}, 1)
    return process


def joins(member="m", **more):
    return e.ConsumerHeartbeatEvent(
        member, 0, subscribed=["foo"], owned={}, rebalance_timeout=30 * SECOND, **more
    )


def test_a_consumer_gets_its_partitions(group):
    step = group.send(joins())
    assert [(a["error"], a["epoch"], a["assignment"]) for a in step.answers] == [("NONE", 2, {"foo": [0, 1]})]
    assert [record["type"] for record in step.records] == [
        *("member", "epoch", "target", "target_epoch", "current")
    ]
    assert step.timers == [("consumer_session", "m", 45 * SECOND)]
    assert step.state["state"] == "Stable"


def test_a_classic_member_joins_syncs_commits_and_leaves(group):
    (answer,) = group.send(e.JoinEvent("c", "", RANGE)).answers
    assert answer["error"] == "MEMBER_ID_REQUIRED"
    member = answer["member"]
    group.send(e.JoinEvent("c", member, RANGE))
    (joined,) = group.send(e.AdvanceEvent(SECOND)).answers
    assert (joined["error"], joined["generation"], joined["leader"]) == ("NONE", 1, member)
    (synced,) = group.send(e.SyncEvent(member, 1, {member: {"foo": [0]}})).answers
    assert (synced["error"], synced["assignment"]) == ("NONE", {"foo": [0]})
    assert group.send(e.HeartbeatEvent(member, 1)).answers[0]["error"] == "NONE"
    assert group.send(e.CommitEvent(member, 1, [("foo", 0, 7)])).records[0]["offset"] == 7
    group.send(e.LeaveEvent([{"member": member, "instance": None}]))
    assert group.replays()["memory"]["state"] == "Empty"


def test_ids_come_from_the_seed(group):
    def first_id(seed):
        group.start(CONFIG, {}, seed)
        return group.send(e.JoinEvent("c", "", RANGE)).answers[0]["member"]

    assert first_id(3) == first_id(3) != first_id(4)


def test_a_failed_write_is_taken_back(group):
    step = group.send(joins(write_fails="NOT_ENOUGH_REPLICAS"))
    assert step.answers[0]["error"] == "COORDINATOR_NOT_AVAILABLE"
    assert (step.records, step.state["type"]) == ([], None)


def test_a_failover_loses_what_was_not_acknowledged(group):
    group.send(joins())
    group.send(e.DeferEvent())
    assert group.send(joins("n")).answers == []
    members = [member["id"] for member in group.send(e.FailoverEvent()).state["members"]]
    assert members == ["m"]


def test_a_flush_sends_what_waited(group):
    group.send(e.DeferEvent())
    group.send(joins())
    assert group.send(e.FlushEvent()).answers[0]["epoch"] == 2


def test_timers_fire_when_they_are_due(group):
    group.send(joins())
    step = group.send(e.AdvanceEvent(100 * SECOND))
    assert (step.document["t"], step.document["fired"]) == (45 * SECOND, [["consumer_session", "m"]])
    assert step.state["state"] == "Empty"


def test_an_expression_is_resolved_in_the_background(group):
    heartbeat = e.ConsumerHeartbeatEvent("m", 0, subscribed=[], regex="f.*", owned={}, rebalance_timeout=1)
    assert group.send(heartbeat).document["more"]["refreshing"]
    group.send(e.TopicsEvent({"foo": 2, "fab": 1}))
    group.send(e.ResolveRunEvent())
    step = group.send(e.ResolveEvent())
    assert step.document["more"]["resolved"]["f.*"]["topics"] == ["fab", "foo"]


def test_what_the_log_gives_is_compared_with_memory(group):
    """Finding A: a JoinGroup removes an empty consumer group from memory alone."""
    group.send(joins())
    group.send(e.ConsumerHeartbeatEvent("m", -1))
    assert group.send(e.JoinEvent("c", "x", RANGE)).answers[0]["error"] == "UNKNOWN_MEMBER_ID"
    found = group.replays()
    assert [found[way]["type"] for way in ("memory", "log", "compacted")] == [None, "consumer", "consumer"]


def test_an_exception_of_kafka_is_named(group):
    group.send(e.JoinEvent("c", "", RANGE, instance="i"))
    step = group.send(joins())
    assert (step.exception, step.answers[-1]["error"]) == ("NoSuchElementException", "UNKNOWN_SERVER_ERROR")
    assert "more" not in step.without_exception()


def test_an_event_that_there_is_not_fails(group):
    with pytest.raises(GenuineFailed, match="could not be driven"):
        group.send({"event": "nothing"})


def test_a_process_that_ends_fails(tmp_path):
    with GenuineProcess(genuine_jars()[:1]) as broken, pytest.raises(GenuineFailed, match="ended with"):
        broken.start(CONFIG, {}, 0)


def test_a_step_is_read_without_a_process():
    step = GenuineStep({"responses": [], "records": [], "state": {"timers": [["join", None, 5]]}})
    assert (step.timers, step.exception, step.without_exception()) == ([("join", None, 5)], "", step.document)


def test_the_classes_are_those_of_the_source(tmp_path):
    version = (
        shutil.which("javac")
        and subprocess.run(["javac", "-version"], capture_output=True, text=True, check=True).stdout
    )
    if not version or not version.startswith("javac 17."):
        pytest.skip(f"needs javac 17, whose classes are committed; here is {version or 'none'!r}")
    jars = os.pathsep.join(map(str, genuine_jars()))
    sources = sorted(FOLDER.glob("*.java"))
    options = ["-XDignore.symbol.file", "--release", "17", "-g:none", "-cp", jars, "-d", str(tmp_path)]
    subprocess.run(["javac", *options, *map(str, sources)], check=True)
    built = {path.name: path.read_bytes() for path in tmp_path.rglob("*.class")}
    assert built == {path.name: path.read_bytes() for path in FOLDER.glob("*.class")}
