"""The output of `kafka-consumer-groups --describe` about groups: their offsets, their members, their state.

One text may hold several of these views, of several groups. Offsets: a row a partition, `-` for the
member where it has no owner and for the topic where a member owns nothing; with GROUP since 2.0
(KIP-379), with LEADER-EPOCH since 4.0 under `--verbose`. Members: a row a member; under `--verbose` what
it owns (see *Assignments*); GROUP-INSTANCE-ID if some member has one; epochs and targets since 4.0,
UPGRADED while classic and consumer members are mixed. State: a row a group, with epochs since 4.0 under
`--verbose`. Source: `ConsumerGroupCommand`, branches 2.8, 3.5, 3.9, 4.0 and 4.4.

*Assignments*, in three dialects. `orders(0,1), refunds(2)` until 3.7; `(0,1), (2)` in 3.8 and 3.9, where the
names of the topics are lost; `orders:0,1;refunds:2` since 4.0. Source: `ConsumerGroupCommand.printMembers`,
branches 2.8, 3.9 and 4.4.

*Overrides*: what no tool of Kafka prints of a group, as users write it down: comma-separated lines, titles
first. `consumer,rack` says where consumers run, `consumer,topics` what they subscribe to (blanks between
names), and `topic,partition,lag` what each partition weighs. A consumer is named by its member id, its
instance id, its client id or its host, as the tools print them; one name may stand for several members.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST
from kassay.reading.documents import at, difference, shown
from kassay.reading.kafka.lines import Columns, Place, ToolLine, content_line
from kassay.reading.wrapped import plain_row

_LOST: Final = re.compile(r"\(\d+(?:,\d+)*\)(?:, \(\d+(?:,\d+)*\))*", re.ASCII)
_BLOCKS: Final = re.compile(r"([^\s(),]+)\((\d+(?:,\d+)*)\)", re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,7}", re.ASCII)
NUMBER: Final = f"a number up to {MOST - 1}"

TPs = tuple[tuple[str, int], ...]
_Row = TypeVar("_Row", "OffsetRow", "MemberRow", "StateRow")


def partition_number(text: str, field: str) -> int:
    """A partition's number; raises `InputError`, which names the field."""
    if not _NUMBER.fullmatch(text) or int(text) >= MOST:
        raise InputError(f"{field}: {difference(text, NUMBER)}")
    return int(text)


def with_brackets(text: str, field: str) -> TPs | None:
    """The partitions of `orders(0), refunds(1,3)`; None where the names of the topics are omitted.

    Raises `InputError`, which names the field.
    """
    if _LOST.fullmatch(text):
        return None
    if _BLOCKS.sub("", text).strip(" ,"):
        raise InputError(f"{field}: {difference(text, 'topic(0), topic(1)')}")
    blocks = _BLOCKS.findall(text)
    return tuple((topic, partition_number(p, field)) for topic, ps in blocks for p in ps.split(","))


def with_colons(text: str, field: str) -> TPs:
    """The partitions of `orders:0,2;refunds:1`; raises `InputError`, which names the field."""
    partitions: list[tuple[str, int]] = []
    for part in filter(None, text.split(";")):
        topic, colon, numbers = part.rpartition(":")
        if not colon or not topic:
            raise InputError(f"{field}: {difference(text, 'topic:0,1;other:2')}")
        partitions += [(topic, partition_number(n, field)) for n in numbers.split(",")]
    return tuple(partitions)


