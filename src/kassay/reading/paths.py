"""The kind of file at a path given by a user; a path that cannot be a file's name counts as missing."""

from __future__ import annotations

import os
from pathlib import Path

# `Path` raises for a name that is too long, and these do not; they accept NUL and lone surrogates too.


def is_file(path: str | Path) -> bool:
    """Whether a file exists there."""
    return os.path.isfile(path)  # noqa: PTH113  # as above


def is_folder(path: str | Path) -> bool:
    """Whether a folder exists there."""
    return os.path.isdir(path)  # noqa: PTH112  # as above


def is_there(path: str | Path) -> bool:
    """Whether anything exists there."""
    return os.path.exists(path)  # noqa: PTH110  # as above
