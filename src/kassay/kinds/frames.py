"""A case as values to show: frames of rows of tiles, and ranges of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Any, Final, NamedTuple

from kassay.kinds.broken import CouldBe, Guilt
from kassay.model.calls import Refusal, ReportedFailure

TILES_MAX: Final = 150
"""The number of tiles up to which a frame shows each; it shows more as ranges of numbers."""

FRAMES_MAX: Final = 40
"""The maximum number of frames drawn, among them the one that the board opens at."""


class TileLook(StrEnum):
    """What a tile shows besides its name; a sign and a word repeat the meaning of its colour."""

    PLAIN = "plain"
    KEPT = "kept"
    NEW = "new"
    GONE = "gone"
    STANDBY = "standby"
    WARM_UP = "warm-up"


SIGNS: Final = {
    TileLook.NEW: "+",
    TileLook.GONE: "−",
    TileLook.STANDBY: "◦",
    TileLook.WARM_UP: "○",
}


class Tile(NamedTuple):
    """Something that is assigned: `number` of `group`, such as partition 3 of a topic.

    `text` is the label, and identifies a tile from frame to frame. Tiles without a number never become part
    of a range.
    """

    text: str
    look: TileLook = TileLook.PLAIN
    guilty: bool = False
    group: str = ""
    number: int | None = None
    moves: bool = True

    @property
    def sign(self) -> str:
        """The sign of its look; a cross for a guilty one."""
        return "✕" if self.guilty else SIGNS.get(self.look, "")

    @property
    def spoken(self) -> str:
        """Its look in words, for readers who cannot see it."""
        return ", ".join([*(["named by the violation"] if self.guilty else []), *self._look()])

    def _look(self) -> list[str]:
        return [] if self.look in (TileLook.PLAIN, TileLook.KEPT) else [self.look.value]


class Cell(NamedTuple):
    """The content of one column of a row: tiles, or a text."""

    tiles: tuple[Tile, ...] = ()
    text: str = ""
    numeric: bool = False
    given: bool = False

    @property
    def empty(self) -> bool:
        """Whether the cell is empty."""
        return not self.tiles and not self.text

    @property
    def words(self) -> str:
        """Its tiles and then its text in brackets, in one line; empty for an empty cell."""
        return " ".join([*(tile.text for tile in self.tiles), *([self.note] if self.text else [])])

    @property
    def note(self) -> str:
        """Its text as it follows its tiles, if there are any."""
        return f"({self.text})" if self.tiles and self.text else self.text


class Row(NamedTuple):
    """One member, broker, process, worker or record, with its cell in each column."""

    name: str
    cells: tuple[Cell, ...]
    extras: str = ""
    guilty: bool = False

    @property
    def title(self) -> str:
        """Its name with its details: `m0 (rack r1)`."""
        return f"{self.name} ({self.extras})" if self.extras else self.name


class Grid(NamedTuple):
    """The rows of a frame; the first column holds the names."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def tiles(self) -> int:
        """The number of tiles."""
        return sum(len(cell.tiles) for row in self.rows for cell in row.cells)


class Alternative(NamedTuple):
    """An alternative answer: who gives it, in words, and as a table of the same rows."""

    title: str
    words: str
    measures: tuple[tuple[str, str, str], ...]
    table: Grid | None
    label: str = "optimum"


@dataclass(frozen=True)
class Frame:
    """One round, rebalance or step: what happened before, the assignment, and whether a claim is broken."""

    anchor: str
    label: str
    title: str
    table: Grid
    notes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    failure: str = ""
    broken: bool = False
    alternative: Alternative | None = None

    @property
    def noun(self) -> str:
        """The noun for one frame: a round, a rebalance."""
        return self.anchor.rpartition("-")[0] or self.anchor


@dataclass(frozen=True)
class Board:
    """A counterexample: its frames, and the number of the one to open at; links name it by `anchor`."""

    anchor: str
    frames: tuple[Frame, ...]
    opens: int
    left_out: int = 0

    @property
    def looks(self) -> tuple[tuple[str, str], ...]:
        """The signs that its tiles carry, with their words, for a legend."""
        tiles = [
            tile
            for frame in self.frames
            for table in (
                frame.table,
                *([frame.alternative.table] if frame.alternative and frame.alternative.table else []),
            )
            for row in table.rows
            for cell in row.cells
            for tile in cell.tiles
        ]
        signs = tuple((SIGNS[look], look.value) for look in SIGNS if any(t.look is look for t in tiles))
        guilty = any(tile.guilty for tile in tiles)
        return ((("✕", "named by the violation"),) if guilty else ()) + signs


