"""Progress bars: on long work, and on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Show(Protocol):
    """What is to be called with how much is done, and perhaps with words on it."""

    def __call__(self, done: float, words: str = "", /) -> None:
        """Show it."""


@contextmanager
def bar(what: str, total: float | None = None) -> Iterator[Show]:
    """A function to call with how much is done; it shows something on a terminal."""
    from kassay.report.screen.terminal import console

    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda _done, _words="": None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[words]}")
    with Progress(*columns, TimeElapsedColumn(), console=screen, transient=True) as progress:
        task = progress.add_task(what, total=total, words="")
        yield lambda done, words="": progress.update(task, completed=done, words=words)
