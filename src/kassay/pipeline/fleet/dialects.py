"""Snapshots of consumer groups as people have them: what `kafka-consumer-groups` prints, and JSON lines.

The printed views differ by version. Offsets view: a row a partition. Members view: a row a member
with `ASSIGNMENT` as `topic(0), topic(1)`, or, in the Java port of 2024, `(0), (1)` with the topics
lost, or since 4.0 `CURRENT-ASSIGNMENT` as `topic:0,1;other:2`. None carries the time, which comes from a
line `# at=...` or from the path, or what a member subscribes to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

OFFSETS: Final = "offsets"
MEMBERS: Final = "members"
LOST: Final = "members-without-topics"
JSON_LINES: Final = "json"

_AT: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)[T_-]?(\d\d)[:-]?(\d\d)(?:[:-]?(\d\d))?Z?")
_NAMED: Final = re.compile(r"\((\d+(?:,\d+)*)\)")
_BLOCKS: Final = re.compile(r"([^\s(),]+)\((\d+(?:,\d+)*)\)")


class Seen(NamedTuple):
    """What one row of a snapshot says: a member (None: nobody) of a group at a time, and what it owns.

    `at` is in milliseconds since 1970, UTC. `topics` is the subscription where it is known. `view` is
    how it was told.
    """

    group: str
    at: int
    member: str | None
    owned: tuple[tuple[str, int], ...]
    topics: tuple[str, ...] | None
    instance_id: str | None
    client_id: str | None
    rack: str | None
    view: str
    file: str
    line: int


class Rejected(NamedTuple):
    """A line that could not be used, and why."""

    file: str
    line: int
    reason: str
    text: str


def parse(text: str, file: str) -> Iterator[Seen | Rejected]:
    """What the lines of a file say; a line that says nothing usable is rejected, never dropped."""
    at = time_of(file)
    header: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if line.lstrip().startswith("#"):
            if found := re.match(r"\s*#\s*at\s*=\s*(\S+)", line):
                at = time_of(found[1])
                if at is None:
                    yield Rejected(
                        file, number, "at: expected a time such as 2026-11-21T05:00:00Z", line[:200]
                    )
            continue
        if line.lstrip().startswith("{"):
            yield _json_line(line, file, number, at)
        elif "CONSUMER-ID" in words and "HOST" in words:
            header = tuple(words)
        elif line.startswith(("Warning:", "Consumer group '", "Error:")):
            # What the tool says of a group without members or of one that is rebalancing.
            yield Rejected(file, number, "a message of the tool, no row", line[:200])
        elif not header:
            yield Rejected(file, number, "a row before any header", line[:200])
        elif at is None:
            yield Rejected(file, number, "no time: expected one in the path or a line `# at=...`", line[:200])
        else:
            yield _row(words, header, line, file, number, at)


def time_of(text: str) -> int | None:
    """The last time in the text, in milliseconds since 1970; None if there is none.

    >>> time_of("groups-20261121T050000Z.txt")
    1795237200000
    """
    for found in reversed(list(_AT.finditer(text))):
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        try:
            moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            continue
        return int(moment.timestamp() * 1000)
    return None


def _row(
    words: list[str], header: tuple[str, ...], line: str, file: str, number: int, at: int
) -> Seen | Rejected:
    last = header[-1]
    if last == "ASSIGNMENT" and len(words) >= len(header):
        words = [*words[: len(header) - 1], " ".join(words[len(header) - 1 :])]
    if len(words) != len(header):
        return Rejected(file, number, f"expected {len(header)} columns, got {len(words)}", line[:200])
    cells = {name: None if word == "-" else word for name, word in zip(header, words)}
    group = cells.get("GROUP")
    if group is None:
        return Rejected(
            file, number, "no GROUP: expected the output of Kafka 2.0 or later (KIP-379)", line[:200]
        )
    view, owned = _owned(cells, header)
    if isinstance(owned, str):
        return Rejected(file, number, owned, line[:200])
    return Seen(
        group=group,
        at=at,
        member=cells.get("CONSUMER-ID"),
        owned=owned,
        topics=None,
        instance_id=cells.get("GROUP-INSTANCE-ID"),
        client_id=cells.get("CLIENT-ID"),
        rack=None,
        view=view,
        file=file,
        line=number,
    )


def _owned(
    cells: Mapping[str, str | None], header: tuple[str, ...]
) -> tuple[str, tuple[tuple[str, int], ...] | str]:
    """The view, and the partitions of a row or what is wrong with it."""
    if "PARTITION" in header:
        topic, partition = cells.get("TOPIC"), cells.get("PARTITION")
        if topic is None:
            return OFFSETS, ()
        if partition is None or not partition.isdigit():
            return OFFSETS, f"PARTITION: expected a number, got {partition!r}"
        return OFFSETS, ((topic, int(partition)),)
    if "CURRENT-ASSIGNMENT" in header:
        return MEMBERS, _with_colons(cells.get("CURRENT-ASSIGNMENT"))
    if "ASSIGNMENT" not in header:
        return MEMBERS, "no ASSIGNMENT: expected --members --verbose, or the offsets view"
    text = cells.get("ASSIGNMENT")
    if text is None:
        return MEMBERS, ()
    if _NAMED.match(text):
        return LOST, ()
    found = [(topic, int(p)) for topic, ps in _BLOCKS.findall(text) for p in ps.split(",")]
    if _BLOCKS.sub("", text).strip(" ,"):
        return MEMBERS, f"ASSIGNMENT: expected topic(0), topic(1), got {text[:60]!r}"
    return MEMBERS, tuple(found)


def _with_colons(text: str | None) -> tuple[tuple[str, int], ...] | str:
    """The partitions of `orders:0,2;refunds:1`."""
    found: list[tuple[str, int]] = []
    for part in (text or "").split(";"):
        if not part:
            continue
        topic, colon, numbers = part.rpartition(":")
        if not colon or not all(n.isdigit() for n in numbers.split(",")):
            return f"CURRENT-ASSIGNMENT: expected topic:0,1;other:2, got {str(text)[:60]!r}"
        found += [(topic, int(n)) for n in numbers.split(",")]
    return tuple(found)


def _json_line(line: str, file: str, number: int, at: int | None) -> Seen | Rejected:
    try:
        return _of_document(json.loads(line), file, number, at)
    except (ValueError, TypeError, KeyError) as error:
        return Rejected(file, number, f"not a member of a group in JSON: {error}", line[:200])


def _of_document(found: Any, file: str, number: int, at: int | None) -> Seen:
    """One JSON line: group, member (null for unowned partitions), owned, and what else is known."""
    if not isinstance(found, dict) or not isinstance(found.get("group"), str):
        raise ValueError("group: expected a text")
    if "at" in found:
        at = time_of(str(found["at"]))
    if at is None:
        raise ValueError("at: expected a time such as 2026-11-21T05:00:00Z")
    member = found.get("member")
    texts = {name: found.get(name) for name in ("member", "instance_id", "client_id", "rack")}
    for name, value in texts.items():
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name}: expected a text")
    topics = found.get("topics")
    if topics is not None and not (isinstance(topics, list) and all(isinstance(t, str) for t in topics)):
        raise ValueError("topics: expected a list of texts")
    owned = []
    for pair in found.get("owned", []):
        topic, partition = pair
        if not isinstance(topic, str) or not isinstance(partition, int) or partition < 0:
            raise ValueError(f"owned: expected [topic, partition], got {pair!r}")
        owned.append((topic, partition))
    return Seen(
        group=found["group"],
        at=at,
        member=member,
        owned=tuple(owned),
        topics=None if topics is None else tuple(topics),
        instance_id=texts["instance_id"],
        client_id=texts["client_id"],
        rack=texts["rack"],
        view=JSON_LINES,
        file=file,
        line=number,
    )
