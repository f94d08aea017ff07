"""The only access to a terminal: lines and tables with every character visible, unwrapped text, progress.

Nothing else imports rich, which reads `[red]` in a text as markup and passes control characters on. Here a
text appears exactly as written, whatever its source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Final, Protocol, TypeAlias

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from kassay.writing.text import visible

View: TypeAlias = RenderableType
"""What a screen displays: a line, a table, or a stack of them."""
Part: TypeAlias = str | tuple[str, str]
"""A text, or a text with its style."""

WIDTH_WITHOUT_TERMINAL: Final = 110
_COLUMN_LEAST: Final = 8
"""A column is never narrower than this unless its cells are: a narrow terminal wraps the line instead."""
_WORDS: Final = re.compile(r"[^\s,]+")
_WORD_MOST: Final = 60
"""A column is at least as wide as its longest word, unless that is longer than this: no id is folded."""
_BETWEEN: Final = 2
"""The maximum number of screen columns between two columns of a table."""


def line(*parts: Part, style: str = "") -> Text:
    """One line of these texts, wrapped between words on a narrow screen; a line end shows as \\n."""
    text = Text(style=style)
    for part in parts:
        words, own = (part, "") if isinstance(part, str) else part
        text.append(words if words.isprintable() else visible(words), own)
    return text


def whole_line(*parts: Part, style: str = "") -> Text:
    """One line that is never wrapped, so that it can be copied: a command, a path."""
    text = line(*parts, style=style)
    text.no_wrap, text.overflow = True, "ignore"
    return text


def lines(text: str, style: str = "") -> Group:
    """A text of several lines, each as in `line`."""
    return stack(*(line(each, style=style) for each in text.split("\n")))


def stack(*views: View) -> Group:
    """The views below each other."""
    return Group(*views)


class _Console(Console):
    """A console that reports a closed output, where rich would end with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise  # rich calls this while it handles the BrokenPipeError


@dataclass(frozen=True)
class Drawing:
    """Lines that are drawn for the width of the screen and never wrapped."""

    draw: Callable[[int], Iterable[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines."""
        yield from map(whole_line, self.draw(options.max_width))


def _cell(value: object) -> Text:
    if isinstance(value, Text):
        return value
    return line(value) if isinstance(value, tuple) else line(str(value))


@dataclass(frozen=True)
class _Roomy:
    """A table with a minimum screen width: on a narrower screen rich would leave cells out."""

    table: Table
    width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, with the width that it needs."""
        yield from console.render(self.table, options.update_width(max(options.max_width, self.width)))


def plain_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    numbers: Sequence[str] = (),
    *,
    header: bool = True,
) -> View:
    """A table without lines; the columns in `numbers` are right-aligned.

    A cell is a `line`, a text with its style, or any value.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="dim", show_header=header)
    room = 0
    for place, name in enumerate(columns):
        title = line(name)
        shown = [row[place].plain for row in cells] + ([title.plain] if header else [])
        longest = max((cell_len(word) for text in shown for word in _WORDS.findall(text)), default=0)
        least = max(min(_COLUMN_LEAST, max(map(cell_len, shown), default=0)), min(_WORD_MOST, longest))
        room += least + _BETWEEN
        table.add_column(
            title, justify="right" if name in numbers else "left", overflow="fold", min_width=least
        )
    for row in cells:
        table.add_row(*row)
    return _Roomy(table, room)


def one_line_each(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> View:
    """A line a row: the last cell is cut at the edge of the screen, the others stand whole."""
    shown = [[visible(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in list(zip(*shown, strict=True))[:-1]]

    def draw(width: int) -> Iterator[str]:
        for row in shown:
            head = "".join(
                [cell + " " * (room + _BETWEEN - cell_len(cell)) for cell, room in zip(row, widths)]
            )
            rest = max(_COLUMN_LEAST, width - cell_len(head))
            last = row[-1]
            yield (head + (last if cell_len(last) <= rest else last[: rest - 1] + "…")).rstrip()

    return Drawing(draw)


class Screen:
    """A terminal, or a file that receives what a terminal would display; honours NO_COLOR."""

    def __init__(self, stderr: bool, file: IO[str] | None) -> None:
        self._console = _Console(
            stderr=stderr,
            file=file,
            force_terminal=None if file is None else False,
            no_color=None if file is None else True,
            highlight=False,
        )
        if file is not None or not (self.is_terminal or "COLUMNS" in os.environ):
            self._console.width = WIDTH_WITHOUT_TERMINAL

    @property
    def is_terminal(self) -> bool:
        """Whether the output is a terminal."""
        return self._console.is_terminal

    def show(self, view: View) -> None:
        """Display the view; a view that does not fit is not cut. In a file or a pipe no line ends in blanks.

        It is printed as part of a stack: rich joins a bare text with others and wraps unwrappable lines.
        """
        if self.is_terminal:
            self._console.print(stack(view), crop=False)
            return
        with self._console.capture() as captured:
            self._console.print(stack(view), crop=False)
        out = self._console.file
        out.write("".join(f"{each.rstrip(' ')}\n" for each in captured.get().split("\n")[:-1]))
        out.flush()  # a reader that has gone is noticed now

    def say(self, *parts: Part, style: str = "") -> None:
        """One line, never wrapped."""
        self.show(whole_line(*parts, style=style))


def console(*, stderr: bool = False, file: IO[str] | None = None) -> Screen:
    """The screen of standard output, of standard error, or in a file."""
    return Screen(stderr, file)


class Show(Protocol):
    """A function to call with the progress, and optionally with text."""

    def __call__(self, done: float, words: str = "", /) -> None:
        """Display the progress."""


@contextmanager
def bar(what: str, total: float | None = None) -> Iterator[Show]:
    """A function to call with the progress; it displays a bar on a terminal."""
    screen = _Console(stderr=True, highlight=False)
    if not screen.is_terminal:
        yield lambda _done, _words="": None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    task_words = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*task_words, TimeElapsedColumn(), console=screen, transient=True) as progress:
        task = progress.add_task(visible(what), total=total, words="")
        yield lambda done, words="": progress.update(task, completed=done, words=visible(words))
