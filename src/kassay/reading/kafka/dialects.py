"""Outputs of other tools and of older releases, in the words of today's tools of Kafka, line by line.

*Groups*: `kafka-consumer-groups` of 0.9 (`GROUP, TOPIC, ..., OWNER` with commas), of 0.10.0 (OWNER in
columns), and `ConsumerOffsetChecker` (`Group Topic Pid Offset logSize Lag Owner`). An owner of the new
consumer is `CLIENT_/HOST`, so two members of one client id and host are one here; an owner of the old one is
a thread of a consumer in ZooKeeper. `rpk group describe`: a summary with one field a line, then a table.

`kcl group describe` prints the same without the empty line, and members below it.

*Topics*: `kcat -L` as text and as JSON, `rpk topic describe -a`, `kcl topic describe`, `kcl metadata -d`, and
`kafka_cluster_state?verbose=true` of Cruise Control. JSON of other tools: `json_dialects`.

Source: `ConsumerGroupCommand`, tags 0.9.0.1 and 0.10.0.1; `ConsumerOffsetChecker`, tag 0.10.2.2; kcat's
`kcat.c` and `json.c`; rpk's `group/describe.go` and `topic/describe.go`, which prints replicas sorted and
none of those in sync, so that it says nothing of preferred leaders; kcl's files of the same names and
`metadata.go`; `ClusterPartitionState` of Cruise Control.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from kassay.reading.kafka.json_dialects import (
    OFFSET_TITLES,
    STATE_TITLES,
    head_line,
    json_in_todays_words,
    partition_line,
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
_BELOW_ROWS: Final = re.compile(r"MEMBER-ID\s+CLIENT-ID\s+HOST\b|TOPIC\s+LAG\s*$")
_KCL_NAME: Final = re.compile(r"TOPIC\s+(\S+)")
_KCL_PARTITIONS: Final = re.compile(r"PARTITION\s+LEADER\s+EPOCH\s+REPLICAS\s+ISR\s+OFFLINE-REPLICAS\b.*")
_KCL_PARTITION: Final = re.compile(
    r"(?P<partition>\d+)\s+(?P<leader>-?\d+)\s+-?\d+\s+\[(?P<replicas>[\d ]*)\]\s+\[(?P<isr>[\d ]*)\]"
)
_KCL_TOPIC: Final = re.compile(r"(\S+)(?: \[[0-9a-f]{32}\])?(?: \(internal\))?, (\d+) partitions?")
_KCL_ROW: Final = re.compile(
    r"\s+(?P<partition>\d+)  leader (?P<leader>-?\d+)(?: epoch -?\d+)? replicas \[(?P<replicas>[\d ]*)\]"
    r" isr \[(?P<isr>[\d ]*)\]"
)
_CRUISE_ROW: Final = re.compile(
    r"\s*(?P<topic>\S+)\s+(?P<partition>\d+)\s+(?P<leader>-?\d+)\s+\[(?P<replicas>[\d, ]*)\]\s+"
    r"\[(?P<isr>[\d, ]*)\]\s+\[[\d, ]*\]\s+\[[\d, ]*\]\s+\d+"
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
    if written is not None:
        return Worded(written, "kcat -L -J")
    worded = json_in_todays_words(text)
    return Worded(text) if worded is None else Worded(*worded)


def _old_groups(lines: Sequence[str]) -> list[str] | None:
    """Tables with an OWNER."""
    cells: Callable[[str], list[str]] | None = None
    out: list[str] = []
    changed = False
    for line in lines:
        if _WITH_COMMAS.fullmatch(line):
            cells, changed = _by_commas, True
            out.append(OFFSET_TITLES)
        elif _WITH_OWNER.fullmatch(line) or _CHECKER.fullmatch(line):
            cells, changed = str.split, True
            out.append(OFFSET_TITLES)
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
    if not lines[at].startswith("GROUP") or not _RPK_GROUP.fullmatch(lines[at]):
        return False
    after = [*lines[at + 1 : at + 4], ""]
    return after[0].startswith("COORDINATOR") and not any(line.startswith("EPOCH") for line in after)


def _of_rpk(lines: Sequence[str]) -> Iterator[str]:
    """The state in place of the summary, and the rows with the group's name."""
    match = _RPK_GROUP.fullmatch(lines[0])
    group = "" if match is None else match[1]
    fields = {field[1]: field[2] or "" for line in lines[1:] if (field := _RPK_FIELD.fullmatch(line))}
    yield STATE_TITLES
    node = fields.get("COORDINATOR-NODE", fields.get("COORDINATOR", "0"))
    state, rule = fields.get("STATE") or "Unknown", fields.get("BALANCER") or "-"
    yield f"{group}  -:0 ({node})  {rule}  {state}  {fields.get('MEMBERS') or '0'}"
    yield from _rows_of_rpk(["" if _RPK_FIELD.fullmatch(line) else line for line in lines[2:]], group)


