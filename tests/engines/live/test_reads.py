"""Commands that read a cluster, on three genuine brokers in racks with a live group; a plan is executed."""

import json

import pytest

from kassay.cli.main import run
from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.brokers import BrokerShape, OwnCluster, own_cluster
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.cluster import Helper
from kassay.engines.live.folder import RunFolder
from kassay.engines.live.play import LiveStage, Play
from kassay.engines.live.program import TIMEOUTS
from kassay.engines.live.running import Pump
from kassay.engines.live.script import LiveAction, LiveScript

pytestmark = [pytest.mark.broker, pytest.mark.cluster]
LOPSIDED = "1:2,1:2,1:2,1:2,1:2,1:2"


class Looking(Play):
    """A script after which the group is looked at, while all members are in it."""

    look = None

    def _drain(self):
        self.look(self)
        return super()._drain()


@pytest.fixture(scope="module")
def brokers(tmp_path_factory):
    jars = broker_jars(fetch=True)
    folder, pump = RunFolder(tmp_path_factory.mktemp("reads")), Pump()
    shape = BrokerShape(3, ("a", "b", "c"))
    own = OwnCluster(shape, jars, "4.4.0", folder.path / "broker", TIMEOUTS, pump, folder.note)
    with own_cluster(own) as cluster:
        yield (
            cluster,
            LiveStage(
                ClientPrograms({}, jars), cluster.bootstrap, Helper(pump, ""), pump, folder.note, cluster
            ),
        )


def answer(*words, tmp_path):
    """The exit code of the command, and its JSON."""
    path = tmp_path / "answer.json"
    code = run([*words, "--json", str(path)])
    return code, json.loads(path.read_text()) if path.exists() else None


def test_a_live_group_is_read_as_it_is(brokers, tmp_path, capsys):
    cluster, stage = brokers
    server = ("--bootstrap-server", stage.bootstrap)
    stage.helper = helper = Helper(stage.pump, "kassay-reads")
    helper.start(stage.programs.jars, stage.bootstrap, stage.note)
    seats = stage.programs.seats(("java:range*3",))
    joins = tuple(LiveAction("join", seat.name) for seat in seats)
    play = Looking(LiveScript({"orders": 6, "bills": 4}, seats, joins, cluster=cluster.shape), stage)

    def look(_):
        code, overview = answer("what-if", *server, tmp_path=tmp_path)
        assert code == 0 and "kassay-reads" in json.dumps(overview)
        code, document = answer(
            "what-if", *server, "--group", "kassay-reads", "--to", "sticky", tmp_path=tmp_path
        )
        assert (code, document["strategy"], document["protocol"]) == (0, "range", "classic")
        for command in (("scale",), ("audit",)):
            code, document = answer(*command, *server, "--group", "kassay-reads", tmp_path=tmp_path)
            assert code == 0 and document is not None

    play.look = look
    try:
        recording = play.record()
    finally:
        helper.close()
    assert all(step.settled for step in recording.steps)


def test_a_plan_of_place_is_executed_and_verified(brokers, tmp_path, capsys):
    cluster, stage = brokers
    server = ("--bootstrap-server", stage.bootstrap)
    topics = ("--create", "--topic", "lopsided", "--replica-assignment", LOPSIDED)
    assert "Created topic" in cluster.tool("kafka-topics", *topics)
    out = tmp_path / "plan"
    assert run(["place", *server, "--judge"]) == 1
    code, plan = answer("place", *server, "--out", str(out), tmp_path=tmp_path)
    assert code == 0 and plan is not None
    steps = sorted(path for path in out.glob("step-*.json") if "rollback" not in path.name)
    assert steps
    for step in steps:
        file = ("--reassignment-json-file", str(step))
        assert "Successfully started" in cluster.tool("kafka-reassign-partitions", *file, "--execute")
        for _ in range(60):
            said = cluster.tool("kafka-reassign-partitions", *file, "--verify")
            if "in progress" not in said:
                break
        assert "is completed" in said
    cluster.tool("kafka-leader-election", "--election-type", "PREFERRED", "--all-topic-partitions")
    capsys.readouterr()
    code = run(["place", *server, "--judge"])
    text = capsys.readouterr().out
    assert "rack-spread         holds" in text and "replicas-even       holds" in text, text
    assert code in (0, 1)
