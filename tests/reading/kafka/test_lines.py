"""Lines of a tool's output: what is passed over, and where a complaint points.

Tables with titles: words where they can be counted, places where they cannot.

A broker as Kafka's `Node` prints itself.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Columns, Place, content_lines, read_node, read_nodes, whole, whole_list

CHATTER = [
    "",
    "   ",
    "$ kafka-topics.sh --describe",
    "# taken on Monday",
    "WARNING: Due to limitations in metric names",
    "[2026-01-01 10:00:00,000] WARN something (org.apache.kafka.clients.NetworkClient)",
    "OpenJDK 64-Bit Server VM warning: none",
]


def test_chatter_is_passed_over_and_lines_keep_their_numbers() -> None:
    lines = list(content_lines("\r\n".join([*CHATTER, "\ta: b"]), "f", "tool"))
    assert lines == [(Place("f", len(CHATTER) + 1), "\ta: b")]


@pytest.mark.parametrize("line", ["Error: no", "Error while executing x : y", "Exception in thread main"])
def test_a_tool_that_failed_is_told(line: str) -> None:
    with pytest.raises(InputError, match=r"^f:2: the tool failed: .*; expected the output of tool"):
        list(content_lines(f"a\n{line}", "f", "tool"))


def test_numbers_are_digits_alone() -> None:
    place = Place("f", 1)
    assert whole("07", place, "x") == 7
    assert whole_list("3,1", place, "x") == (3, 1) and whole_list("", place, "x") == ()
    for text in ("", "-1", "+1", " 1", "1_0", "٣", "9" * 10):
        with pytest.raises(InputError, match=r"^f:1: x: found"):
            whole(text, place, "x")


AT = Place("f", 2)


def test_words_are_counted_whatever_the_blanks_between_them():
    assert Columns("A   B C").row("1 2      3", AT) == {"A": "1", "B": "2", "C": "3"}


def test_a_blank_cell_is_told_by_its_place():
    titles = "GROUP GROUP-INSTANCE-ID HOST"
    assert Columns(titles).row("g                       /h", AT) == {
        "GROUP": "g",
        "GROUP-INSTANCE-ID": "",
        "HOST": "/h",
    }
    assert Columns(titles).row("g /h", AT)["GROUP-INSTANCE-ID"] == ""


def test_a_coordinator_is_one_cell():
    row = Columns("GROUP COORDINATOR (ID) STATE").row("g broker1:9092  (1) Stable", AT)
    assert row == {"GROUP": "g", "COORDINATOR (ID)": "broker1:9092 (1)", "STATE": "Stable"}


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"f:2: row: found '1 2', expected 3 columns: A, B, C"):
        Columns("A B C").row("1 2", AT)


PLACE = Place("f", 3)
RACKS = st.sampled_from([None, "a", "az,b", "r (id: 9)", "x:1", "isFenced", "(", "é"])


@given(st.lists(st.tuples(st.integers(0, 99), RACKS, st.booleans()), max_size=4))
def test_a_list_is_not_split_at_the_commas_of_a_rack(nodes: list[tuple[int, str | None, bool]]) -> None:
    texts = [
        f"h{id_}:9092 (id: {id_} rack: {rack or 'null'} isFenced: {str(fenced).lower()})"
        for id_, rack, fenced in nodes
    ]
    brokers = tuple(Broker(*node) for node in nodes)
    assert read_nodes(",".join(texts), PLACE, "x") == brokers
    assert tuple(read_node(text, PLACE, "x") for text in texts) == brokers


@pytest.mark.parametrize("text", ["1", "h:1 (id: 1 rack: a", "h:1 (id: -1 rack: a)", "h:1 (id: 1 rack: a)x"])
def test_what_is_no_node_is_told(text: str) -> None:
    with pytest.raises(InputError, match=r"^f:3: x: found .* expected brokers such as"):
        read_nodes(text, PLACE, "x")
    with pytest.raises(InputError, match=r"^f:3: x: found"):
        read_node(text, PLACE, "x")
