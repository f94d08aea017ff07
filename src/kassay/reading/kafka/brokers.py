"""Brokers: their racks, and the replicas and sizes in their log directories.

*Racks* come from `kafka-broker-api-versions.sh`, or from a file of one's own. Of the tool only the first line
of each broker is read, `host:port (id: 4 rack: r1 isFenced: false) -> (`, which has what no other tool
prints: the rack. A file of one's own has lines `id,rack`, or JSON: an object of racks by broker id, or a list
of objects with `id` and `rack`.

Source: Kafka `BrokerApiVersionsCommand`.

*Log directories*: `kafka-log-dirs.sh --describe` prints two lines of chatter, then one line of JSON, sizes in
bytes. Of each broker its log directories, and in each the replicas with `size`, `offsetLag` and `isFuture`,
which marks a copy that is on its way into this directory and will replace the one in another. `error` names
the exception of a directory that is offline. Fields have Kafka's names. No release up to 4.4 prints which
directories are cordoned (KIP-1066); the AdminClient knows it (`LogDirDescription.isCordoned`), so a field of
this name is read where there is one.

Source: Kafka `LogDirsCommand`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import Count, Name, difference, parse_json
from kassay.reading.kafka.lines import Place, content_lines, read_node, whole
from kassay.reading.values import read_as

VERSIONS_TOOL: Final = "kafka-broker-api-versions.sh"
EXPECTED: Final = f"the output of {VERSIONS_TOOL}, lines `id,rack`, or JSON"
_ARROW: Final = re.compile(r"^(?P<node>\S.*\)) -> (?:\(|ERROR\b)", re.MULTILINE)
_ID: Final = re.compile(r"[0-9]{1,10}")
_RACK: Final = r'(?:"[^"]*"|null)'
_FIELD: Final = rf'"(?:id|rack|fenced)"\s*:\s*(?:\d+|true|false|{_RACK})'
_ENTRY: Final = rf"\{{\s*{_FIELD}(?:\s*,\s*{_FIELD})*\s*\}}"
_LIST: Final = rf"\[\s*{_ENTRY}(?:\s*,\s*{_ENTRY})*\s*\]"
_OBJECT: Final = rf'\{{\s*"\d+"\s*:\s*{_RACK}(?:\s*,\s*"\d+"\s*:\s*{_RACK})*\s*\}}'
_JSON_RACKS: Final = re.compile(rf'\s*(?:{_LIST}|{_OBJECT}|\{{\s*"brokers"\s*:\s*{_LIST}\s*\}})\s*')
_COMMA_LINE: Final = re.compile(r"\s*(?:\d+|id|broker|broker[._ ]?id)\s*,", re.IGNORECASE)


def is_broker_versions(text: str) -> bool:
    """Whether the text looks like the tool's output."""
    return _ARROW.search(text) is not None


def is_brokers(text: str) -> bool:
    """Whether the text has brokers and their racks: the tool's output, lines `id,rack`, or JSON."""
    if is_broker_versions(text):
        return True
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and all(_COMMA_LINE.match(line) and line.count(",") == 1 for line in lines):
        return True
    return bool(lines) and _JSON_RACKS.fullmatch(text) is not None


def read_brokers(text: str, file: str) -> tuple[Broker, ...]:
    """The brokers by id, with their racks; raises `InputError` with file, line and field."""
    if is_broker_versions(text):
        return _once(_of_tool(text, file))
    if text.lstrip().startswith(("{", "[")):
        brokers = _once(_of_json(text, file))
        if not brokers:
            raise InputError(f"{file}: no brokers in this JSON, expected {EXPECTED}")
        return brokers
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
    for place, line in content_lines(text, file, VERSIONS_TOOL):
        match = _ARROW.match(line)
        if match is not None:
            yield read_node(match["node"], place, "broker"), str(place)
        elif not line.startswith(("\t", " ", ")")):
            raise place.wrong("line", line, f"a line of {VERSIONS_TOOL}")


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