TOOL: Final = "kafka-consumer-groups.sh --describe"
EXPECTED: Final = f"the output of {TOOL}"
_OFFSETS: Final = ("TOPIC", "PARTITION", "LAG", "CONSUMER-ID")
_MEMBERS: Final = ("CONSUMER-ID", "#PARTITIONS")
_STATE: Final = ("STATE", "#MEMBERS")
"""The required columns of each view."""
_FIRST: Final = ("GROUP", "TOPIC", "CONSUMER-ID", "COORDINATOR (ID)")
"""With these every line of titles begins; only such a line is cut into columns to see."""
_ABSENT: Final = ("-", "")
_REBALANCING: Final = re.compile(r"\s*Warning: Consumer group '(?P<group>.*)' is rebalancing\.\s*")
_EMPTY: Final = re.compile(r"\s*Consumer group '(?P<group>.*)' has no active members\.\s*")
_NOTE: Final = re.compile(r"\s*Note: This will ")
_ABSENT_GROUP: Final = re.compile(r"\s*Error: Consumer group '[^']*' does not exist\.\s*")
"""What `--all-groups` prints between tables of a group that its release cannot describe."""
_EPOCH: Final = re.compile(r"\d{1,10}", re.ASCII)
_LAG: Final = re.compile(r"-?\d{1,19}", re.ASCII)
_PLAIN: Final = tuple(
    ("GROUP", "TOPIC", "PARTITION", *epoch, "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG")
    + ("CONSUMER-ID", "HOST", "CLIENT-ID")
    for epoch in ((), ("LEADER-EPOCH",))
)
"""The titles of the offsets view since 2.0, and since 4.0 with `--verbose`."""


class OffsetRow(NamedTuple):
    """A row of the offsets view: a partition and its owner, or a member without partitions.

    `topic` and `partition` are None for a member that owns nothing, `member` is None for a partition without
    an owner, `lag` is None where the tool did not know it, and 0 where the committed offset `is_past_end` of
    the log. `group` is "" before 2.0. `behind`: LOG-END-OFFSET less CURRENT-OFFSET, None if one is unknown.
    """

    place: Place
    group: str
    topic: str | None
    partition: int
    lag: int | None
    member: str | None
    client_id: str | None
    host: str | None
    is_past_end: bool = False
    behind: int | None = None

    @property
    def records_behind(self) -> int | None:
        """The lag, by the two offsets where LAG is unknown; None if they are too."""
        if self.lag is not None:
            return self.lag
        return None if self.behind is None else max(0, self.behind)

    @property
    def is_lag_contradicted(self) -> bool:
        """Whether LAG is another number than the two offsets give."""
        return None not in (self.lag, self.behind) and self.lag != max(0, self.behind or 0)


class MemberRow(NamedTuple):
    """A row of the members view.

    `owned` is None where the output does not say what the member owns: without `--verbose`, or in the dialect
    that omits the topics (`lost`). `target` and the epochs are None where they are not printed. `is_consumer`
    says whether the member speaks the consumer protocol (KIP-848), None where that is unknown.
    """

    place: Place
    group: str
    member: str
    instance_id: str | None
    client_id: str | None
    host: str | None
    partitions: int | None
    owned: TPs | None
    lost: bool
    target: TPs | None
    epoch: int | None
    target_epoch: int | None
    is_consumer: bool | None


class StateRow(NamedTuple):
    """A row of the state view.

    `epoch` is the group's, `target_epoch` that of its target; only groups of the consumer protocol have them.
    """

    place: Place
    group: str
    strategy: str | None
    state: str
    epoch: int | None
    members: int
    target_epoch: int | None = None

    @property
    def late_target(self) -> str | None:
        """That the target is of another epoch than the group, None if it is not."""
        if None in (self.epoch, self.target_epoch) or self.epoch == self.target_epoch:
            return None
        return f"its target is of epoch {self.target_epoch}, the group at epoch {self.epoch}"


@dataclass(frozen=True)
class GroupOutputs:
    """All that a text says about groups; `rebalancing` and `empty` are those in the tool's warnings.

    `titles`: the titles of its tables.
    """

    offsets: tuple[OffsetRow, ...] = ()
    members: tuple[MemberRow, ...] = ()
    states: tuple[StateRow, ...] = ()
    rebalancing: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups in the text, by name."""
        return tuple(sorted(self.by_group))

    @cached_property
    def by_group(self) -> Mapping[str, GroupOutputs]:
        """The parts about each group, each with all titles."""
        names = self.rebalancing | self.empty
        offsets, members = _by_group(self.offsets), _by_group(self.members)
        states = _by_group(self.states)
        return {
            name: GroupOutputs(
                tuple(offsets.get(name, ())),
                tuple(members.get(name, ())),
                tuple(states.get(name, ())),
                self.rebalancing & {name},
                self.empty & {name},
                self.titles,
            )
            for name in names.union(offsets, members, states)
        }

    def __add__(self, other: GroupOutputs) -> GroupOutputs:
        return GroupOutputs(
            self.offsets + other.offsets,
            self.members + other.members,
            self.states + other.states,
            self.rebalancing | other.rebalancing,
            self.empty | other.empty,
            self.titles | other.titles,
        )


def is_groups(text: str) -> bool:
    """Whether the text looks like the tool's output: its titles, or a message in their place."""
    lines = text.removeprefix("\ufeff").split("\n")
    return any(_is_titles(line) or _REBALANCING.match(line) or _EMPTY.match(line) for line in lines)


