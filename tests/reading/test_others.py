"""What a file is that is not read here."""

from __future__ import annotations

import pytest

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.model.errors import InputError
from kassay.reading.others import group_of_others, what_is
from kassay.reading.pasted import pasted
from tests.engines.clusters.cluster import observed, offsets, topics
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


VIEW = offsets({"a": ["t-0", "t-1"], "b": ["t-2"]})
PROMPTS = [
    "$ kafka-consumer-groups.sh --describe",
    "root@broker-1:/# kafka-consumer-groups --describe --group g",
    "user@host:~/kafka$ bin/kafka-consumer-groups.sh --describe",
    "[kafka@node1 ~]$ ./kafka-consumer-groups.sh --describe",
    "bash-5.1$ kafka-consumer-groups.sh",
    "sh-4.2# kafka-consumer-groups.sh",
    "PS C:\\kafka> .\\kafka-consumer-groups.bat",
    "C:\\kafka\\bin\\windows>kafka-consumer-groups.bat --describe",
    "➜ ~ kafka-consumer-groups --describe",
    "/ # kafka-consumer-groups.sh --describe",
    'Defaulted container "kafka" out of: kafka, init (init)',
    "```",
    "```console",
    "bash-5.1# ",
]


@pytest.mark.parametrize("line", PROMPTS)
def test_a_prompt_around_the_table_says_nothing(line: str) -> None:
    plain = observed(VIEW, topics({"t": 3}))
    shown = observed(f"{line}\n{VIEW}{line}\n", f"{line}\n" + topics({"t": 3}) + line)
    assert (shown.group, shown.cluster, shown.warnings) == (plain.group, plain.cluster, plain.warnings)


def test_a_quoted_table_is_read_without_its_marks() -> None:
    quoted = "".join(f"> {line}\n" for line in VIEW.splitlines())
    assert observed(quoted).group == observed(VIEW).group
    assert pasted(VIEW).text == VIEW
    assert pasted("> a\n\n>b\n").text == "a\n\nb\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "an empty file"),
        ("\n \n", "an empty file"),
        ("GROUP TYPE PROTOCOL\ng Consumer consumer\n", "the output of kafka-groups.sh --list"),
        ('{"version":1,"partitions":[]}', "a reassignment"),
        ('{"proposals": []}', "Cruise Control's proposals"),
        ('{"schema": "kassay/what-if/1"}', "a document of kassay"),
        ('{"a": 1}', "JSON with the fields a"),
        (
            '{"version":1,"partitions":[{"topic":"a"',
            "a reassignment for kafka-reassign-partitions.sh, cut off",
        ),
        ("Status of partition reassignment:\n", "the output of kafka-reassign-partitions.sh --verify"),
    ],
)
def test_what_is_not_read_is_named(text: str, name: str) -> None:
    with pytest.raises(InputError, match=f"f: found {name}"):
        ClusterInputs().take(text, "f")


def test_no_output_of_a_consumer_group_is_taken_for_another() -> None:
    for text in (VIEW, topics({"t": 1}), "consumer,rack\na,b\n"):
        assert group_of_others(text) == ""


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            '{"version":1,"brokers":[{"broker":1,"logDirs":[{"partitions":[{"pa',
            "the JSON of kafka-log-dirs.sh",
        ),
        ('{"version":1,"partitions":[{"topic":"l', "a reassignment for kafka-reassign-partitions.sh"),
        ('{"version":1,"par', "JSON"),
    ],
)
def test_json_that_is_cut_is_what_its_first_field_says(text: str, what: str) -> None:
    assert what_is(text) == f"{what}, cut off"


def test_json_that_python_cannot_hold_is_not_called_cut_off() -> None:
    assert what_is("[" * 100_000 + "]" * 100_000) == "JSON, nested too deep to read"
    assert what_is(f'{{"a": {"9" * 5_000}}}') == "JSON with a number of too many digits"


@pytest.mark.parametrize("text", ["[section]\nkey = 1\n", "[x] done\n", "{{ template }}"])
def test_a_bracket_alone_is_no_json(text: str) -> None:
    assert "JSON" not in what_is(text)
