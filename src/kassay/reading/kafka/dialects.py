"""Outputs of other tools and of older releases, in the words of today's tools of Kafka, line by line.

*Groups*: `kafka-consumer-groups` of 0.9 (`GROUP, TOPIC, ..., OWNER` with commas), of 0.10.0 (OWNER in
columns), and `ConsumerOffsetChecker` (`Group Topic Pid Offset logSize Lag Owner`). An owner of the new
consumer is `CLIENT_/HOST`, so two members of one client id and host are one here; an owner of the old one is
a thread of a consumer in ZooKeeper. `rpk group describe`: a summary with one field a line, then a table.

*Topics*: `kcat -L` as text and as JSON, and `rpk topic describe -a`.

Source: `ConsumerGroupCommand`, tags 0.9.0.1 and 0.10.0.1; `ConsumerOffsetChecker`, tag 0.10.2.2; kcat's
`kcat.c` and `json.c`; rpk's `group/describe.go` and `topic/describe.go`, which prints replicas sorted and
none of those in sync, so that it says nothing of preferred leaders.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

_OFFSETS: Final = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID".replace(" ", "  ")
)
_WITH_COMMAS: Final = re.compile(r"\s*GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\s*")
_WITH_OWNER: Final = re.compile(
    r"\s*GROUP\s+TOPIC\s+PARTITION\s+CURRENT-OFFSET\s+LOG-END-OFFSET\s+LAG\s+OWNER\s*"
)
_CHECKER: Final = re.compile(r"\s*Group\s+Topic\s+Pid\s+Offset\s+logSize\s+Lag\s+Owner\s*")
_CLIENT: Final = re.compile(r"(?P<client>.+)_(?P<host>/\S+)")
_NOT_KNOWN: Final = ("unknown", "none", "-1")
_RPK_GROUP: Final = re.compile(r"GROUP\s+(\S+)\s*")
_RPK_FIELD: Final = re.compile(
    r"(COORDINATOR|COORDINATOR-NODE|COORDINATOR-PARTITION|STATE|BALANCER|MEMBERS|TOTAL-LAG|ERROR)(?:\s+(.*?))?\s*"
)
_RPK_ROWS: Final = re.compile(
    r"TOPIC\s+PARTITION\s+CURRENT-OFFSET\s+(?:LOG-START-OFFSET\s+)?LOG-END-OFFSET\s+LAG\b"
)
_RPK_CELLS: Final = (
    "TOPIC",
    "PARTITION",
    "CURRENT-OFFSET",
    "LOG-END-OFFSET",
    "LAG",
    "MEMBER-ID",
    "HOST",
    "CLIENT-ID",
)
_KCAT_HEAD: Final = re.compile(r"Metadata for .* \(from broker ", re.MULTILINE)
_KCAT_TOPIC: Final = re.compile(r'\s*topic "([^"]+)" with (\d+) partitions:.*')
_KCAT_PARTITION: Final = re.compile(
    r"\s*partition (\d+), leader (-?\d+), replicas: ([\d,]*), isrs: ([\d,]*)(?:, .*)?"
)
_RPK_NAME: Final = re.compile(r"NAME\s+(\S+)\s*")
_RPK_COUNT: Final = re.compile(r"(?:PARTITIONS|REPLICAS)\s+(\d+)\s*")
_RPK_PARTITIONS: Final = re.compile(r"PARTITION\s+LEADER\s+(?:EPOCH\s+)?(?:LEADER-EPOCH\s+)?REPLICAS\b.*")
_RPK_PARTITION: Final = re.compile(r"(\d+)\s+(-?\d+)\s+(?:(-?\d+)\s+)?\[([\d ]*)\].*")


RPK_TOPIC: Final = "rpk topic describe"


class Worded(NamedTuple):
    """A text in the words of today's tools, and the tool that printed it; empty for Kafka's own of today."""

    text: str
    tool: str = ""


def in_todays_words(text: str) -> Worded:
    """The text as today's tools would print it; unchanged if it is none of these outputs."""
    lines = text.split("\n")
    for tool, of_dialect in _DIALECTS.items():
        out = of_dialect(lines)
        if out is not None:
            return Worded("\n".join(out), tool)
    written = _kcat_json(text)
    return Worded(text) if written is None else Worded(written, "kcat -L -J")


def _old_groups(lines: Sequence[str]) -> list[str] | None:
    """Tables with an OWNER."""
    cells: Callable[[str], list[str]] | None = None
    out: list[str] = []
    changed = False
    for line in lines:
        if _WITH_COMMAS.fullmatch(line):
            cells, changed = _by_commas, True
            out.append(_OFFSETS)
        elif _WITH_OWNER.fullmatch(line) or _CHECKER.fullmatch(line):
            cells, changed = str.split, True
            out.append(_OFFSETS)
        elif cells is not None and len(row := cells(line)) == 7 and (row[2].isdigit() or row[2] == "-"):
            out.append("  ".join(_owned(row)))
        else:
            out.append(line)
    return out if changed else None


def _by_commas(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(", ")]


def _owned(row: Sequence[str]) -> list[str]:
    """The cells of a row under today's titles."""
    group, topic, partition, offset, end, lag, owner = row
    numbers = ["-" if each in _NOT_KNOWN else each for each in (offset, end, lag)]
    if owner in _NOT_KNOWN:
        return [group, topic, partition, *numbers, "-", "-", "-"]
    match = _CLIENT.fullmatch(owner)
    if match is None:
        return [group, topic, partition, *numbers, owner, "-", owner]
    return [group, topic, partition, *numbers, owner, match["host"], match["client"]]


