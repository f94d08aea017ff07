"""Traces of protocol models as swim lanes: rows of data, text for a terminal, and Mermaid.

One lane per actor; an action is an arrow to the actor that it concerns, with the answer as an arrow back, or
a mark on the actor's own lane. Its words are on the right; if lanes and words do not fit, every action is a
line that names its actors.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from kassay.model.explore.values import Action
from kassay.writing.text import visible

LANE_WIDTH: Final = 13
_WORDS_LEAST: Final = 24
"""Columns for the words of an action, next to the lanes."""
_SERVERS: Final = ("coordinator", "zookeeper", "metadata")
_STARTS: Final = ("start", "restart")
"""The explorer spends no budget on these, and they are no faults to a reader."""


class LaneRow(NamedTuple):
    """One line of a diagram. `kind`: "call", "reply", "own" (an actor by itself) or "fault"."""

    number: int
    kind: str
    source: str
    target: str
    text: str


def lanes(actions: Sequence[Action]) -> tuple[str, ...]:
    """The actors of a trace: clients by number first, then their servers."""
    names = {name for action in actions for name in (action.actor, action.to) if name}
    return (*sorted(names - set(_SERVERS)), *(name for name in _SERVERS if name in names))


def rows(actions: Sequence[Action]) -> tuple[LaneRow, ...]:
    """A trace as rows, calls before their replies."""
    lines: list[LaneRow] = []
    for number, action in enumerate(actions, 1):
        text = f"{action.name}: {action.detail}" if action.detail else action.name
        away = action.to and action.to != action.actor
        faulty = action.fault and action.name not in _STARTS
        kind = "call" if away else "fault" if faulty else "own"
        lines.append(LaneRow(number, kind, action.actor, action.to if away else action.actor, text))
        if action.reply and away:
            lines.append(LaneRow(number, "reply", action.to, action.actor, action.reply))
        elif action.reply:
            lines[-1] = lines[-1]._replace(text=f"{text} => {action.reply}")
    return tuple(lines)


def text_diagram(actions: Sequence[Action], *, width: int = 110) -> str:
    """The trace as lines of `width` characters, in ASCII so that every terminal aligns it.

    A word that is longer than its column makes its line longer.
    """
    names = lanes(actions)
    margin = len(str(len(actions))) + 2
    lane = max([LANE_WIDTH, *(len(name) + 1 for name in names)])
    room = margin + lane * len(names) + 2
    if room + _WORDS_LEAST > width:
        return _listed(actions, margin, width)
    at = {name: margin + lane // 2 + lane * i for i, name in enumerate(names)}
    lines = [(" " * margin + "".join(name.center(lane) for name in names)).rstrip()]
    last = 0
    for row in rows(actions):
        cells = _lifelines(room, at.values())
        _draw(cells, row, at[row.source], at[row.target])
        if row.number != last:
            cells[: margin - 2] = f"{row.number:>{margin - 2}}"
        last = row.number
        words = textwrap.wrap(
            visible(row.text), width - room, break_long_words=False, break_on_hyphens=False
        ) or [""]
        lines.append("".join(cells) + words[0])
        lines += ["".join(_lifelines(room, at.values())) + "  " + more for more in words[1:]]
    return "\n".join(line.rstrip() for line in lines)


def _listed(actions: Sequence[Action], margin: int, width: int) -> str:
    """The trace without lanes, one paragraph per row."""
    arrows = {"call": "->", "reply": "-->"}
    paragraphs = []
    last = 0
    for row in rows(actions):
        number = "" if row.number == last else str(row.number)
        last = row.number
        actors = f"{row.source} {arrows[row.kind]} {row.target}" if row.kind in arrows else row.source
        fault = " (fault)" if row.kind == "fault" else ""
        paragraphs += textwrap.wrap(
            visible(f"{actors}{fault}: {row.text}"),
            max(_WORDS_LEAST, width - margin),
            initial_indent=number.rjust(margin - 2) + "  ",
            subsequent_indent=" " * (margin + 2),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(paragraphs)


def _lifelines(room: int, columns: Iterable[int]) -> list[str]:
    cells = [" "] * room
    for column in columns:
        cells[column] = "|"
    return cells


def _draw(cells: list[str], row: LaneRow, start: int, end: int) -> None:
    """The arrow of a row, or the mark of an action of one actor alone: `o`, and `x` for a fault."""
    if start == end:
        cells[start] = "x" if row.kind == "fault" else "o"
        return
    low, high = sorted((start, end))
    for column in range(low + 1, high):
        if row.kind == "call" or (column - low) % 2:
            cells[column] = "-"
    cells[high - 1 if end > start else low + 1] = ">" if end > start else "<"


def mermaid(actions: Sequence[Action]) -> str:
    """The trace as a Mermaid sequence diagram."""
    lines = ["sequenceDiagram", *(f"    participant {name}" for name in lanes(actions))]
    for row in rows(actions):
        words = _plain(visible(row.text))
        if row.source == row.target:
            mark = "fault: " if row.kind == "fault" else ""
            lines.append(f"    Note over {row.source}: {mark}{words}")
        else:
            arrow = "-->>" if row.kind == "reply" else "->>"
            lines.append(f"    {row.source}{arrow}{row.target}: {words}")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """The text without Mermaid syntax."""
    return text.replace("#", "#35;").replace(";", ",").replace("<", "#lt;").replace(">", "#gt;")
