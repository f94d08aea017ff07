"""Snapshots of consumer groups as people have them: what `kafka-consumer-groups` prints, and JSON lines.

The printed views differ by version. Offsets view: a row a partition. Members view: a row a member
with `ASSIGNMENT` as `topic(0), topic(1)`, or, in the Java port of 2024, `(0), (1)` with the topics
lost, or since 4.0 `CURRENT-ASSIGNMENT` as `topic:0,1;other:2`. None carries the time, which comes from a
line `# at=...` or from the path, or what a member subscribes to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.documents import parse_json
from kassay.reading.fields import Bound
from kassay.reading.kafka.assignments import TPs, partition_number, with_brackets, with_colons
from kassay.reading.values import read_as

OFFSETS: Final = "offsets"
MEMBERS: Final = "members"
LOST: Final = "members-without-topics"
JSON_LINES: Final = "json"
PARTITION_MAX: Final = 999_999
"""More than any topic has: a number beyond is a fault of the line, and would cost memory without end."""

_AT: Final = re.compile(
    r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)[T_ -]?(\d\d)[:-]?(\d\d)(?:[:-]?(\d\d)(?:\.(\d{3})\d*)?)?(?!\d)"
    r"(Z|\+\d\d:?\d\d|-\d\d:\d\d)?",
    re.ASCII,
)
_TIME: Final = "expected a time such as 2026-11-21T05:00:00Z"
_TOOL: Final = ("Warning:", "Consumer group '", "Error:")
"""How the tool begins what it says of a group without members or of one that is rebalancing."""

Number = Annotated[int, Bound(f"a number up to {PARTITION_MAX}", range(PARTITION_MAX + 1).__contains__)]


class Seen(NamedTuple):
    """What one row of a snapshot says: a member (None: nobody) of a group at a time, and what it owns.

    `at` is in milliseconds since 1970, UTC. `topics` is the subscription where it is known. `view` is
    how it was told.
    """

    group: str
    at: int
    member: str | None
    owned: TPs
    topics: tuple[str, ...] | None
    instance_id: str | None
    client_id: str | None
    rack: str | None
    view: str
    file: str
    line: int


@dataclass(frozen=True)
class Snapshot:
    """A line of JSON, its time apart."""

    group: str
    owned: tuple[tuple[str, Number], ...]
    member: str | None = None
    topics: tuple[str, ...] | None = None
    instance_id: str | None = None
    client_id: str | None = None
    rack: str | None = None


class Rejected(NamedTuple):
    """A line that could not be used, and why."""

    file: str
    line: int
    reason: str
    text: str


class _UnusableError(ValueError):
    """Why a line cannot be used."""


class _Header:
    """Where a printed view has its columns, worked out once for all its rows."""

    def __init__(self, names: Sequence[str]) -> None:
        place = {name: i for i, name in enumerate(names)}
        self.count = len(names)
        self.group, self.member = place.get("GROUP"), place["CONSUMER-ID"]
        self.client, self.instance = place.get("CLIENT-ID"), place.get("GROUP-INSTANCE-ID")
        self.spaces = names[-1] == "ASSIGNMENT"
        self.owned: Callable[[Sequence[str | None]], tuple[str, TPs]]
        if "PARTITION" in place and "TOPIC" in place:
            topic, partition = place["TOPIC"], place["PARTITION"]
            self.owned = lambda cells: (OFFSETS, _one(cells[topic], cells[partition]))
        elif "CURRENT-ASSIGNMENT" in place:
            current = place["CURRENT-ASSIGNMENT"]
            self.owned = lambda cells: (MEMBERS, with_colons(cells[current] or "", "CURRENT-ASSIGNMENT"))
        elif self.spaces:
            self.owned = lambda cells: _with_brackets(cells[-1])
        else:
            self.owned = _no_assignment

    def row(self, words: list[str], at: int, file: str, number: int) -> Seen:
        """What the row says; raises `_UnusableError`."""
        if self.spaces and len(words) > self.count:
            words = [*words[: self.count - 1], " ".join(words[self.count - 1 :])]
        if len(words) != self.count:
            raise _UnusableError(f"expected {self.count} columns, got {len(words)}")
        cells = [None if word == "-" else word for word in words]
        group = None if self.group is None else cells[self.group]
        if group is None:
            raise _UnusableError("no GROUP: expected the output of Kafka 2.0 or later (KIP-379)")
        view, owned = self.owned(cells)
        instance = None if self.instance is None else cells[self.instance]
        client = None if self.client is None else cells[self.client]
        return Seen(
            group, at, cells[self.member], owned, None, instance, client, None, view, file, number
        )  # fmt: skip


def parse(text: str, file: str) -> Iterator[Seen | Rejected]:
    """What the lines of a file say; a line that says nothing usable is rejected, never dropped."""
    at = time_of(file)
    header: _Header | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        first = words[0]
        try:
            if first[0] == "#":
                if stamp := re.match(r"\s*#\s*at\s*=(.*)", line):
                    at = _time(stamp[1])
            elif first[0] == "{":
                yield _json_line(line, file, number, at)
            elif "CONSUMER-ID" in words and "HOST" in words:
                header = _Header(words)
            elif first == "GROUP" and "STATE" in words:
                header = None
                raise _UnusableError("the view --state tells no owners")
            elif line.startswith(_TOOL):
                raise _UnusableError("a message of the tool, no row")
            elif header is None:
                raise _UnusableError("a row before any header")
            elif at is None:
                raise _UnusableError("no time: expected one in the path or a line `# at=...`")
            else:
                yield header.row(words, at, file, number)
        except (_UnusableError, InputError) as error:
            if first[0] == "#":
                at = None
            yield Rejected(file, number, str(error), line[:200])


def time_of(text: str) -> int | None:
    """The last time in the text, in milliseconds since 1970; None if there is none.

    UTC where no offset is given. A minus before an offset needs the colon: `-0001` is somebody's number.

    >>> time_of("groups-20261121T050000Z.txt"), time_of("2026-11-21T07:00:00+02:00")
    (1795237200000, 1795237200000)
    """
    for stamp in reversed(list(_AT.finditer(text))):
        year, month, day, hour, minute, second, millis = (int(part or 0) for part in stamp.groups()[:7])
        try:
            moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            continue
        zone = (stamp[8] or "Z").replace(":", "")
        if zone != "Z":
            ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
            moment += ahead if zone[0] == "-" else -ahead
        return int(moment.timestamp()) * 1000 + millis
    return None


def _time(text: str) -> int:
    at = time_of(text)
    if at is None:
        raise _UnusableError(f"at: {_TIME}")
    return at


def _one(topic: str | None, partition: str | None) -> TPs:
    return () if topic is None else ((topic, partition_number(partition or "-", "PARTITION")),)


def _with_brackets(text: str | None) -> tuple[str, TPs]:
    """The view, and the partitions of `orders(0), refunds(1,3)`."""
    owned = with_brackets(text or "", "ASSIGNMENT")
    return (LOST, ()) if owned is None else (MEMBERS, owned)


def _no_assignment(cells: Sequence[str | None]) -> tuple[str, TPs]:  # noqa: ARG001  # one signature for all views
    raise _UnusableError("no ASSIGNMENT: expected --members --verbose, or the offsets view")


def _json_line(line: str, file: str, number: int, at: int | None) -> Seen:
    """One JSON line: group, member (null for unowned partitions), owned, and what else is known."""
    try:
        line.encode()
        document = parse_json(line, "not a member of a group in JSON")
        json.dumps(document, ensure_ascii=False).encode()
        # A number is what the column of the Parquet form holds: milliseconds since 1970.
        if type(stamp := document.pop("at", None)) is int and 0 <= stamp < 2**62:
            at = stamp
        elif stamp is not None:
            at = _time(stamp if type(stamp) is str else "")
        read = read_as(Snapshot, {"owned": [], **document})
    except UnicodeEncodeError:
        raise _UnusableError("not a member of a group in JSON: half a surrogate pair") from None
    except InputError as error:
        raise _UnusableError(str(error)) from None
    if at is None:
        raise _UnusableError(f"at: {_TIME}")
    known = read.instance_id, read.client_id, read.rack
    return Seen(read.group, at, read.member, read.owned, read.topics, *known, JSON_LINES, file, number)