def absent_groups(text: str) -> tuple[str, ...]:
    """What the tool says of groups that it cannot describe, next to others that it can."""
    return tuple(line.strip() for line in text.split("\n") if _ABSENT_GROUP.fullmatch(line))


def _is_titles(line: str) -> bool:
    if not line.lstrip().startswith(_FIRST):
        return False
    names = Columns(line).names
    if not names or names[0] not in _FIRST:
        return False
    has_rows = "CONSUMER-ID" in names and not {"HOST", "PARTITION", "#PARTITIONS"}.isdisjoint(names)
    return has_rows or ("STATE" in names and "#MEMBERS" in names)


def read_groups(text: str, file: str) -> GroupOutputs:
    """The groups in the text; raises `InputError` with file, line, field and what was expected."""
    rows: list[OffsetRow | MemberRow | StateRow] = []
    spoken: dict[re.Pattern[str], set[str]] = {_REBALANCING: set(), _EMPTY: set()}
    columns: Columns | None = None
    plain: re.Pattern[str] | None = None
    titles: set[str] = set()
    lines = text.removeprefix("\ufeff").split("\n")
    passed = _ABSENT_GROUP if any(map(_is_titles, lines)) else None
    known: dict[str, str] = {}
    for number, content in enumerate(lines, start=1):
        place = Place(file, number)
        if plain is not None and (match := plain.fullmatch(content)) is not None:
            row = _plain_offset(match, place, known)
            if row is not None:
                rows.append(row)
                continue
        line = content_line(content, place, TOOL, passed)
        if line is None:
            continue
        if _is_titles(line.text):
            columns = _view(line)
            plain = plain_row(columns.names) if columns.names in _PLAIN else None
            titles.update(columns.names)
        elif not _is_message(line, spoken):
            if columns is None:
                raise line.place.wrong("line", line.text.strip(), f"{EXPECTED}: titles such as GROUP TOPIC")
            cells = columns.row(line.text, line.place)
            with at(str(line.place)):
                rows.append(_row_of(columns)(cells, line.place))
    if columns is None and not any(spoken.values()):
        raise InputError(f"{file}: no table, expected {EXPECTED}")
    return GroupOutputs(
        tuple(row for row in rows if isinstance(row, OffsetRow)),
        tuple(row for row in rows if isinstance(row, MemberRow)),
        tuple(row for row in rows if isinstance(row, StateRow)),
        frozenset(spoken[_REBALANCING]),
        frozenset(spoken[_EMPTY]),
        frozenset(titles),
    )


def _view(line: ToolLine) -> Columns:
    """The columns of a view; raises `InputError` if a required one is missing."""
    columns = Columns(line.text)
    required = _STATE if "STATE" in columns else _OFFSETS if "PARTITION" in columns else _MEMBERS
    targeted = ("TARGET-ASSIGNMENT",) if "CURRENT-ASSIGNMENT" in columns else ()
    for name in (*required, *targeted):
        if name not in columns:
            raise line.place.wrong("titles", line.text.strip(), f"a column {name}")
    return columns


def _row_of(columns: Columns) -> Callable[[Mapping[str, str], Place], OffsetRow | MemberRow | StateRow]:
    """The reader of a row of the view that has these columns."""
    if "STATE" in columns:
        return _state
    return _offset if "PARTITION" in columns else _member


def _is_message(line: ToolLine, spoken: Mapping[re.Pattern[str], set[str]]) -> bool:
    """Whether the line is a message of the tool about a group, which is recorded."""
    for pattern, groups in spoken.items():
        if match := pattern.fullmatch(line.text):
            groups.add(match["group"])
            return True
    return _NOTE.match(line.text) is not None


