"""A copy of a target's file with another modification time, between links to the files next to it."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

NEIGHBOURS_MAX: Final = 500
"""A file with more neighbours than this is not copied."""


class FileCopies:
    """Copies of files, which `close` removes; `used`: there is one."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.used = False

    def of(self, file: Path, modified: float) -> Path | None:
        """The file's copy, modified at that time (seconds since 1970); None if it cannot stand alone.

        A file of a package is not copied: what it imports depends on its place.
        """
        try:
            neighbours = list(file.parent.iterdir())
            if len(neighbours) > NEIGHBOURS_MAX or (file.parent / "__init__.py").exists():
                return None
            folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="kassay-")))
            for neighbour in neighbours:
                if neighbour.name != file.name:
                    (folder / neighbour.name).symlink_to(neighbour)
            copy = folder / file.name
            shutil.copyfile(file, copy)
            os.utime(copy, (modified, modified))
        except OSError:
            return None
        self.used = True
        return copy

    def close(self) -> None:
        """Remove the copies."""
        self._stack.close()
