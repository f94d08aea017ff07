"""What `kafka-topics.sh --describe` prints, in every dialect, and what is said of a line that is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.topics import DescribedTopic, is_topics, read_topics, whole_topics
from tests.reading.kafka.outputs import output


def described(name: str) -> tuple[DescribedTopic, ...]:
    """The topics of a fixture."""
    return read_topics(output(name), name)


def test_topics_partitions_and_configurations_of_4_4() -> None:
    orders, refunds = described("topics-4.4.txt")
    assert (orders.name, orders.partition_count, orders.replication_factor) == ("orders", 4, 3)
    assert orders.topic_id == "Yl6w0k1hTn6m9uQ3cE2rZg"
    assert dict(orders.configs)["cleanup.policy"] == "compact,delete"
    assert [row.replicas for row in orders.partitions] == [(1, 4, 7), (4, 7, 1), (7, 1, 4), (2, 5, 8)]
    assert orders.to_topic().replicas == ((1, 4, 7), (4, 7, 1), (7, 1, 4), (2, 5, 8))
    dead = refunds.partitions[1]
    assert (dead.leader, dead.isr, dead.elr, dead.last_known_elr) == (None, (), (6,), (3,))
    assert dead.place == ("topics-4.4.txt", 8)


def test_a_reassignment_under_way_is_told_from_its_whole_nodes() -> None:
    (orders,) = described("topics-moving-4.4.txt")
    first, second = orders.partitions
    assert (first.adding, first.removing, first.target) == ((2,), (1,), (2, 4, 7))
    assert (second.adding, second.removing, second.target) == ((8, 5), (7, 1), (8, 5, 4))
    assert first.elr is None and second.elr == ()
    assert first.is_moving and not described("topics-4.4.txt")[0].partitions[0].is_moving


@pytest.mark.parametrize("name", ["topics-2.4.txt", "topics-1.1.txt"])
def test_older_dialects_have_no_topic_id(name: str) -> None:
    (orders,) = described(name)
    assert (orders.topic_id, orders.partition_count) == (None, 2)
    assert orders.configs == (("segment.bytes", "1073741824"),)
    assert [row.replicas for row in orders.partitions] == [(1, 2, 3), (2, 3, 1)]
    assert orders.partitions[0].elr is None


def test_what_a_terminal_made_of_tabs_reads_alike() -> None:
    def placeless(topics: tuple[DescribedTopic, ...]) -> list[object]:
        return [
            replace(topic, place=None, partitions=tuple(row._replace(place=None) for row in topic.partitions))
            for topic in topics
        ]

    assert placeless(described("topics-pasted.txt")) == placeless(described("topics-4.4.txt"))


def test_some_partitions_are_no_whole_topic() -> None:
    (orders,) = described("topics-under-replicated-4.4.txt")
    assert (orders.partition_count, orders.is_whole, orders.to_topic().replicas) == (4, False, None)
    with pytest.raises(InputError, match="found lines of 1 of 4 partitions, expected all from 0 on"):
        whole_topics([orders])
    assert whole_topics(described("topics-4.4.txt")) == described("topics-4.4.txt")


HEAD = "Topic: t\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: "
ROW = "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "f.txt: no topic, expected the output of kafka-topics.sh --describe"),
        (f"{HEAD}\n{HEAD}", "f.txt:2: Topic: found 't', expected each once: this one was described above"),
        (f"{HEAD}\n{ROW}\n\n{ROW}", "f.txt:4: Partition: found 't-0', expected each once"),
        (f"{HEAD}\n{ROW.replace('n: 0', 'n: 2')}", "f.txt:2: Partition: found 2, expected a number below"),
        (HEAD.replace("2", "x"), "f.txt:1: PartitionCount: found 'x', expected a whole number"),
        (HEAD.replace("2", "99999999999"), "f.txt:1: PartitionCount: found '99999999999', expected"),
        (HEAD + "compact", "f.txt:1: Configs: found 'compact', expected `key=value`"),
        (ROW.replace("s: 1", "s: 1;2"), "f.txt:1: Replicas: found '1;2', expected broker ids with commas"),
        (ROW.replace("s: 1", "s: 1,1"), "f.txt:1: Replicas: found '1,1', expected broker ids .* each once"),
        (ROW.replace("s: 1", "s: "), "f.txt:1: Replicas: found '', expected a value"),
        (
            ROW.replace("Leader: 1", "Leader: x"),
            "f.txt:1: Leader: found 'x', expected a broker's id, or none",
        ),
        (ROW + "\tIsr: 1", "f.txt:1: Isr: found '1', expected this key once a line"),
        (ROW + "\tnonsense", "f.txt:1: line: found 'nonsense', expected `Key: value`"),
        (
            ROW + "\tAdding Replicas: h:1 (id: x)",
            "f.txt:1: Adding Replicas: found 'h:1 .id: x.', expected brokers",
        ),
        ("hello", "f.txt:1: line: found 'hello', expected `Key: value`"),
        ("a: b", "f.txt:1: line: found 'a: b', expected `Topic: name ...`"),
        (
            "Error while executing topic command : Timed out\n",
            "f.txt:1: the tool failed: Error while executing .*: Timed out; expected the output of kafka-topics.sh",
        ),
    ],
)
def test_a_complaint_names_file_line_field_and_what_was_expected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}"):
        read_topics(text, "f.txt")


NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,12}", fullmatch=True)
IDS = st.integers(0, 60)
ROWS = st.lists(st.lists(IDS, min_size=1, max_size=4, unique=True), min_size=1, max_size=5)


@given(st.dictionaries(NAMES, ROWS, min_size=1, max_size=3), st.booleans())
def test_what_is_printed_is_read_back(topics: dict[str, list[list[int]]], pasted: bool) -> None:
    lines = []
    for name, rows in topics.items():
        lines.append(f"Topic: {name}\tPartitionCount: {len(rows)}\tReplicationFactor: 1\tConfigs: a=b,c=d")
        for number, row in enumerate(rows):
            ids = ",".join(map(str, row))
            lines.append(
                f"\tTopic: {name}\tPartition: {number}\tLeader: {row[0]}\tReplicas: {ids}\tIsr: {ids}\tElr: "
            )
    text = "\r\n".join(lines)
    topics_read = read_topics(text.expandtabs() if pasted else text, "f.txt")
    assert is_topics(text)
    assert {topic.name: [list(row.replicas) for row in topic.partitions] for topic in topics_read} == topics
    assert all(topic.is_whole for topic in topics_read)
    assert topics_read[0].partitions[0].partition == TopicPartition(topics_read[0].name, 0)
