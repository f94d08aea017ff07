"""Lines of a tool's output: content, chatter between it, and the places that errors name.

`Columns` reads a table with a line of titles. A broker as Kafka's `Node` prints itself: `host:port (id:
4 rack: r1 isFenced: false)`.

Source: `org.apache.kafka.common.Node.toString`; since 4.0 with `isFenced`. A rack is any text; `null` is
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.reading.documents import difference
from kassay.reading.pasted import is_chatter

_FAILED: Final = re.compile(
    r"\s*(?:Error\b.*:|Exception in thread|Missing required argument"
    r"|Consumer group [`'].*[`'] does not exist)"
)
_DIGITS: Final = re.compile(r"[0-9]{1,10}")


class Place(NamedTuple):
    """The place that an error names: `topics.txt:3`."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def wrong(self, field: str, value: object, expected: str) -> InputError:
        """The error that states the value of a field in this line, and what was expected there."""
        return InputError(f"{self}: {field}: {difference(value, expected)}")


class ToolLine(NamedTuple):
    """A line with content, without its end, and its place."""

    place: Place
    text: str


def content_lines(
    text: str, file: str, tool: str, passed: re.Pattern[str] | None = None
) -> Iterator[ToolLine]:
    """The lines that are neither blank nor chatter. Raises `InputError` where the tool reports a failure.

    `passed`: reports of the tool that are passed over.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        content = content_line(line, Place(file, number), tool, passed)
        if content is not None:
            yield content


def content_line(
    line: str, place: Place, tool: str, passed: re.Pattern[str] | None = None
) -> ToolLine | None:
    """The line, None if it is blank or chatter; raises and passes over as `content_lines` does."""
    line = line.removesuffix("\r")
    if not line.strip() or is_chatter(line):
        return None
    if passed is not None and passed.fullmatch(line):
        return None
    if _FAILED.match(line):
        raise InputError(f"{place}: the tool failed: {line.strip()}; expected the output of {tool}")
    return ToolLine(place, line)


def failure_in(text: str) -> str | None:
    """The first line in which a tool reports that it failed, None if there is none."""
    return next((line.strip() for line in text.splitlines() if _FAILED.match(line)), None)


def whole(text: str, place: Place, field: str, expected: str = "a whole number") -> int:
    """The number in a field's text: digits alone, 31 bits as in Kafka; raises `InputError`."""
    if not _DIGITS.fullmatch(text) or int(text) >= 1 << 31:
        raise place.wrong(field, text, expected)
    return int(text)


def whole_list(text: str, place: Place, field: str) -> tuple[int, ...]:
    """The numbers between commas, each at most once; none for an empty text. Raises `InputError`."""
    if not text:
        return ()
    expected = "broker ids with commas between"
    numbers = tuple([whole(part, place, field, expected) for part in text.split(",")])
    if len(set(numbers)) < len(numbers):
        raise place.wrong(field, text, f"{expected}, each once")
    return numbers


_TITLES: Final = re.compile(r"COORDINATOR \(ID\)|\S+")
_SPACED: Final = frozenset({"ASSIGNMENT", "CLIENT-ID"})
"""Columns whose text may contain blanks if they are the last."""
_BLANK: Final = "GROUP-INSTANCE-ID"
"""The column that is blank for a member without a value, where others have `-`."""
_STRATEGY: Final = "ASSIGNMENT-STRATEGY"
_BLANKS: Final = frozenset({_BLANK, _STRATEGY, "CLIENT-ID"})
"""All columns that may be blank."""
_COORDINATOR: Final = "COORDINATOR (ID)"


class Columns:
    """The columns of one table, computed once for all its rows."""

    def __init__(self, titles: str) -> None:
        spans = [(match[0], match.start()) for match in _TITLES.finditer(titles.expandtabs())]
        self.names = tuple(name for name, _ in spans)
        self._starts = tuple(start for _, start in spans)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def row(self, text: str, place: Place) -> Mapping[str, str]:
        """The cells of a row by title; raises `InputError` where the row does not fit under the titles.

        Words are counted, since people trim and realign pasted text. The places of the titles decide where a
        cell may be blank, and where the count differs, as it does for a cell with blanks in it.
        """
        text = text.expandtabs()
        words = self._words(text)
        if _BLANK in self.names or len(words) != len(self.names):
            words = self._slices(text) or self._tail_joined(words)
        if len(words) == len(self.names) - 1 and _BLANK in self.names:
            blank = self.names.index(_BLANK)
            words = [*words[:blank], "", *words[blank:]]
        if len(words) == len(self.names) - 1 and _STRATEGY in self.names:
            # Of an empty group; the coordinator next to it is printed out of its column.
            blank = self.names.index(_STRATEGY)
            words = [*words[:blank], "", *words[blank:]]
        if len(words) != len(self.names):
            expected = f"{len(self.names)} columns: {', '.join(self.names)}"
            raise place.wrong("row", text.strip(), expected)
        return dict(zip(self.names, words))

    def _words(self, text: str) -> list[str]:
        words = text.split()
        if _COORDINATOR in self.names:
            at = self.names.index(_COORDINATOR)
            if len(words) > at + 1 and words[at + 1].startswith("("):
                words[at : at + 2] = [" ".join(words[at : at + 2])]
        return words

    def _tail_joined(self, words: list[str]) -> list[str]:
        """The words, with those under the last title joined into one cell if it may have blanks."""
        last = len(self.names) - 1
        if self.names[-1] not in _SPACED or _BLANK in self.names or len(words) <= last:
            return words
        return [*words[:last], " ".join(words[last:])]

    def _slices(self, text: str) -> list[str]:
        """The text under each title; empty where a cell extends into the next one's place."""
        starts = self._starts
        if any(start and text[start - 1 : start].strip() for start in starts):
            return []
        cells = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)])]
        fits = all(cell or name in _BLANKS for name, cell in zip(self.names, cells))
        return cells if fits else []


_NODE: Final = re.compile(
    r"[^,\s]*:-?\d+ \(id: (?P<id>\d+) rack: (?P<rack>.*?)(?: isFenced: (?P<fenced>true|false))?\)"
    r"(?=,[^,\s]*:-?\d+ \(id: |\Z)"
)
EXPECTED: Final = "brokers such as `host:9092 (id: 4 rack: r1)`"


def read_node(text: str, place: Place, field: str) -> Broker:
    """The broker that the whole text is; raises `InputError`."""
    match = _NODE.fullmatch(text)
    if match is None:
        raise place.wrong(field, text, EXPECTED)
    return _broker(match, place, field)


def read_nodes(text: str, place: Place, field: str) -> tuple[Broker, ...]:
    """The brokers between commas, none for an empty text; raises `InputError`."""
    brokers, at = [], 0
    while at < len(text):
        match = _NODE.match(text, at)
        if match is None:
            raise place.wrong(field, text[at:], EXPECTED)
        brokers.append(_broker(match, place, field))
        at = match.end() + 1
    return tuple(brokers)


def _broker(match: re.Match[str], place: Place, field: str) -> Broker:
    rack = match["rack"]
    return Broker(
        whole(match["id"], place, f"{field}: id"),
        None if rack in ("null", "") else rack,
        match["fenced"] == "true",
    )