def _plain_offset(match: re.Match[str], place: Place, known: dict[str, str]) -> OffsetRow | None:
    """The row of the offsets view in these cells; None where `_offset` must decide.

    `known` has the names of all rows above: equal names become one value.
    """
    group, topic, number, *_, committed, end, lag, member, host, client = match.groups()
    offsets = committed + end + lag
    if topic == "-" or not _NUMBER.fullmatch(number) or not offsets.isascii() or "unknown" in offsets:
        return None
    if int(number) >= MOST:
        return None
    behind = None if committed == "-" or end == "-" else int(end) - int(committed)
    once = known.setdefault
    return OffsetRow(
        place,
        once(group, group),
        once(topic, topic),
        int(number),
        None if lag == "-" else max(0, int(lag)),
        None if member == "-" else once(member, member),
        None if client == "-" else once(client, client),
        None if host == "-" else once(host, host),
        lag != "-" and int(lag) < 0,
        behind,
    )


def _offset(cells: Mapping[str, str], place: Place) -> OffsetRow:
    topic, partition = _known(cells["TOPIC"]), _known(cells["PARTITION"])
    member = _known(cells["CONSUMER-ID"])
    if (topic is None) is not (partition is None):
        raise InputError(f"PARTITION: found {shown(cells['PARTITION'])}, expected `-` with TOPIC alone")
    if topic is None and member is None:
        raise InputError("CONSUMER-ID: found '-', expected a member where TOPIC is '-'")
    number = -1 if partition is None else partition_number(partition, "PARTITION")
    lag, committed = _number(cells, "LAG", _LAG), _number(cells, "CURRENT-OFFSET", _LAG)
    end = _number(cells, "LOG-END-OFFSET", _LAG)
    behind = None if committed is None or end is None else end - committed
    return OffsetRow(
        place,
        cells.get("GROUP", ""),
        topic,
        number,
        None if lag is None else max(0, lag),
        member,
        _known(cells.get("CLIENT-ID")),
        _known(cells.get("HOST")),
        lag is not None and lag < 0,
        behind,
    )


def _member(cells: Mapping[str, str], place: Place) -> MemberRow:
    owned: TPs | None = None
    target: TPs | None = None
    lost = False
    if "CURRENT-ASSIGNMENT" in cells:
        owned = with_colons(_known(cells["CURRENT-ASSIGNMENT"]) or "", "CURRENT-ASSIGNMENT")
        target = with_colons(_known(cells["TARGET-ASSIGNMENT"]) or "", "TARGET-ASSIGNMENT")
    elif "ASSIGNMENT" in cells:
        owned = with_brackets(_known(cells["ASSIGNMENT"]) or "", "ASSIGNMENT")
        lost = owned is None
    partitions = _number(cells, "#PARTITIONS", _EPOCH)
    member = _known(cells["CONSUMER-ID"])
    if member is None:
        raise InputError("CONSUMER-ID: found '-', expected a member's id")
    epoch = _number(cells, "CURRENT-EPOCH", _EPOCH)
    return MemberRow(
        place,
        cells.get("GROUP", ""),
        member,
        _known(cells.get("GROUP-INSTANCE-ID")),
        _known(cells.get("CLIENT-ID")),
        _known(cells.get("HOST")),
        partitions,
        owned,
        lost,
        target,
        epoch,
        _number(cells, "TARGET-EPOCH", _EPOCH),
        _is_consumer(cells, epoch),
    )


def _is_consumer(cells: Mapping[str, str], epoch: int | None) -> bool | None:
    """Whether the member speaks the consumer protocol.

    UPGRADED says so; an epoch is printed only for groups of that protocol, and only they have members with
    one.
    """
    upgraded = cells.get("UPGRADED")
    if upgraded in ("true", "false"):
        return upgraded == "true"
    return epoch is not None if "CURRENT-EPOCH" in cells else None


