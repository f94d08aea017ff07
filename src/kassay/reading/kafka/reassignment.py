"""JSON of `kafka-reassign-partitions.sh`: reassignments, the blocks of its outputs, and topics to move.

A reassignment is `{"version": 1, "partitions": [{"topic", "partition", "replicas", "log_dirs"}]}`; without
`version` it is 1, and `log_dirs` may be missing. The outputs of `--generate` and `--execute` have such
objects below titles. Only the types are checked here: a lint reports what Kafka refuses and what it accepts
although it cannot be intended, so values stay as written, with their lines.

Source: Kafka `ReassignPartitionsCommand`.
"""

from __future__ import annotations

import json
import json.decoder
import json.scanner
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import why_unread
from kassay.reading.kafka.lines import Place

TOOL: Final = "kafka-reassign-partitions.sh"
EXPECTED: Final = f"JSON as {TOOL} takes and prints it"
CURRENT: Final = "Current partition replica assignment"
PROPOSED: Final = "Proposed partition reassignment configuration"
ANY: Final = "any"
_OPENING: Final = re.compile(r"^[ \t]*\{", re.MULTILINE)
_READ_OBJECT: Final = vars(json.decoder)["JSONObject"]
_SCANNER: Final = vars(json.scanner)["py_make_scanner"]
"""json's object reader in C and its replacement in Python, whose parts can be overridden one by one."""
_INT32: Final = range(-(2**31), 2**31)


class ReassignedPartition(NamedTuple):
    """One entry of `partitions`: numbers as they are written, plausible or not.

    `observers` is a field of Confluent Server's, None where it is missing.
    """

    partition: TopicPartition
    replicas: tuple[int, ...]
    log_dirs: tuple[str, ...] | None
    place: Place
    path: str
    observers: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Reassignment:
    """One JSON object with `partitions`; `title` is the line above it, in an output of the tool.

    `twice` are the repeated fields in one object, of which Kafka takes the last.
    """

    partitions: tuple[ReassignedPartition, ...]
    version: int
    place: Place
    title: str = ""
    twice: tuple[tuple[Place, str], ...] = ()


@dataclass(frozen=True)
class TopicsToMove:
    """One JSON object with `topics`: the input of `--generate`."""

    topics: tuple[str, ...]
    version: int
    place: Place


def is_reassignment(text: str) -> bool:
    """Whether the text looks like a reassignment, or topics to move; a list is of another tool."""
    return (
        not text.lstrip().startswith("[")
        and re.search(r'^[^{]*\{[^{\[]*"(?:partitions|topics)"\s*:\s*\[', text) is not None
    )


def is_executed(text: str) -> bool:
    """Whether the text is the output of `--execute`: the placement before, then what was started."""
    return "Save this to use as the --reassignment-json-file option during rollback" in text


def read_reassignments(text: str, file: str) -> tuple[Reassignment | TopicsToMove, ...]:
    """Every object in the text, in its order; raises `InputError` with file, line, field and expectation."""
    blocks = tuple(_blocks(text, file))
    if not blocks:
        raise InputError(f"{file}: no object, expected {EXPECTED}")
    return blocks


def read_reassignment(text: str, file: str) -> Reassignment:
    """The reassignment of a file: in an output of `--generate` the proposed one."""
    blocks = [block for block in read_reassignments(text, file) if isinstance(block, Reassignment)]
    proposed = [block for block in blocks if block.title == PROPOSED]
    if len(proposed or blocks) != 1:
        raise InputError(f"{file}: {len(blocks)} reassignments, expected one")
    return (proposed or blocks)[0]


def read_current(text: str, file: str) -> Reassignment:
    """The current placement in a file: the block below `Current ...`, else the only one."""
    blocks = [block for block in read_reassignments(text, file) if isinstance(block, Reassignment)]
    current = [block for block in blocks if block.title == CURRENT]
    if len(current or blocks) != 1:
        raise InputError(f"{file}: {len(blocks)} reassignments, expected one")
    return (current or blocks)[0]


class _Placed(dict[str, Any]):
    """An object of a document, with the place of its brace in the text."""

    at = 0
    twice: tuple[str, ...] = ()


def _object(text_and_end: tuple[str, int], *rest: Any) -> tuple[_Placed, int]:
    """The result of json's own reader of an object, with the place of the brace."""
    strict, scan_once, _, _, memo = rest
    pairs, end = _READ_OBJECT(text_and_end, strict, scan_once, None, list, memo)
    placed = _Placed(pairs)
    placed.at = text_and_end[1] - 1
    if len(placed) < len(pairs):
        keys = [key for key, _ in pairs]
        placed.twice = tuple(dict.fromkeys(key for key in keys if keys.count(key) > 1))
    return placed, end


