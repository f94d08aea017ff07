"""The outputs of `kafka-share-groups --describe` and `kafka-streams-groups --describe`.

Share groups (KIP-932), a table for each group. Offsets: GROUP TOPIC PARTITION START-OFFSET, with LAG since
4.2. Members: GROUP CONSUMER-ID HOST CLIENT-ID ASSIGNMENT, the assignment `orders:1,orders:3` in 4.0 and
`orders:1,3` since 4.1, in which there is #PARTITIONS and, with --verbose, MEMBER-EPOCH. State: without a
strategy.

Streams groups (KIP-1071). Offsets: GROUP TOPIC PARTITION OFFSET-LAG. Members, a row a thread: GROUP MEMBER
PROCESS CLIENT-ID ASSIGNMENTS, `ACTIVE: 0:[0,2]; 1:[0]; STANDBY: 0:[1];`, with epochs and targets under
--verbose. State: the assignor. Source: `ShareGroupCommand` and `StreamsGroupCommand`, branches 4.0 and 4.4,
and their outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.documents import at, shown
from kassay.reading.kafka.groups import partition_number
from kassay.reading.kafka.lines import Columns, Place, content_lines
from kassay.reading.wrapped import is_titles

SHARE: Final = "share"
STREAMS: Final = "streams"
TOOLS: Final = {SHARE: "kafka-share-groups.sh", STREAMS: "kafka-streams-groups.sh"}
ACTIVE: Final = "ACTIVE"
STANDBY: Final = "STANDBY"
WARMUP: Final = "WARMUP"
_TASKS: Final = re.compile(r"([A-Z]+(?:-[A-Z]+)*): ?|(\S+?):\[([\d, ]*)\];?")
_FREE: Final = frozenset({"ASSIGNMENT", "ASSIGNMENTS"})
_EMPTY: Final = re.compile(r"\s*(?:Share|Streams) group '(?P<group>.*)' has no active members\.?\s*")

TPs = tuple[tuple[str, int], ...]


class OtherMember(NamedTuple):
    """A member of a share group, or a thread of a Streams group.

    `tasks`: by kind (`ACTIVE`, `STANDBY`, `WARMUP`, and each with `TARGET-`) the partitions, of topics in a
    share group and of subtopologies in a Streams group. `process` is None in a share group.
    """

    place: Place
    member: str
    client_id: str | None
    host: str | None
    process: str | None
    tasks: Mapping[str, TPs]
    is_first_form: bool = False

    def of(self, kind: str) -> TPs:
        """The partitions of this kind."""
        return self.tasks.get(kind, ())


@dataclass(frozen=True)
class OtherGroup:
    """A share group or a Streams group, as far as the outputs show it.

    `lags` has the partitions of topics, with the lag where it is known. `assignor` and `state` are None where
    no output has them; `counted` is the number of members in the state view.
    """

    kind: str
    name: str
    members: tuple[OtherMember, ...] = ()
    lags: Mapping[tuple[str, int], int | None] | None = None
    state: str | None = None
    assignor: str | None = None
    counted: int | None = None

    def __add__(self, other: OtherGroup) -> OtherGroup:
        """All that both say of the group."""
        known = {row.member: row for row in self.members}
        for row in other.members:
            known[row.member] = max(known.get(row.member, row), row, key=lambda each: len(each.tasks))
        return replace(
            self,
            members=tuple(known.values()),
            lags={**(self.lags or {}), **(other.lags or {})} or None,
            state=other.state or self.state,
            assignor=other.assignor or self.assignor,
            counted=self.counted if other.counted is None else other.counted,
        )


def read_other_groups(text: str, file: str) -> tuple[OtherGroup, ...]:
    """The groups in the text, by name; raises `InputError` with file, line and column."""
    groups: dict[tuple[str, str], OtherGroup] = {}
    columns: Columns | None = None
    kind = SHARE
    for line in content_lines(text, file, "kafka-share-groups.sh or kafka-streams-groups.sh"):
        match = _EMPTY.fullmatch(line.text)
        if match is not None:
            kind = STREAMS if line.text.lstrip().startswith("Streams") else SHARE
            entry = OtherGroup(kind, match["group"], state="Empty", counted=0)
        elif line.text.lstrip().startswith("GROUP ") and is_titles(line.text):
            columns = Columns(line.text)
            kind = _kind_of(columns, kind)
            continue
        elif columns is None:
            raise line.place.wrong("line", line.text.strip(), f"the output of {TOOLS[SHARE]} --describe")
        else:
            cells = _cells(columns, line.text, line.place)
            with at(str(line.place)):
                entry = _entry(cells, kind, line.place)
        key = (entry.kind, entry.name)
        groups[key] = groups[key] + entry if key in groups else entry
    return tuple(groups[key] for key in sorted(groups))


def _kind_of(columns: Columns, before: str) -> str:
    if any(name in columns for name in ("MEMBER", "OFFSET-LAG", "ASSIGNOR")):
        return STREAMS
    return SHARE if any(name in columns for name in ("START-OFFSET", "CONSUMER-ID", "STATE")) else before


def _cells(columns: Columns, text: str, place: Place) -> Mapping[str, str]:
    """The cells of a row; what a member has may contain blanks, or be missing."""
    last = columns.names[-1]
    if last not in _FREE:
        return columns.row(text, place)
    parts = text.split(None, len(columns.names) - 1)
    if len(parts) < len(columns.names) - 1:
        raise place.wrong("row", text.strip(), f"{len(columns.names)} columns: {', '.join(columns.names)}")
    return dict(zip(columns.names, [*parts, ""], strict=False))


def _entry(cells: Mapping[str, str], kind: str, place: Place) -> OtherGroup:
    name = cells["GROUP"]
    if "STATE" in cells:
        count = cells["#MEMBERS"]
        if not count.isdigit():
            raise InputError(f"#MEMBERS: found {shown(count)}, expected how many members there are")
        return OtherGroup(
            kind, name, state=cells["STATE"], assignor=cells.get("ASSIGNOR"), counted=int(count)
        )
    if "PARTITION" in cells:
        lag = cells.get("LAG", cells.get("OFFSET-LAG", "-"))
        if cells["PARTITION"] == "-":
            return OtherGroup(kind, name)
        tp = (cells["TOPIC"], partition_number(cells["PARTITION"], "PARTITION"))
        return OtherGroup(kind, name, lags={tp: int(lag) if lag.isdigit() else None})
    member = cells.get("MEMBER", cells.get("CONSUMER-ID", ""))
    if member in ("", "-"):
        return OtherGroup(kind, name)
    assignment = cells.get("ASSIGNMENTS", cells.get("ASSIGNMENT", ""))
    tasks = _tasks(assignment) if kind == STREAMS else {ACTIVE: _shared(assignment)}
    row = OtherMember(
        place,
        member,
        cells.get("CLIENT-ID"),
        cells.get("HOST"),
        cells.get("PROCESS"),
        tasks,
        kind == SHARE and "#PARTITIONS" not in cells,
    )
    return OtherGroup(kind, name, (row,))


def _shared(text: str) -> TPs:
    """The partitions of `orders:0,2;mails:1`, or of `orders:0,orders:2` as in 4.0; raises `InputError`."""
    tps: list[tuple[str, int]] = []
    topic = ""
    for part in re.split("[,;]", text.strip()):
        if part in ("", "-"):
            continue
        name, colon, number = part.rpartition(":")
        topic = name if colon else topic
        if not topic:
            raise InputError(f"ASSIGNMENT: found {shown(text)}, expected topic:0,1;other:2")
        tps.append((topic, partition_number(number, "ASSIGNMENT")))
    return tuple(sorted(tps))


def _tasks(text: str) -> dict[str, TPs]:
    """The tasks of each kind; raises `InputError`."""
    kinds: dict[str, TPs] = {}
    kind = ""
    if _TASKS.sub("", text).strip() not in ("", "-"):
        raise InputError(f"ASSIGNMENTS: found {shown(text)}, expected ACTIVE: 0:[0,1]; STANDBY: 0:[2];")
    for match in _TASKS.finditer(text):
        if match[1]:
            kind = match[1]
            kinds.setdefault(kind, ())
        else:
            numbers = [part for part in re.split("[, ]+", match[3]) if part]
            kinds[kind] = kinds.get(kind, ()) + tuple(
                (match[2], partition_number(number, "ASSIGNMENTS")) for number in numbers
            )
    return kinds


def merged(groups: Iterable[OtherGroup]) -> dict[str, OtherGroup]:
    """The groups of several files, by name."""
    known: dict[str, OtherGroup] = {}
    for each in groups:
        known[each.name] = known[each.name] + each if each.name in known else each
    return known
