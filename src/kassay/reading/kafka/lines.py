"""Lines of a tool's output: content, chatter between it, and the places that errors name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.fields import difference

_CHATTER: Final = re.compile(
    r"\s*(?:WARNING:|WARN\b|SLF4J|log4j:|OpenJDK |Java HotSpot|Picked up |\[\d{4}-\d\d-\d\d |[$#>%]\s)"
)
"""Output of shells, the JVM and loggers between the lines of a tool, and comments that people add."""
_FAILED: Final = re.compile(r"\s*(?:Error\b.*:|Exception in thread|Missing required argument)")
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


def content_lines(text: str, file: str, tool: str) -> Iterator[ToolLine]:
    """The lines that are neither blank nor chatter. Raises `InputError` where the tool reports a failure."""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip() or _CHATTER.match(line):
            continue
        place = Place(file, number)
        if _FAILED.match(line):
            raise place.wrong("line", line.strip(), f"the output of {tool}, which failed here")
        yield ToolLine(place, line)


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