def _refuse_number(text: str) -> NoReturn:
    raise InputError(f"not JSON ({text}: not a number of JSON)")


class _Decoder(json.JSONDecoder):
    """Python's decoder, with places kept."""

    def __init__(self) -> None:
        super().__init__(parse_constant=_refuse_number)
        self.parse_object = _object
        self.scan_once = _SCANNER(self)


def _blocks(text: str, file: str) -> Iterator[Reassignment | TopicsToMove]:
    decoder, at = _Decoder(), 0
    ends = [match.start() for match in re.finditer("\n", text)]
    while (match := _OPENING.search(text, at)) is not None:
        start = match.end() - 1
        place = Place(file, bisect_right(ends, start) + 1)
        try:
            document, at = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            cut = "" if text.rstrip()[-1:] in ("}", "]") else "; is the file cut off here?"
            raise InputError(f"{file}:{error.lineno}: not JSON ({error.msg}){cut}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{place}: {why_unread(error)}") from None
        title = text[:start].rstrip().rpartition("\n")[2].strip()
        yield _Reader(file, ends).block(document, title if title in (CURRENT, PROPOSED) else "")


class _Reader:
    """Builds values from the objects of one text, whose lines end at `ends`."""

    def __init__(self, file: str, ends: list[int]) -> None:
        self._file, self._ends = file, ends

    def _place(self, value: _Placed) -> Place:
        return Place(self._file, bisect_right(self._ends, value.at) + 1)

    def block(self, document: _Placed, title: str) -> Reassignment | TopicsToMove:
        """The object as a reassignment or as topics to move."""
        place = self._place(document)
        version = _whole(document.get("version", 1), place, "version")
        if "topics" in document and "partitions" not in document:
            topics = []
            for index, entry in enumerate(_list(document["topics"], place, "topics")):
                path = f"topics[{index}]"
                topics.append(_text(_field(entry, "topic", place, path), place, f"{path}.topic"))
            return TopicsToMove(tuple(topics), version, place)
        entries = _list(_field(document, "partitions", place, ""), place, "partitions")
        rows = tuple(self._row(entry, place, f"partitions[{index}]") for index, entry in enumerate(entries))
        return Reassignment(rows, version, place, title, tuple(self._twice(document, entries)))

    def _row(self, entry: Any, outer: Place, path: str) -> ReassignedPartition:
        place = self._place(entry) if isinstance(entry, _Placed) else outer
        topic = _text(_field(entry, "topic", place, path), place, f"{path}.topic")
        number = _whole(_field(entry, "partition", place, path), place, f"{path}.partition")
        replicas = _list(_field(entry, "replicas", place, path), place, f"{path}.replicas")
        log_dirs = entry.get("log_dirs")
        return ReassignedPartition(
            TopicPartition(topic, number),
            tuple(_whole(each, place, f"{path}.replicas[{i}]") for i, each in enumerate(replicas)),
            None
            if log_dirs is None
            else tuple(
                _text(each, place, f"{path}.log_dirs[{i}]")
                for i, each in enumerate(_list(log_dirs, place, f"{path}.log_dirs"))
            ),
            place,
            path,
            self._observers(entry, place, path),
        )

    def _observers(self, entry: Mapping[str, Any], place: Place, path: str) -> tuple[int, ...] | None:
        if "observers" not in entry:
            return None
        observers = _list(entry["observers"], place, f"{path}.observers")
        return tuple(_whole(each, place, f"{path}.observers[{i}]") for i, each in enumerate(observers))

    def _twice(self, document: _Placed, entries: list[Any]) -> Iterator[tuple[Place, str]]:
        for key in document.twice:
            yield self._place(document), key
        for index, entry in enumerate(entries):
            for key in entry.twice:
                yield self._place(entry), f"partitions[{index}].{key}"


def _field(entry: Any, key: str, place: Place, path: str) -> Any:
    if not isinstance(entry, Mapping):
        raise place.wrong(path, entry, "an object")
    if key not in entry:
        raise InputError(f"{place}: {path}{'.' if path else ''}{key}: missing, expected {EXPECTED}")
    return entry[key]


def _list(value: Any, place: Place, path: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > 10**6:
        raise place.wrong(path, value, "a list")
    return value


def _text(value: Any, place: Place, path: str) -> str:
    if not isinstance(value, str) or not value:
        raise place.wrong(path, value, "a text")
    return value


def _whole(value: Any, place: Place, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in _INT32:
        raise place.wrong(path, value, "a whole number of 32 bits")
    return value
