"""Sizes and directories from `kafka-log-dirs.sh --describe`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.log_dirs import is_log_dirs, read_log_dirs
from tests.reading.kafka.outputs import output

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
def test_a_complaint_names_file_line_field_and_what_was_expected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}"):
        read_log_dirs(text, "f")


def test_it_is_recognised() -> None:
    assert is_log_dirs(output(NAME)) and not is_log_dirs(output("topics-4.4.txt"))
