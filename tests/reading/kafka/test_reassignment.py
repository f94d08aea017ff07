"""JSON of `kafka-reassign-partitions.sh`, alone and in what the tool prints."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.kafka.reassignment import (
    CURRENT,
    PROPOSED,
    Reassignment,
    TopicsToMove,
    is_reassignment,
    read_current,
    read_reassignment,
    read_reassignments,
)
from tests.reading.kafka.outputs import output

GENERATED, EXECUTED, BY_HAND = (
    "reassign-generate-4.4.txt",
    "reassign-execute-4.4.txt",
    "reassign-by-hand.json",
)


def test_both_titled_blocks_of_generate() -> None:
    current, proposed = read_reassignments(output(GENERATED), GENERATED)
    assert isinstance(current, Reassignment) and isinstance(proposed, Reassignment)
    assert (current.title, proposed.title) == (CURRENT, PROPOSED)
    assert read_current(output(GENERATED), GENERATED) == current
    assert read_reassignment(output(GENERATED), GENERATED) == proposed
    assert [row.replicas for row in proposed.partitions] == [(1, 2, 3), (2, 3, 4)]


def test_what_execute_prints_is_the_placement_before() -> None:
    current = read_current(output(EXECUTED), EXECUTED)
    assert current.partitions[0].log_dirs == ("/data/kafka-a", "/data/kafka-b", "any")
    assert current.place.line == 3


def test_what_kafka_refuses_is_read_with_its_lines() -> None:
    by_hand = read_reassignment(output(BY_HAND), BY_HAND)
    assert [(row.replicas, row.log_dirs, row.place.line) for row in by_hand.partitions] == [
        ((2, 1), ("any",), 3),
        ((3, 3, 1), None, 5),
    ]
    assert by_hand.version == 1


def test_topics_to_move() -> None:
    (topics,) = read_reassignments(output("topics-to-move.json"), "f")
    assert isinstance(topics, TopicsToMove) and topics.topics == ("orders", "refunds")
    with pytest.raises(InputError, match=r"^f: 0 reassignments, expected one"):
        read_reassignment(output("topics-to-move.json"), "f")


ROW = {"topic": "t", "partition": 0, "replicas": [1]}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "f: no object, expected JSON as kafka-reassign-partitions.sh"),
        ("[]", "f: no object"),
        ("{", "f:1: not JSON"),
        ('{"partitions": [NaN]}', "f:1: not JSON .NaN: not a number"),
        ("{}", "f:1: partitions: missing, expected JSON as"),
        ('{"partitions": {}}', "f:1: partitions: found {}, expected a list"),
        ('{"partitions": [3]}', r"f:1: partitions\[0\]: found 3, expected an object"),
        ('{"partitions": [\n{"topic": 3}]}', r"f:2: partitions\[0\].topic: found 3, expected a text"),
        ('{"partitions": [\n\n{"topic": "t"}]}', r"f:3: partitions\[0\].partition: missing"),
        (
            json.dumps({"partitions": [ROW | {"replicas": [1, True]}]}),
            r"f:1: partitions\[0\].replicas\[1\]: found True, expected a whole number",
        ),
        (
            json.dumps({"partitions": [ROW | {"log_dirs": [1]}]}),
            r"f:1: partitions\[0\].log_dirs\[0\]: found 1, expected a text",
        ),
        ('{"version": "1", "partitions": []}', "f:1: version: found '1', expected a whole number"),
        ('{"partitions": ' + "[" * 5000, "f:1: objects and lists more than 100 deep"),
    ],
)
def test_a_complaint_names_file_line_field_and_what_was_expected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}"):
        read_reassignments(text, "f")


def test_fields_that_stand_twice_are_noted() -> None:
    (block,) = read_reassignments(
        '{"partitions":[\n{"topic":"t","partition":0,"replicas":[1],"replicas":[2]}]}', "f"
    )
    assert isinstance(block, Reassignment)
    assert [(place.line, path) for place, path in block.twice] == [(2, "partitions[0].replicas")]
    assert block.partitions[0].replicas == (2,)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "topic": st.text(min_size=1, max_size=5),
            "partition": st.integers(-1, 9),
            "replicas": st.lists(st.integers(-1, 9), max_size=3),
        },
        optional={"log_dirs": st.lists(st.sampled_from(["any", "/d"]), max_size=3)},
    ),
    max_size=4,
)


@given(ROWS, st.sampled_from([None, 2]))
def test_what_is_written_is_read_as_it_is(rows: list[dict[str, object]], indent: int | None) -> None:
    text = json.dumps({"partitions": rows}, indent=indent)
    block = read_reassignment(text, "f")
    assert is_reassignment(text)
    assert [row.partition.topic for row in block.partitions] == [row["topic"] for row in rows]
    assert [list(row.replicas) for row in block.partitions] == [row["replicas"] for row in rows]
    lines = text.split("\n")
    assert all("{" in lines[row.place.line - 1] for row in block.partitions)
