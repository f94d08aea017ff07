"""Brokers and their racks: from `kafka-broker-api-versions.sh`, or from a file of the user.

Of the tool's output only the first line of each broker is read, `host:port (id: 4 rack: r1 isFenced: false)
-> (`, since only this tool prints the rack. A file of the user has lines `id,rack`, or JSON: an object of
racks by broker id, or a list of objects with `id` and `rack`.

Source: Kafka `BrokerApiVersionsCommand`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.reading.documents import parse_json
from kassay.reading.fields import Count, Name, difference
from kassay.reading.kafka.lines import Place, content_lines, whole
from kassay.reading.kafka.nodes import read_node

TOOL: Final = "kafka-broker-api-versions.sh"
EXPECTED: Final = f"the output of {TOOL}, lines `id,rack`, or JSON"
_ARROW: Final = re.compile(r"^(?P<node>\S.*\)) -> (?:\(|ERROR\b)", re.MULTILINE)
_ID: Final = re.compile(r"[0-9]{1,10}")
_COMMA_LINE: Final = re.compile(r"\s*(?:\d+|id|broker|broker[._ ]?id)\s*,", re.IGNORECASE)


def is_broker_versions(text: str) -> bool:
    """Whether the text looks like the tool's output."""
    return _ARROW.search(text) is not None


def read_brokers(text: str, file: str) -> tuple[Broker, ...]:
    """The brokers by id, with their racks; raises `InputError` with file, line and field."""
    if is_broker_versions(text):
        return _once(_of_tool(text, file))
    if text.lstrip().startswith(("{", "[")):
        return _once(_of_json(text, file))
    return _once(_of_lines(text, file))


def _once(brokers: Iterable[tuple[Broker, str]]) -> tuple[Broker, ...]:
    """The brokers in the order of their ids; raises where two have one id."""
    by_id: dict[int, Broker] = {}
    for broker, where in brokers:
        if broker.broker_id in by_id:
            raise InputError(f"{where}: id: found {broker.broker_id} twice, expected each broker once")
        by_id[broker.broker_id] = broker
    return tuple(sorted(by_id.values()))


def _of_tool(text: str, file: str) -> Iterable[tuple[Broker, str]]:
    for place, line in content_lines(text, file, TOOL):
        match = _ARROW.match(line)
        if match is not None:
            yield read_node(match["node"], place, "broker"), str(place)
        elif not line.startswith(("\t", " ", ")")):
            raise place.wrong("line", line, f"a line of {TOOL}")


def _of_lines(text: str, file: str) -> Iterable[tuple[Broker, str]]:
    """Lines `id,rack` after an optional line of titles; an empty rack, `-` and `null` mean no rack."""
    titles = empty = True
    for number, line in enumerate(text.splitlines(), start=1):
        place = Place(file, number)
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if not _COMMA_LINE.match(line) or line.count(",") != 1:
            raise place.wrong("line", line, f"`id,rack` (or {EXPECTED})")
        first, rack = (part.strip() for part in line.split(","))
        if titles and not first.isdigit():
            titles = False
            continue
        titles = empty = False
        yield Broker(whole(first, place, "id"), rack if rack not in ("", "-", "null") else None), str(place)
    if empty:
        raise InputError(f"{file}: empty, expected {EXPECTED}")


@dataclass(frozen=True)
class _Entry:
    """An entry of a list of brokers."""

    id: Count
    rack: Name | None = None
    fenced: bool = False


@dataclass(frozen=True)
class _Entries:
    """A list of brokers under its name."""

    brokers: tuple[_Entry, ...]


@dataclass(frozen=True)
class _Racks:
    """Racks by broker id."""

    racks: Mapping[str, Name | None]


def _of_json(text: str, file: str) -> Iterable[tuple[Broker, str]]:
    from kassay.reading.values import read_as  # imports cattrs, which an output of the tool does not need

    document: Any = parse_json(text, file)
    if isinstance(document, list):
        document = {"brokers": document}
    if "brokers" in document:
        for index, entry in enumerate(read_as(_Entries, document, file).brokers):
            yield Broker(entry.id, entry.rack, entry.fenced), f"{file}: brokers[{index}]"
        return
    for key, rack in read_as(_Racks, {"racks": document}, file).racks.items():
        if _ID.fullmatch(key) is None:
            raise InputError(f"{file}: {difference(key, 'the id of a broker as a key')}")
        yield Broker(int(key), rack), f"{file}: {key}"
