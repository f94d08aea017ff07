"""Brokers and racks from `kafka-broker-api-versions.sh` and from files of one's own.

Sizes and directories from `kafka-log-dirs.sh --describe`.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.brokers import is_broker_versions, is_log_dirs, read_brokers, read_log_dirs
from tests.reading.kafka.outputs import output

RACKS = {1: "az-a", 2: "az-b", 3: "az-c", 4: "az-a", 5: "az-b", 6: "az-c", 7: "az-a", 8: "az-b"}


@pytest.mark.parametrize("name", ["brokers-4.4.txt", "brokers-3.7.txt", "racks.csv", "racks.json"])
def test_every_form_gives_the_same_brokers(name: str) -> None:
    assert read_brokers(output(name), name) == tuple(Broker(*each) for each in sorted(RACKS.items()))


def test_without_racks_and_fenced() -> None:
    name = "brokers-no-racks-4.4.txt"
    assert read_brokers(output(name), name) == (Broker(1), Broker(2, None, True))


def test_a_list_of_objects_and_lines_without_titles() -> None:
    expected = (Broker(0), Broker(3, "r", True))
    entries = [{"id": 3, "rack": "r", "fenced": True}, {"id": 0}]
    assert (
        read_brokers(json.dumps(entries), "f")
        == read_brokers(json.dumps({"brokers": entries}), "f")
        == expected
    )
    assert read_brokers("# ours\n3,r\n0,-\n", "f") == (Broker(0), Broker(3, "r"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "f: empty, expected the output of kafka-broker-api-versions.sh"),
        ("id,rack\n", "f: empty, expected"),
        ("1,a\n1,b", "f:2: id: found 1 twice, expected each broker once"),
        ("1,a\nx,b", "f:2: line: found 'x,b', expected `id,rack`"),
        ("1,a\nid,rack", "f:2: id: found 'id', expected a whole number"),
        ("1,a,b", "f:1: line: found '1,a,b', expected `id,rack`"),
        ("h:1 (id: 1 rack: a) -> (\nnonsense", "f:2: line: found 'nonsense', expected a line of"),
        ("h:1 (no) -> (\n)", "f:1: broker: found 'h:1 .no.', expected brokers such as"),
        ('{"x": "a"}', "f: found 'x', expected the id of a broker as a key"),
        ('[{"id": -1}]', r"f: brokers\[0\].id: found -1, expected a whole number from 0 on"),
        ('[{"id": 1}, {"id": 1}]', r"f: brokers\[1\]: id: found 1 twice"),
        ('{"1": 2}', "f: racks.1: found 2, expected a"),
    ],
)
def test_a_complaint_names_file_line_field_and_what_was_expected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}"):
        read_brokers(text, "f")


RACK = st.none() | st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8).filter(
    lambda rack: rack != "null"
)


@given(st.dictionaries(st.integers(0, 2**31 - 1), RACK, min_size=1, max_size=6), st.booleans())
def test_what_is_printed_is_read_back(racks: dict[int, str | None], fenced: bool) -> None:
    more = " isFenced: true" if fenced else ""
    text = "".join(
        f"h-{id_}.example:9092 (id: {id_} rack: {rack or 'null'}{more}) -> (\n\tFetch(1): 4 to 18\n)\n"
        for id_, rack in racks.items()
    )
    assert is_broker_versions(text)
    assert read_brokers(text, "f") == tuple(sorted(Broker(id_, rack, fenced) for id_, rack in racks.items()))


NAME = "log-dirs-4.4.txt"


def test_sizes_are_those_of_the_largest_replica_and_not_of_a_copy_on_its_way() -> None:
    log_dirs = read_log_dirs(output(NAME), NAME)
    assert log_dirs.sizes[TopicPartition("orders", 0)] == 5_000_000_000 - 1
    assert log_dirs.replica_sizes[TopicPartition("orders", 0), 1] == 5_000_000_000 - 1
    assert len(log_dirs.sizes) == 6


def test_a_directory_that_is_offline_is_named() -> None:
    assert read_log_dirs(output(NAME), NAME).offline == (
        (8, "/data/kafka-b", "org.apache.kafka.common.errors.KafkaStorageException"),
    )


def document(*cordoned: bool) -> str:
    """A broker with so many directories."""
    dirs = [{"logDir": f"/d{i}", "partitions": [], "isCordoned": each} for i, each in enumerate(cordoned)]
    return json.dumps({"version": 1, "brokers": [{"broker": 3, "logDirs": dirs}]})


@given(st.lists(st.booleans(), max_size=3))
def test_a_broker_is_cordoned_where_all_its_directories_are(cordoned: list[bool]) -> None:
    log_dirs = read_log_dirs(document(*cordoned), "f")
    assert log_dirs.cordoned == ({3} if cordoned and all(cordoned) else frozenset())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "f: no JSON, expected the output of kafka-log-dirs.sh"),
        ("x\n{", "f:2: not JSON"),
        ("{}", "f:1: brokers: missing"),
        ('x\n\n{"brokers": [{"broker": -1}]}', r"f:3: brokers\[0\].*: "),
        (
            '{"brokers": [{"broker": 1, "logDirs": [{"logDir": "/d", "partitions": [{"partition": "x"}]}]}]}',
            r"f:1: brokers\[0\].logDirs\[0\].partitions\[0\].size: missing",
        ),
        (
            '{"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","partitions":[{"partition":"x","size":1}]}]}]}',
            r"f:1: brokers\[0\].logDirs\[0\].partitions\[0\].partition: found 'x', expected `topic-number`",
        ),
        (
            '{"brokers":[{"broker":1,"logDirs":[]},{"broker":1,"logDirs":[]}]}',
            r"f:1: brokers\[1\].broker: found 1 twice",
        ),
    ],
)
def test_a_complaint_names_file_line_field_and_what_was_expected_log_dirs(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}"):
        read_log_dirs(text, "f")


def test_it_is_recognised() -> None:
    assert is_log_dirs(output(NAME)) and not is_log_dirs(output("topics-4.4.txt"))
