"""Parsers of consumer-group snapshots: the output of `kafka-consumer-groups`, and JSON lines.

The printed views differ by version. Offsets view: one row per partition. Members view: one row per member
with `ASSIGNMENT` as `topic(0), topic(1)`; or, in the Java port of 2024, `(0), (1)` without the topics; or,
since 4.0, `CURRENT-ASSIGNMENT` as `topic:0,1;other:2`. None contains the time, which comes from a line `#
at=...` or from the path, nor a member's subscription.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.documents import Bound, parse_json
from kassay.reading.kafka.groups import TPs, partition_number, with_brackets, with_colons
from kassay.reading.values import read_as

OFFSETS: Final = "offsets"
MEMBERS: Final = "members"
LOST: Final = "members-without-topics"
JSON_LINES: Final = "json"
PARTITION_MAX: Final = 999_999
"""More than any topic has: a higher number is an error in the line, and would cost unlimited memory."""
AT_MAX: Final = 253_402_300_800_000
"""The year 10000, in milliseconds since 1970: no later time is a TIMESTAMP."""

_AT: Final = re.compile(
    r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)[T_ -]?(\d\d)[:-]?(\d\d)(?:[:-]?(\d\d)(?:\.(\d{3})\d*)?)?(?!\d)"
    r"(Z|\+\d\d:?\d\d|-\d\d:\d\d)?",
    re.ASCII,
)
_TIME: Final = "expected a time such as 2026-11-21T05:00:00Z"
_TOOL: Final = ("Warning:", "Consumer group '", "Error:")
"""The prefixes of the tool's messages about a group without members or during a rebalance."""

Number = Annotated[int, Bound(f"a number up to {PARTITION_MAX}", range(PARTITION_MAX + 1).__contains__)]


class Seen(NamedTuple):
    """One row of a snapshot: a member (None if unowned) of a group at a time, and its partitions.

    `at` is in milliseconds since 1970, UTC. `topics` is the subscription, if known. `view` is the format of
    the row.
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
    """A JSON line, without its time."""

    group: str
    owned: tuple[tuple[str, Number], ...]
    member: str | None = None
    topics: tuple[str, ...] | None = None
    instance_id: str | None = None
    client_id: str | None = None
    rack: str | None = None


class Rejected(NamedTuple):
    """An unusable line, with the reason."""

    file: str
    line: int
    reason: str
    text: str


class _UnusableError(ValueError):
    """The reason why a line is unusable."""


class _Header:
    """The columns of a printed view, computed once for all its rows."""

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
        """The row's content; raises `_UnusableError`."""
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
    """The content of a file's lines; an unusable line is rejected, never dropped."""
    at = time_of(file)
    header: _Header | None = None
    without = "a row before any header"
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
                header, without = None, "the view --state has no owners"
                raise _UnusableError(without)
            elif line.startswith(_TOOL):
                raise _UnusableError("a message of the tool, no row")
            elif header is None:
                raise _UnusableError(without)
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

    UTC if no offset is given. A negative offset needs the colon: `-0001` may be any number.

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
    """One JSON line: group, member (null for unowned partitions), owned, and optional fields."""
    try:
        line.encode()
        document = parse_json(line, "not a member of a group in JSON")
        json.dumps(document, ensure_ascii=False).encode()
        # a number is milliseconds since 1970
        if type(stamp := document.pop("at", None)) is int and 0 <= stamp < AT_MAX:
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
