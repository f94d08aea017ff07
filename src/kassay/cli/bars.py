"""Progress bars: on long work, and on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(told: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A function to call with how much is done; it shows something on a terminal."""
    from kassay.report.screen.terminal import console

    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda _: None
        return
    from rich.progress import Progress

    with Progress(console=screen, transient=True) as progress:
        task = progress.add_task(told, total=total)
        yield lambda done: progress.update(task, completed=done)
