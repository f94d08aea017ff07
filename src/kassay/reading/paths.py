"""What is at a path that somebody named: nothing, where it cannot be the name of a file at all."""

from __future__ import annotations

import os
from pathlib import Path

# `Path` raises for a name that is too long, and these do not; they take a null and half a surrogate pair too.


def is_file(path: str | Path) -> bool:
    """Whether a file is there."""
    return os.path.isfile(path)  # noqa: PTH113  # as above


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there."""
    return os.path.isdir(path)  # noqa: PTH112  # as above


def is_there(path: str | Path) -> bool:
    """Whether anything is there."""
    return os.path.exists(path)  # noqa: PTH110  # as above