def _rows_of_rpk(lines: Sequence[str], group: str) -> Iterator[str]:
    """The rows of the table with the group's name; of kcl, without the members below them."""
    titles: list[str] = []
    starts: list[int] = []
    names: tuple[str, ...] = _RPK_CELLS
    for line in lines:
        if _RPK_ROWS.match(line):
            titles, starts = line.split(), [match.start() for match in re.finditer(r"\S+", line)]
            yield OFFSET_TITLES if group else OFFSET_TITLES.removeprefix("GROUP  ")
        elif _BELOW_ROWS.match(line):
            titles = []
            yield ""
            names = ()
        elif titles and line.strip():
            ends = [*starts[1:], None]
            cells = {name: line[a:b].strip() for name, a, b in zip(titles, starts, ends, strict=True)}
            yield "  ".join([*([group] if group else []), *(cells.get(name) or "-" for name in names)])
        else:
            yield line if names else ""


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
            out.append(head_line(topic, int(match[2]), factor))
        elif match := _KCAT_PARTITION.fullmatch(line):
            out.append(partition_line(topic, match[1], match[2], match[3], match[4]))
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
            out.append(head_line(topic["topic"], len(rows), len(rows[0]["replicas"]) if rows else 1))
            for row in rows:
                replicas, isr = (_ids(row[key]) for key in ("replicas", "isrs"))
                leader = row.get("leader", -1)
                out.append(partition_line(topic["topic"], row["partition"], leader, replicas, isr))
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
            out.append(head_line(name, counts[0], counts[1]))
        elif under_titles and (match := _RPK_PARTITION.fullmatch(stripped)):
            replicas = ",".join(match[4].split())
            out.append(partition_line(name, match[1], match[2], replicas, None))
        else:
            out.append("")
    return out if any(out) else None


def _kcl_topic(lines: Sequence[str]) -> list[str] | None:
    """The topics of `kcl topic describe`; None where a summary or the partitions are missing."""
    if not any(line.startswith("TOPIC ") for line in lines):
        return None
    name, count = "", 0
    under_titles = False
    out: list[str] = []
    for at, line in enumerate(lines):
        stripped = line.rstrip()
        if match := _KCL_NAME.fullmatch(stripped):
            name, under_titles = match[1], False
        elif (match := _RPK_COUNT.fullmatch(stripped)) and stripped.startswith("PARTITIONS"):
            count = int(match[1])
        if name and _KCL_PARTITIONS.fullmatch(stripped):
            under_titles = True
            first = _KCL_PARTITION.match(lines[at + 1]) if at + 1 < len(lines) else None
            out.append(head_line(name, count, len(first["replicas"].split()) if first else 1))
        elif under_titles and (match := _KCL_PARTITION.match(stripped)):
            out.append(_of_brackets(name, match))
        else:
            under_titles = under_titles and bool(stripped)
            out.append("")
    return out if any(out) else None


def _kcl_metadata(lines: Sequence[str]) -> list[str] | None:
    """The topics of `kcl metadata -d`; None for another text."""
    if not any("  leader " in line for line in lines):
        return None
    out: list[str] = []
    name = ""
    for at, line in enumerate(lines):
        if match := _KCL_TOPIC.fullmatch(line.rstrip()):
            name = match[1]
            first = _KCL_ROW.match(lines[at + 1]) if at + 1 < len(lines) else None
            out.append(head_line(name, int(match[2]), len(first["replicas"].split()) if first else 1))
        elif name and (match := _KCL_ROW.match(line)):
            out.append(_of_brackets(name, match))
        else:
            out.append("")
    return out if any("\tPartition: " in line for line in out) else None


def _of_brackets(topic: str, match: re.Match[str]) -> str:
    """A partition's line of one with `[1 2 3]` or `[1, 2, 3]`."""
    replicas, isr = (",".join(match[key].replace(",", " ").split()) for key in ("replicas", "isr"))
    return partition_line(topic, match["partition"], match["leader"], replicas, isr)


def _cruise_control(lines: Sequence[str]) -> list[str] | None:
    """The topics of a verbose state of the cluster; None for another text."""
    if not any(line.startswith("All Partitions in the Cluster (verbose):") for line in lines):
        return None
    rows: dict[tuple[str, int], re.Match[str]] = {}
    for line in lines:
        if match := _CRUISE_ROW.match(line):
            rows[match["topic"], int(match["partition"])] = match
    out: list[str] = []
    for topic in sorted({name for name, _ in rows}):
        of_topic = [rows[key] for key in sorted(rows) if key[0] == topic]
        out.append(head_line(topic, len(of_topic), len(of_topic[0]["replicas"].split(","))))
        out += (_of_brackets(topic, match) for match in of_topic)
    return out or None


def _commits(lines: Sequence[str]) -> list[str] | None:
    """The table of rpk or kcl alone, with the partitions of a group that has no name there."""
    marks = [at for at, line in enumerate(lines) if _RPK_ROWS.match(line) and "MEMBER-ID" in line]
    if not marks:
        return None
    return [line for at in marks[:1] for line in ("", *_rows_of_rpk(lines[at:], ""))]


_DIALECTS: Final[dict[str, Callable[[Sequence[str]], list[str] | None]]] = {
    "kafka-consumer-groups of 0.9 or 0.10": _old_groups,
    "rpk group describe": _rpk_group,
    "kcat -L": _kcat,
    RPK_TOPIC: _rpk_topic,
    "kcl topic describe": _kcl_topic,
    "kcl metadata": _kcl_metadata,
    "Cruise Control's state of the cluster": _cruise_control,
    "rpk group describe -c": _commits,
}
