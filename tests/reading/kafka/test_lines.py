"""Lines of a tool's output: what is passed over, and where a complaint points."""

from __future__ import annotations

import pytest

from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place, content_lines, whole, whole_list

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
    with pytest.raises(
        InputError, match=r"^f:2: line: found '.*', expected the output of tool, which failed"
    ):
        list(content_lines(f"a\n{line}", "f", "tool"))


def test_numbers_are_digits_alone() -> None:
    place = Place("f", 1)
    assert whole("07", place, "x") == 7
    assert whole_list("3,1", place, "x") == (3, 1) and whole_list("", place, "x") == ()
    for text in ("", "-1", "+1", " 1", "1_0", "٣", "9" * 10):
        with pytest.raises(InputError, match=r"^f:1: x: found"):
            whole(text, place, "x")