def _rpk_group(lines: Sequence[str]) -> list[str] | None:
    """Summaries and tables of rpk; None where there is no summary."""
    marks = [at for at, line in enumerate(lines) if _is_rpk_summary(lines, at)]
    if not marks:
        return None
    out = [*lines[: marks[0]]]
    for start, end in zip(marks, [*marks[1:], len(lines)], strict=True):
        out += _of_rpk(lines[start:end])
    return out


def _is_rpk_summary(lines: Sequence[str], at: int) -> bool:
    after = lines[at + 1] if at + 1 < len(lines) else ""
    return _RPK_GROUP.fullmatch(lines[at]) is not None and after.startswith("COORDINATOR")


def _of_rpk(lines: Sequence[str]) -> Iterator[str]:
    """The state in place of the summary, and the rows with the group's name."""
    match = _RPK_GROUP.fullmatch(lines[0])
    group = "" if match is None else match[1]
    fields = {field[1]: field[2] or "" for line in lines[1:] if (field := _RPK_FIELD.fullmatch(line))}
    titles: list[str] = []
    starts: list[int] = []
    yield "GROUP  COORDINATOR (ID)  ASSIGNMENT-STRATEGY  STATE  #MEMBERS"
    for number, line in enumerate(lines[1:], start=1):
        if number == 1:
            node = fields.get("COORDINATOR-NODE", fields.get("COORDINATOR", "0"))
            state, rule = fields.get("STATE") or "Unknown", fields.get("BALANCER") or "-"
            yield f"{group}  -:0 ({node})  {rule}  {state}  {fields.get('MEMBERS') or '0'}"
        elif _RPK_FIELD.fullmatch(line):
            yield ""
        elif _RPK_ROWS.match(line):
            titles, starts = line.split(), [match.start() for match in re.finditer(r"\S+", line)]
            yield _OFFSETS
        elif titles and line.strip():
            ends = [*starts[1:], None]
            cells = {name: line[a:b].strip() for name, a, b in zip(titles, starts, ends, strict=True)}
            yield "  ".join([group, *(cells.get(name) or "-" for name in _RPK_CELLS)])
        else:
            yield line


def _kcat(lines: Sequence[str]) -> list[str] | None:
    """The topics of `kcat -L`; None where its head is missing."""
    if not _KCAT_HEAD.search("\n".join(lines)):
        return None
    out: list[str] = []
    topic = ""
    for at, line in enumerate(lines):
        if match := _KCAT_TOPIC.fullmatch(line):
            topic = match[1]
            after = _KCAT_PARTITION.fullmatch(lines[at + 1]) if at + 1 < len(lines) else None
            factor = len(after[3].split(",")) if after and after[3] else 1
            out.append(_head(topic, int(match[2]), factor))
        elif match := _KCAT_PARTITION.fullmatch(line):
            out.append(_partition(topic, match[1], match[2], match[3], match[4]))
        else:
            out.append("")
    return out


def _kcat_json(text: str) -> str | None:
    """The topics of `kcat -L -J`; None for any other text."""
    if '"originating_broker"' not in text[:4096]:
        return None
    try:
        document: Any = json.loads(text)
        out = []
        for topic in document["topics"]:
            rows = topic["partitions"]
            out.append(_head(topic["topic"], len(rows), len(rows[0]["replicas"]) if rows else 1))
            for row in rows:
                replicas, isr = (_ids(row[key]) for key in ("replicas", "isrs"))
                leader = row.get("leader", -1)
                out.append(_partition(topic["topic"], row["partition"], leader, replicas, isr))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return "\n".join(out) + "\n" if out else None


def _ids(brokers: Sequence[Any]) -> str:
    return ",".join(str(each["id"]) for each in brokers)


def _rpk_topic(lines: Sequence[str]) -> list[str] | None:
    """The topic of `rpk topic describe -a`; None where its summary or its partitions are missing."""
    name = ""
    counts: list[int] = []
    under_titles = False
    out: list[str] = []
    if not any(_RPK_NAME.fullmatch(line.rstrip()) for line in lines):
        return None
    for line in lines:
        stripped = line.rstrip()
        if match := _RPK_NAME.fullmatch(stripped):
            name, counts, under_titles = match[1], [], False
        if match := _RPK_COUNT.fullmatch(stripped):
            counts.append(int(match[1]))
        if _RPK_PARTITIONS.fullmatch(stripped) and name and len(counts) >= 2:
            under_titles = True
            out.append(_head(name, counts[0], counts[1]))
        elif under_titles and (match := _RPK_PARTITION.fullmatch(stripped)):
            replicas = ",".join(match[4].split())
            out.append(_partition(name, match[1], match[2], replicas, None))
        else:
            out.append("")
    return out if any(out) else None


def _head(topic: str, partitions: int, factor: int) -> str:
    return f"Topic: {topic}\tPartitionCount: {partitions}\tReplicationFactor: {factor}\tConfigs: "


def _partition(topic: str, number: object, leader: object, replicas: str, isr: str | None) -> str:
    """A partition's line; without `isr` it is not known which replicas are in sync."""
    led = "none" if str(leader) == "-1" else leader
    in_sync = "" if isr is None else f"\tIsr: {isr}"
    return f"\tTopic: {topic}\tPartition: {number}\tLeader: {led}\tReplicas: {replicas}{in_sync}"


_DIALECTS: Final[dict[str, Callable[[Sequence[str]], list[str] | None]]] = {
    "kafka-consumer-groups of 0.9 or 0.10": _old_groups,
    "rpk group describe": _rpk_group,
    "kcat -L": _kcat,
    RPK_TOPIC: _rpk_topic,
}
