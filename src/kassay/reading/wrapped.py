"""Lines that a terminal or a mail program has wrapped, joined again.

A terminal wraps at its width, in the middle of a word if need be, and blanks at the end of a line are lost on
the way to a ticket; so a piece is filled up to the width before the next one is joined to it. What decides is
whether the tables, topics or JSON are whole afterwards. The whole line takes the place of its first piece,
and the others become empty, so that lines keep their numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

NAMES: Final = frozenset({
    "(", "GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST",
    "CLIENT-ID", "LEADER-EPOCH", "OWNER", "#PARTITIONS", "ASSIGNMENT", "GROUP-INSTANCE-ID", "CURRENT-EPOCH",
    "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT", "UPGRADED", "STATE", "#MEMBERS",
    "ASSIGNMENT-STRATEGY", "COORDINATOR", "GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH", "START-OFFSET",
    "MEMBER-EPOCH", "OFFSET-LAG", "TOPOLOGY-EPOCH", "MEMBER", "MEMBER-PROTOCOL", "PROCESS", "ASSIGNMENTS",
    "ASSIGNOR", "TYPE", "PROTOCOL", "ASSIGNMENT-EPOCH",
})  # fmt: skip
"""The titles of the tables that Kafka's tools print about groups."""
_FIRST: Final = ("GROUP", "TOPIC", "CONSUMER-ID", "COORDINATOR")
"""With these a line of titles begins; GROUP was missing before 2.0."""
_BEGINS: Final = tuple(f"{name} " for name in _FIRST)
_LEAST: Final = 40
"""No terminal is narrower."""
_SLACK: Final = 8
_TITLE_PIECE: Final = re.compile(r"\s*[A-Z#()-]+(?:\s+[A-Z#()-]+)*\s*")
_TOPIC: Final = re.compile(r"\s*Topic:")
_KEYS: Final = (
    "PartitionCount|ReplicationFactor|Configs|Partition|Leader|Replicas|Isr|Offline|Elr|LastKnownElr"
    "|Observers"
)
_FUSED: Final = re.compile(rf"[^\s](?<!LastKnown)(?=(?:{_KEYS}):)|^\s*Topic: .*\b(?:{_KEYS}):\S")
"""A key of the topics tool after or before a word without a blank between."""
_OPENING: Final = re.compile(r"^[ \t]*\{", re.MULTILINE)


def names_of(line: str) -> list[str]:
    """The titles in a line, COORDINATOR (ID) as one."""
    return line.replace("COORDINATOR (ID)", "COORDINATOR").split()


def is_titles(line: str) -> bool:
    """Whether the line has the titles of a table about groups."""
    if not line.lstrip().startswith(_FIRST):
        return False
    names = names_of(line)
    return len(set(names)) == len(names) >= 3 and names[0] in _FIRST and NAMES.issuperset(names)


class TitledTable:
    """The titles of a table, and the group of its first row, by which its rows are recognised."""

    def __init__(self, titles: str) -> None:
        self.names = names_of(titles)
        self.has_group = self.names[0] == "GROUP"
        self._group: str | None = None
        self._plain = None if "COORDINATOR" in self.names else plain_row(tuple(self.names))

    def is_row(self, line: str) -> bool:
        """Whether the line is a row, or what is left of one."""
        word = line.split(None, 1)[0]
        if self.fits(line):
            self._group = self._group or word
            return True
        if not self.has_group or self._group is None:
            return " " in line.strip() and not _SENTENCE.search(line)
        is_piece = len(line.split()) == 1 and not _PLAIN.fullmatch(word)
        return is_piece or word.startswith(self._group) or self._group.startswith(word)

    def fits(self, line: str, *, blanks: bool = True) -> bool:
        """Whether the line is a whole row: a word for each title, and of the kind that the title says.

        `blanks`: whether cells may be blank that are so only at times, next to GROUP-INSTANCE-ID, and whether
        a client id may have blanks.
        """
        if self._plain is not None and self._plain.fullmatch(line):
            return True
        words = line.split()
        if "COORDINATOR" in self.names:
            words = _COORDINATOR.sub(r"\1\2", line).split()
        blank = [name for name in (_MAY_BE_BLANK if blanks else _MAY_BE_BLANK[:1]) if name in self.names]
        for left_out in ([], *([name] for name in blank), blank if len(blank) > 1 else []):
            names = [name for name in self.names if name not in left_out]
            spaced = _SPACED if blanks else _SPACED[1:]
            if names[-1] in spaced and len(words) > len(names):
                cells = [*words[: len(names) - 1], " ".join(words[len(names) - 1 :])]
            else:
                cells = words
            if len(cells) == len(names) and all(map(_is_cell, names, cells)):
                return True
        return False