LOG_DIRS_TOOL: Final = "kafka-log-dirs.sh --describe"
_PARTITION: Final = re.compile(r"(?P<topic>.+)-(?P<number>\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class LogDirReplica:
    """A replica in a log directory; `partition` is `topic-number`, `size` in bytes."""

    partition: str
    size: Count
    offsetLag: int = 0  # noqa: N815  # as the file has it
    isFuture: bool = False  # noqa: N815  # as the file has it

    @property
    def named(self) -> TopicPartition:
        """The partition; `read_log_dirs` has checked the name."""
        return _named(self.partition)


@dataclass(frozen=True)
class LogDir:
    """A log directory of a broker; `error` is the class of Kafka's exception where it is offline."""

    logDir: str  # noqa: N815  # as the file has it
    partitions: tuple[LogDirReplica, ...] = ()
    error: str | None = None
    isCordoned: bool = False  # noqa: N815  # as the file has it


@dataclass(frozen=True)
class BrokerLogDirs:
    """The log directories of one broker."""

    broker: Count
    logDirs: tuple[LogDir, ...]  # noqa: N815  # as the file has it

    @property
    def is_cordoned(self) -> bool:
        """Whether none of its directories takes new replicas."""
        return bool(self.logDirs) and all(each.isCordoned for each in self.logDirs)


@dataclass(frozen=True)
class LogDirs:
    """The tool's output for each queried broker."""

    brokers: tuple[BrokerLogDirs, ...]

    @cached_property
    def replica_sizes(self) -> dict[tuple[TopicPartition, int], int]:
        """The bytes of each replica by partition and broker, without copies that are still moving."""
        return {
            (replica.named, broker.broker): replica.size
            for broker in self.brokers
            for directory in broker.logDirs
            for replica in directory.partitions
            if not replica.isFuture
        }

    @cached_property
    def sizes(self) -> dict[TopicPartition, int]:
        """The bytes of a copy of each partition: those of its largest replica."""
        largest: dict[TopicPartition, int] = {}
        for (tp, _), size in self.replica_sizes.items():
            largest[tp] = max(size, largest.get(tp, 0))
        return largest

    @property
    def cordoned(self) -> frozenset[int]:
        """The brokers that take no new replicas, since all their directories are cordoned."""
        return frozenset(broker.broker for broker in self.brokers if broker.is_cordoned)

    @property
    def offline(self) -> tuple[tuple[int, str, str], ...]:
        """Directories that do not answer: broker, directory, Kafka's exception."""
        return tuple(
            (broker.broker, each.logDir, each.error)
            for broker in self.brokers
            for each in broker.logDirs
            if each.error is not None
        )


def is_log_dirs(text: str) -> bool:
    """Whether the text looks like this tool's output."""
    return re.search(r'^\{.*"logDirs"\s*:', text, re.MULTILINE | re.DOTALL) is not None


def read_log_dirs(text: str, file: str) -> LogDirs:
    """The directories by broker; raises `InputError` with file, field and what was expected."""
    start = re.search(r"^\s*\{", text, re.MULTILINE)
    if start is None:
        raise InputError(f"{file}: no JSON, expected the output of {LOG_DIRS_TOOL}")
    line = text.count("\n", 0, start.end()) + 1
    log_dirs = read_as(LogDirs, parse_json(_object(text[start.start() :]), file, line), f"{file}:{line}")
    for path, replica in _replicas(log_dirs):
        if _PARTITION.fullmatch(replica.partition) is None:
            what = difference(replica.partition, "`topic-number`")
            raise InputError(f"{file}:{line}: {path}.partition: {what}")
    ids = [broker.broker for broker in log_dirs.brokers]
    for index, id_ in enumerate(ids):
        if id_ in ids[:index]:
            raise InputError(f"{file}:{line}: brokers[{index}].broker: found {id_} twice, expected once")
    return log_dirs


def _object(text: str) -> str:
    """The object that the text begins with, without what follows it; the text if it is not whole."""
    try:
        return text[: json.JSONDecoder().raw_decode(text.lstrip())[1] + len(text) - len(text.lstrip())]
    except (ValueError, RecursionError):
        return text


def _replicas(log_dirs: LogDirs) -> Iterator[tuple[str, LogDirReplica]]:
    for i, broker in enumerate(log_dirs.brokers):
        for j, directory in enumerate(broker.logDirs):
            for k, replica in enumerate(directory.partitions):
                yield f"brokers[{i}].logDirs[{j}].partitions[{k}]", replica


def _named(partition: str) -> TopicPartition:
    topic, _, number = partition.rpartition("-")
    return TopicPartition(topic, int(number))