def board(anchor: str, frames: Sequence[Frame]) -> Board:
    """The board that opens at the first broken frame, or else at the last; extra frames are left out."""
    opens = next((place for place, frame in enumerate(frames) if frame.broken), len(frames) - 1)
    first = max(0, min(opens - FRAMES_MAX // 2, len(frames) - FRAMES_MAX))
    kept = tuple(compacted(frame) for frame in frames[first : first + FRAMES_MAX])
    return Board(anchor, kept, opens - first, len(frames) - len(kept))


def compacted(frame: Frame) -> Frame:
    """The frame with ranges of numbers for single tiles, where there are many."""
    if frame.table.tiles <= TILES_MAX:
        return frame
    alternative = frame.alternative
    if alternative is not None and alternative.table is not None:
        alternative = alternative._replace(table=_compacted_table(alternative.table))
    return replace(frame, table=_compacted_table(frame.table), alternative=alternative)


def _compacted_table(table: Grid) -> Grid:
    rows = (
        row._replace(cells=tuple(cell._replace(tiles=tuple(_ranges(cell.tiles))) for cell in row.cells))
        for row in table.rows
    )
    return table._replace(rows=tuple(rows))


def _ranges(tiles: Iterable[Tile]) -> Iterator[Tile]:
    """One tile for all numbers of a group with the same look; guilty or unnumbered tiles stay single."""

    def look_key(tile: Tile) -> tuple[str, str, bool, str]:
        alone = tile.guilty or tile.number is None
        return tile.group, tile.look.value, alone, tile.text if alone else ""

    for (group, _, alone, _), several in groupby(sorted(tiles, key=look_key), key=look_key):
        members = list(several)
        if alone or len(members) == 1:
            yield from members
        else:
            numbers = sorted({tile.number for tile in members if tile.number is not None})
            yield members[0]._replace(text=f"{group} {number_ranges(numbers)}".strip(), moves=False)


def number_ranges(numbers: Sequence[int]) -> str:
    """The numbers, in ascending order, as ranges.

    >>> number_ranges([0, 1, 2, 5, 7, 8])
    '0–2, 5, 7–8'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def alternative_of(could_be: CouldBe, table: Grid | None = None) -> Alternative:
    """The alternative answer: in words, with the goals that differ, and as a table."""
    instead = could_be.instead_of
    measures = tuple(
        (name, _words(instead.get(name)), _words(value))
        for name, value in could_be.measures.items()
        if instead.get(name) != value
    )
    if could_be.certified:
        return Alternative("Compared with the certified optimum", could_be.words, measures, table)
    words = f"{could_be.words} ({could_be.by})"
    return Alternative("A possible answer", words, measures, table, "possible")


def outcome_words(failure: ReportedFailure | None, refused: Refusal | None = None) -> str:
    """Why there is no answer; empty where there is one."""
    if refused is not None:
        return f"refused: {refused.java_class}: {refused.message}"
    return "" if failure is None else f"{failure.kind}: {failure.message}"


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return "–" if value is None else str(value)


class Reported(NamedTuple):
    """The report of a case: its steps and the case as documents, and what the evidence marks."""

    steps: tuple[Mapping[str, Any], ...]
    case: Mapping[str, Any]
    marks: Guilt

    def happened(self, sentence: Callable[[Mapping[str, Any]], str]) -> list[tuple[str, ...]]:
        """The events of each change of the case, in words; none for a case without changes."""
        changes = self.case.get("changes", ())
        return [
            tuple(map(sentence, change.get("events", ()) if isinstance(change, Mapping) else change))
            for change in changes
        ]


def plain_frames(reported: Reported, sentence: Callable[[Mapping[str, Any]], str]) -> list[Frame]:
    """A frame for each step whose answer is an object: a row for each name in it, with its assignment.

    The title holds the rest of the step.
    """
    happened = reported.happened(sentence)
    frames = []
    for number, step in enumerate(reported.steps):
        last = number == len(reported.steps) - 1
        guilty = reported.marks.guilty((number, None), last)
        possible = reported.marks.alternative((number, None))
        answer = step.get("answer")
        given = answer if isinstance(answer, Mapping) else {"answer": answer}
        rows = tuple(_plain_row(str(name), value, guilty) for name, value in given.items())
        frames.append(
            Frame(
                f"step-{number + 1}",
                f"step {number + 1}",
                f"step {number + 1}: {_plain_title(step)}",
                Grid(("name", "is assigned"), rows),
                events=happened[number - 1] if 0 < number <= len(happened) else (),
                failure=step["failure"]["message"] if "failure" in step else "",
                broken=reported.marks.broken((number, None), last),
                alternative=None if possible is None else alternative_of(possible),
            )
        )
    return frames


def _plain_title(step: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {_plain(value)}" for name, value in step.items() if name not in NO_TITLE
    )


NO_TITLE: Final = frozenset({"answer", "failure", "refused"})


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value)) or "none"
    return str(value)


def _plain_row(name: str, value: Any, guilty: frozenset[str]) -> Row:
    items = value if isinstance(value, list | tuple) else [value]
    tiles = tuple(Tile(_plain(each), guilty=_plain(each) in guilty) for each in items)
    return Row(name, (Cell(tiles, given=True),), guilty=name in guilty)
