"""The shim: its classes are those of its source, and one build serves every release of Kafka."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.jars.java import SHIM, find_java, shim_command
from tests.javac import compiled, require_java

pytestmark = pytest.mark.java

SOURCES = sorted((SHIM / "kassay").glob("*.java"))


def javac_version() -> str:
    javac = shutil.which("javac")
    if javac is None:
        return ""
    return subprocess.run([javac, "-version"], capture_output=True, text=True, check=True).stdout


def test_the_classes_are_those_of_the_source(tmp_path):
    if not javac_version().startswith("javac 17."):
        pytest.skip(f"needs javac 17, whose classes are committed; here is {javac_version() or 'none'!r}")
    subprocess.run(
        ["javac", "--release", "11", "-Xlint:all", "-Werror", "-d", tmp_path, *SOURCES], check=True
    )
    compiled = {path.name: path.read_bytes() for path in (tmp_path / "kassay").iterdir()}
    assert compiled == {path.name: path.read_bytes() for path in (SHIM / "kassay").glob("*.class")}


def test_kafka_is_on_no_compile_path_and_java_11_will_do():
    classes = list((SHIM / "kassay").glob("*.class"))
    assert classes
    for path in classes:
        magic, minor, major = path.read_bytes()[:4], path.read_bytes()[4:6], path.read_bytes()[6:8]
        assert (magic, minor, major) == (b"\xca\xfe\xba\xbe", b"\x00\x00", b"\x00\x37")
        assert b"Lorg/apache/kafka" not in path.read_bytes(), "a reference to a class, not its name in a text"


def test_a_class_that_there_is_not_is_the_answer_to_hello():
    require_java()
    done = subprocess.run(
        shim_command(find_java("a test", "java").program, [], "no.such.Assignor"),
        input=b'{"id":1,"call":"hello","kassay":2}\n',
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == {"id": 1, "error": "java.lang.ClassNotFoundException: no.such.Assignor"}


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_any_value_comes_back_as_it_went():
    require_java()
    argv = shim_command(find_java("a test", "java").program, [], "no.such.Assignor")
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        @given(st.lists(VALUES, min_size=1), st.sampled_from((1, 40_000)), st.booleans())
        def echoed(values, times, escaped):
            values = [value * times if isinstance(value, str) else value for value in values]
            lines = [json.dumps({"id": value}, ensure_ascii=escaped) for value in values]
            process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            process.stdin.flush()
            assert [json.loads(process.stdout.readline())["id"] for _ in values] == values

        echoed()


def test_it_writes_no_file_of_its_own_which_would_stay_where_it_is_killed():
    require_java()
    argv = shim_command(find_java("a test", "java").program, [], "no.such.Assignor")
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"id":1,"call":"hello"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        assert list(Path("/tmp").glob(f"hsperfdata_*/{process.pid}")) == []


OLD_CLIENT = {
    "org/apache/kafka/common/Node.java": """
        public class Node {
            public final String rack;
            public Node(int id, String host, int port, String rack) { this.rack = rack; }
        }""",
    "org/apache/kafka/common/TopicPartition.java": """
        public class TopicPartition {
            private final String topic;
            private final int partition;
            public TopicPartition(String topic, int partition) { this.topic = topic; this.partition = partition; }
            public String topic() { return topic; }
            public int partition() { return partition; }
        }""",
    "org/apache/kafka/common/PartitionInfo.java": """
        public class PartitionInfo {
            public final String topic;
            public final int partition;
            public final Node[] replicas;
            public PartitionInfo(String topic, int partition, Node leader, Node[] replicas, Node[] inSync) {
                this.topic = topic; this.partition = partition; this.replicas = replicas;
            }
        }""",
    "org/apache/kafka/common/Cluster.java": """
        public class Cluster {
            public final Collection<Node> nodes;
            public final Collection<PartitionInfo> partitions;
            public Cluster(String id, Collection<Node> nodes, Collection<PartitionInfo> partitions,
                           Set<String> unauthorized, Set<String> internal) {
                this.nodes = nodes; this.partitions = partitions;
            }
        }""",
    "org/apache/kafka/clients/consumer/ConsumerGroupMetadata.java": """
        public class ConsumerGroupMetadata {
            public final int generation;
            public ConsumerGroupMetadata(String group, int generation, String member, Optional<String> instance) {
                this.generation = generation;
            }
        }""",
    "org/apache/kafka/clients/consumer/ConsumerPartitionAssignor.java": """
        public interface ConsumerPartitionAssignor {
            String name();
            default ByteBuffer subscriptionUserData(Set<String> topics) { return null; }
            default List<RebalanceProtocol> supportedProtocols() { return List.of(RebalanceProtocol.EAGER); }
            default void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) { }
            GroupAssignment assign(Cluster metadata, GroupSubscription subscriptions);
            enum RebalanceProtocol { EAGER, COOPERATIVE }
            class Subscription {
                public final List<String> topics;
                public final List<TopicPartition> owned;
                public Optional<String> instance;
                public Subscription(List<String> topics, ByteBuffer userData, List<TopicPartition> owned) {
                    this.topics = topics; this.owned = owned;
                }
                public void setGroupInstanceId(Optional<String> instance) { this.instance = instance; }
            }
            class GroupSubscription {
                public final Map<String, Subscription> members;
                public GroupSubscription(Map<String, Subscription> members) { this.members = members; }
            }
            class Assignment {
                private final List<TopicPartition> partitions;
                private final ByteBuffer userData;
                public Assignment(List<TopicPartition> partitions, ByteBuffer userData) {
                    this.partitions = partitions; this.userData = userData;
                }
                public List<TopicPartition> partitions() { return partitions; }
                public ByteBuffer userData() { return userData; }
            }
            class GroupAssignment {
                private final Map<String, Assignment> members;
                public GroupAssignment(Map<String, Assignment> members) { this.members = members; }
                public Map<String, Assignment> groupAssignment() { return members; }
            }
        }""",
}
"""What the shim needs of a client of 2.4, in the shape that it had there."""

TELLS = """
public class Tells implements ConsumerPartitionAssignor {
    private int generation = -1;
    public String name() { return "tells"; }
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        generation = metadata.generation;
    }
    public GroupAssignment assign(Cluster metadata, GroupSubscription group) {
        StringBuilder told = new StringBuilder("generation " + generation + ";");
        for (PartitionInfo each : metadata.partitions) {
            told.append(" " + each.topic + each.partition);
            for (Node node : each.replicas) {
                told.append(metadata.nodes.contains(node) ? " on " + node.rack : " on a node that is not there");
            }
        }
        Map<String, Assignment> given = new HashMap<>();
        group.members.forEach((member, subscription) -> {
            told.append("; " + member + subscription.topics + subscription.owned.size() + subscription.instance);
        });
        given.put("a", new Assignment(List.of(), ByteBuffer.wrap(told.toString().getBytes())));
        return new GroupAssignment(given);
    }
}"""


def java_source(package: str, text: str) -> str:
    """The class in its package, with what it imports."""
    imports = (
        "java.nio.ByteBuffer",
        "java.util.*",
        "org.apache.kafka.common.*",
        "org.apache.kafka.clients.consumer.*",
    )
    head = f"package {package};\n" if package else ""
    return head + "".join(f"import {name};\n" for name in imports) + text


def test_a_client_of_2_4_is_asked_as_a_leader_of_that_release_asks(tmp_path):
    """Its subscription has three parts; the metadata holds the topics that are read, each on nodes it lists."""
    sources = {
        name: java_source(name.rpartition("/")[0].replace("/", "."), text)
        for name, text in OLD_CLIENT.items()
    }
    folder = compiled({**sources, "Tells.java": java_source("", TELLS)}, tmp_path / "classes")
    member = {"topics": ["t", "u"], "owned": [["t", 0]], "generation": 3, "rack": "r", "user_data": None}
    requests = [
        {"call": "hello", "kassay": 2},
        {"call": "new", "object": 9, "class": "Tells", "config": {}},
        {"call": "on_assignment", "object": 9, "partitions": [["t", 0]], "user_data": None, "generation": 4,
         "member": "a", "instance_id": None},
        {"call": "assign", "object": 9, "leader": "a", "partitions_per_topic": {"t": 2, "u": 1, "unread": 5},
         "members": [{"id": "b", "instance_id": "i", **member}, {"id": "a", "instance_id": None, **member}],
         "replica_racks": [["t", 0, ["r0", "r1"]], ["t", 1, []], ["unread", 0, ["r9"]]]},
    ]  # fmt: skip
    lines = "".join(json.dumps({"id": n, **request}) + "\n" for n, request in enumerate(requests))
    argv = shim_command(find_java("a test", "java").program, [str(folder)], "Tells", protocol="cooperative")
    done = subprocess.run(argv, input=lines, capture_output=True, check=True, text=True)
    hello, new, learnt, answer = map(json.loads, done.stdout.splitlines())
    assert [reply["id"] for reply in (hello, new, learnt, answer)] == [0, 1, 2, 3]
    assert hello["answer"]["versions"].keys() == {"java"}
    assert new["answer"] == {"name": "tells", "protocols": ["eager"]}
    assert answer["answer"] == {"a": []}
    assert base64.b64decode(answer["user_data"]["a"]).decode() == (
        "generation 4; t0 on r0 on r1 t1 on null u0 on null; a[t, u]1Optional.empty; b[t, u]1Optional[i]"
    )