def _state(cells: Mapping[str, str], place: Place) -> StateRow:
    members = _number(cells, "#MEMBERS", _EPOCH)
    if members is None:
        raise InputError(f"#MEMBERS: found {shown(cells['#MEMBERS'])}, expected how many members there are")
    strategy = _known(cells.get("ASSIGNMENT-STRATEGY"))
    epoch = _number(cells, "GROUP-EPOCH", _EPOCH)
    target_epoch = _number(cells, "TARGET-ASSIGNMENT-EPOCH", _EPOCH)
    return StateRow(place, cells.get("GROUP", ""), strategy, cells["STATE"], epoch, members, target_epoch)


def _known(text: str | None) -> str | None:
    """The cell, None where it means that there is no value."""
    return None if text is None or text in _ABSENT else text


def _number(cells: Mapping[str, str], name: str, pattern: re.Pattern[str]) -> int | None:
    """The number in a column, None without one; raises `InputError`, which names the column."""
    text = _known(cells.get(name))
    if text is None:
        return None
    if not pattern.fullmatch(text):
        raise InputError(f"{name}: found {shown(text)}, expected a whole number or `-`")
    return int(text)


def _by_group(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    """The rows of each group."""
    by_name: dict[str, list[_Row]] = {}
    for row in rows:
        by_name.setdefault(row.group, []).append(row)
    return by_name


def of_group(outputs: Iterable[GroupOutputs], group: str) -> GroupOutputs:
    """The parts of these outputs about one group."""
    one = GroupOutputs()
    for each in outputs:
        one += each.by_group.get(group) or GroupOutputs(titles=each.titles)
    return one


RACKS: Final = ("consumer", "rack")
SUBSCRIPTIONS: Final = ("consumer", "topics")
LAGS: Final = ("topic", "partition", "lag")
_OVERRIDE_TITLES: Final = (RACKS, SUBSCRIPTIONS, LAGS)
_OVERRIDE_LAG: Final = re.compile(r"\d{1,12}", re.ASCII)
LAG_MAX: Final = MOST**2


class Said(NamedTuple):
    """The content of a line about a consumer: its rack, or the topics that it subscribes to."""

    place: Place
    consumer: str
    values: tuple[str, ...]


def titles_of(text: str) -> tuple[str, ...] | None:
    """The titles of the text, if they are one of the three; else None."""
    first = next((line for line in text.removeprefix("\ufeff").splitlines() if line.strip()), "")
    names = tuple(part.strip().lower() for part in first.split(","))
    return names if names in _OVERRIDE_TITLES else None


def read_said(text: str, file: str, titles: tuple[str, ...]) -> tuple[Said, ...]:
    """The lines about consumers; raises `InputError` with file, line and what was expected."""
    said = []
    for place, (consumer, value) in _override_rows(text, file, titles):
        if not consumer:
            raise place.wrong("consumer", consumer, "a member id, an instance id, a client id or a host")
        values = (value,) if titles == RACKS else tuple(value.split())
        said.append(Said(place, consumer, tuple(each for each in values if each)))
    return tuple(said)


def read_lags(text: str, file: str) -> dict[TopicPartition, int]:
    """The lag of each partition; raises `InputError` with file, line, field and what was expected."""
    lags: dict[TopicPartition, int] = {}
    for place, (topic, partition, lag) in _override_rows(text, file, LAGS):
        if not _OVERRIDE_LAG.fullmatch(lag) or int(lag) > LAG_MAX:
            raise place.wrong("lag", lag, f"a whole number from 0 to {LAG_MAX}")
        with at(str(place)):
            tp = TopicPartition(topic, partition_number(partition, "partition"))
        if lags.setdefault(tp, int(lag)) != int(lag):
            raise place.wrong("lag", lag, f"one lag for {tp}, found {lags[tp]} above")
    return lags


def _override_rows(text: str, file: str, titles: tuple[str, ...]) -> Iterator[tuple[Place, list[str]]]:
    """The rows below the titles, with the same number of cells."""
    if titles_of(text) != titles:
        raise InputError(f"{file}:1: expected the titles {','.join(titles)}")
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    below = False
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            place = Place(file, reader.line_num)
            if not below:
                below = True
            elif len(cells) != len(titles):
                raise place.wrong("line", ",".join(row), ",".join(titles))
            else:
                yield place, cells
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}: not CSV ({error})") from None