_COORDINATOR: Final = re.compile(r"(\S)\s+(\(-?\d+\))")
_MAY_BE_BLANK: Final = ("GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "CLIENT-ID", "ASSIGNMENTS")
_SPACED: Final = ("CLIENT-ID", "ASSIGNMENT", "ASSIGNMENTS")
_PLAIN: Final = re.compile(r"[A-Za-z']+[.,:!?]*")
"""A word on its own below a table; what is none may be the end of a row."""
_SENTENCE: Final = re.compile(r"[a-z,;] [a-z]+ [a-z]+\b")
_NUMBER: Final = re.compile(r"-|-?\d{1,19}|unknown")
_BLOCK: Final = r"[^\s(),]*\(\d+(?:,\d+)*\)"
_CELLS: Final = {
    **dict.fromkeys(
        (
            "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "LEADER-EPOCH", "#PARTITIONS", "#MEMBERS",
            "CURRENT-EPOCH", "TARGET-EPOCH", "GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH", "MEMBER-EPOCH",
            "START-OFFSET", "OFFSET-LAG", "TOPOLOGY-EPOCH",
        ),
        _NUMBER,
    ),
    "HOST": re.compile(r"-|\S*[/.:]\S*|[\w-]+"),
    "STATE": re.compile(r"[A-Za-z]+"),
    "UPGRADED": re.compile(r"true|false|-"),
    "ASSIGNMENT": re.compile(rf"-|{_BLOCK}(?:,\s*{_BLOCK})*|\S+:\d+(?:[,;:]\S+)*"),
    "ASSIGNMENTS": re.compile(r"-|(?:[A-Z]+(?:-[A-Z]+)*: \S+(?: \S+:\[\S*)*\s*)+"),
}  # fmt: skip
"""What the cells of a column look like, where they have a form."""
_PLAIN_CELLS: Final = {name: pattern.pattern for name, pattern in _CELLS.items()} | {
    "ASSIGNMENT": "-",
    "ASSIGNMENTS": "-",
}
"""The same, of cells without blanks."""


def _is_cell(name: str, cell: str) -> bool:
    pattern = _CELLS.get(name)
    return pattern is None or pattern.fullmatch(cell) is not None


@cache
def plain_row(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern of rows in which no cell is blank or has blanks, with the cells as its groups.

    One match takes a fraction of the time of looking at each cell, and nearly every row is of this form.
    """
    cells = [_PLAIN_CELLS.get(name, r"\S+") for name in names]
    return re.compile(r"\s*" + r"\s+".join(f"({cell})" for cell in cells) + r"\s*")


def unwrapped(lines: list[str]) -> tuple[list[str], int]:
    """The lines with wrapped ones joined, and the number of lines that were joined to others."""
    for of_kind in (_tables, _topics, _json):
        out = of_kind(lines)
        if out is not None:
            return out, sum(
                1 for before, after in zip(lines, out, strict=True) if before.strip() and not after
            )
    return lines, 0


def _tables(lines: Sequence[str]) -> list[str] | None:
    """The lines with the titles and rows of tables made whole; None where none is wrapped."""
    out = list(lines)
    for start, pieces, ends in _regions(lines):
        best: list[str] = []
        for end in ends:
            longest = max(len(line) for line in lines[start:end])
            for width in dict.fromkeys((longest, *range(longest + 1, longest + _SLACK), 80)):
                joined = _joined(lines[start:end], pieces, width)
                if len(joined) > len(best):
                    best = joined
        if _written(best) < _written(lines[start : start + len(best)]):
            out[start : start + len(best)] = best
    return None if out == list(lines) else out


def _written(lines: Sequence[str]) -> int:
    return sum(1 for line in lines if line.strip())


def _regions(lines: Sequence[str]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Where tables begin that are wrapped, in how many pieces their titles are, and where they may end.

    A table ends at an empty line; or later, if that was a piece of nothing but the blanks that end a row.
    """
    end = 0
    for at, line in enumerate(lines):
        if at < end or not line.lstrip().startswith(_BEGINS) or not _TITLE_PIECE.fullmatch(line):
            continue
        pieces = 1
        while at + pieces < len(lines) and _TITLE_PIECE.fullmatch(after := lines[at + pieces]):
            if after.lstrip().startswith(_BEGINS[:1]) or names_of(after)[0] in names_of(line):
                break
            pieces += 1
        end = max(_end(lines, at + 1), at + pieces)
        ends = (end, max(_end(lines, at + pieces, gaps=True), end))
        if pieces > 1:
            yield at, pieces, ends
        elif is_titles(line):
            table = TitledTable(line)
            if not all(table.fits(row) for row in lines[at + 1 : ends[-1]] if row.strip()):
                yield at, 1, ends


def _end(lines: Sequence[str], at: int, *, gaps: bool = False) -> int:
    """Where the table ends whose rows begin here; `gaps`: whether single empty lines may be in it."""
    while at < len(lines) and not lines[at].lstrip().startswith(_BEGINS[:2]):
        if not lines[at] and not (gaps and at + 1 < len(lines) and lines[at + 1]):
            break
        at += 1
    return at


def _joined(lines: Sequence[str], pieces: int, width: int) -> list[str]:
    """The longest beginning of the table with each of its rows in one line; empty if it has none."""
    titles = "".join(line.ljust(width) for line in lines[:pieces]).rstrip()
    if width < max(map(len, lines)) or width < _LEAST or not is_titles(titles):
        return []
    # A piece may be nothing but the blanks that end a row.
    places = [at for at in range(pieces, len(lines)) if lines[at].strip()]
    if not places:
        return [titles, *[""] * (len(lines) - 1)]
    rows = [lines[at] for at in places]
    ends = {number for number, at in enumerate(places) if not lines[at - 1].strip()}
    group = rows[0].split()[0] if titles.startswith("GROUP") else None
    table = TitledTable(titles)
    # Without the group's name at the beginning of each row, a client id with blanks would take up any row.
    ways = [_taken(rows, ends, table, width, group, blanks=blanks) for blanks in (False, group is not None)]
    taken = max(ways, key=sum)
    out, at = [titles, *[""] * (len(lines) - 1)], 0
    for number in taken:
        out[places[at]] = "".join(line.ljust(width) for line in rows[at : at + number]).rstrip()
        at += number
    return out[: places[at] if at < len(places) else len(lines)] if taken else []


def _taken(
    rows: Sequence[str], ends: set[int], table: TitledTable, width: int, group: str | None, *, blanks: bool
) -> list[int]:
    """The number of pieces of each row, of as many rows as there are; none goes over one of the `ends`."""
    best: list[int] = []
    chosen: list[int] = []
    dead: set[int] = set()

    def pieces_at(at: int) -> Iterator[int]:
        for number in range(1, min(_PIECES_MAX, len(rows) - at) + 1):
            after = rows[at + number] if at + number < len(rows) else None
            begins = after is None or group is None or after.split()[0] == group
            last = at + number - 1
            if number > 1 and (last in ends or (group is not None and rows[last].split()[0] == group)):
                return
            whole = "".join(line.ljust(width) for line in rows[at : at + number])
            if begins and table.fits(whole, blanks=blanks):
                yield number

    at, choices = 0, [pieces_at(0)]
    while choices:
        number = next(choices[-1], None) if at not in dead else None
        if number is None:
            dead.add(at)
            choices.pop()
            at -= chosen.pop() if chosen else 0
            continue
        chosen.append(number)
        at += number
        if sum(chosen) > sum(best):
            best = list(chosen)
        if at == len(rows):
            return chosen
        choices.append(pieces_at(at))
    return best


_PIECES_MAX: Final = 40


def _topics(lines: Sequence[str]) -> list[str] | None:
    """The lines with each topic and partition in one line; None where none is wrapped."""
    starts = [at for at, line in enumerate(lines) if _TOPIC.match(line)]
    if not starts:
        return None
    longest = max(len(line.expandtabs()) for line in lines if line.strip())
    for width in (longest, longest + 1):
        out, fused, any_joined = list(lines), False, False
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            taken = 1
            while start + taken < end and lines[start + taken].strip():
                if len(lines[start + taken - 1].expandtabs()) < max(_LEAST, longest - _SLACK):
                    break
                taken += 1
            if taken > 1:
                whole = "".join(
                    line.expandtabs().ljust(width) for line in lines[start : start + taken]
                ).rstrip()
                out[start : start + taken] = [whole, *[""] * (taken - 1)]
                fused |= _FUSED.search(whole) is not None
                any_joined = True
        if not any_joined:
            return None
        if not fused:
            return out
    return out


def _json(lines: Sequence[str]) -> list[str] | None:
    """The lines with objects of JSON that are cut at a width in one line each; None where none is cut."""
    longest = max(map(len, lines), default=0)
    if longest < _LEAST or not any(line.lstrip().startswith("{") and len(line) == longest for line in lines):
        return None
    if _is_whole("\n".join(lines)):
        return None
    out: list[str] = []
    into: int | None = None
    for line in lines:
        if into is not None and line.strip():
            out[into] += line
            out.append("")
        else:
            into = len(out) if line.lstrip().startswith("{") else None
            out.append(line)
        if len(line) < longest:
            into = None
    return None if out == list(lines) else out


def _is_whole(text: str) -> bool:
    """Whether each object of the text is JSON as it stands."""
    decoder, at = json.JSONDecoder(), 0
    try:
        while (match := _OPENING.search(text, at)) is not None:
            _, at = decoder.raw_decode(text, match.end() - 1)
    except (ValueError, RecursionError):
        return False
    return True
