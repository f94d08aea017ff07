"""What a file is that is not read here."""

from __future__ import annotations

import pytest

from kassay.reading.kafka.others import what_is
from tests.paths import DATA
from tests.reading.kafka.outputs import output

GENUINE = DATA / "clusters" / "genuine-place"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("reassign-verify-running.txt", "the output of kafka-reassign-partitions.sh --verify"),
        ("reassign-list.txt", "the output of kafka-reassign-partitions.sh --list"),
        ("quorum-status.txt", "the output of kafka-metadata-quorum.sh describe --status"),
        ("topics-unavailable.txt", "the output of kafka-topics.sh --describe"),
        ("brokers.txt", "the output of kafka-broker-api-versions.sh"),
    ],
)
def test_outputs_of_kafka_s_tools(name: str, what: str) -> None:
    assert what_is((GENUINE / name).read_text()) == what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "an empty file"),
        (" \n\n", "an empty file"),
        ("PK\0\1", "a binary file"),
        ('{"version":1,"proposals":[{"topicPartition":{}}]}', "Cruise Control's proposals"),
        ('{"version":1,"partitions":[]}', "a reassignment for kafka-reassign-partitions.sh"),
        (
            '{"version":1,"partitions":[{"topic":"t",',
            "a reassignment for kafka-reassign-partitions.sh, cut off",
        ),
        ('{"schema":"kassay/place/2"}', "a document of kassay (kassay/place/2)"),
        ('{"a":1,"b":2}', "JSON with the fields a, b"),
        ("{}", "an empty object in JSON"),
        ("[1]", "a list in JSON"),
        ("node.id=1\nprocess.roles=broker\n", "a properties file"),
        (
            "GROUP                TYPE       PROTOCOL\ng   Consumer  consumer\n",
            "the output of kafka-groups.sh --list",
        ),
        ("hello", ""),
    ],
)
def test_other_files(text: str, what: str) -> None:
    assert what_is(text) == what


def test_groups_are_told_apart_from_topics() -> None:
    assert what_is(output("groups-members-2.8.txt")) == "the output of kafka-consumer-groups.sh"
