"""A result described once, as blocks: a terminal and a page each render the same description."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from kassay.kinds.frames import Frame


class VerdictBlock(NamedTuple):
    """The verdict: its word and style (ok, bad, warn), what it is of, what was found, and a detail."""

    word: str
    look: str
    subject: str
    said: str
    detail: str = ""


class TextBlock(NamedTuple):
    """A line; `name` comes first. On a terminal, `whole` lines are never wrapped, and `depth` indents."""

    text: str
    look: str = "plain"
    name: str = ""
    depth: int = 0
    whole: bool = False


class HeadingBlock(NamedTuple):
    """The beginning of a part."""

    text: str


class StoryBlock(NamedTuple):
    """A case step by step."""

    frames: tuple[Frame, ...]


class CommandBlock(NamedTuple):
    """A command to run next, after its label."""

    label: str
    command: str


class RowsBlock(NamedTuple):
    """A table; `numeric` are the names of columns of numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[str, ...] = ()


class BreakBlock(NamedTuple):
    """An empty line on a terminal."""


Block: TypeAlias = (
    VerdictBlock | TextBlock | HeadingBlock | StoryBlock | CommandBlock | RowsBlock | BreakBlock
)


class Described(NamedTuple):
    """A described result: what it is, and its blocks in sections, each with at most one verdict."""

    kind: str
    sections: tuple[tuple[Block, ...], ...]
