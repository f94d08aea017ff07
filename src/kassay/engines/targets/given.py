"""Targets given as values: a spec, a path, or a class that is already loaded."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from kassay.model.errors import InputError

TargetLike: TypeAlias = str | Path | type
"""A target spec, the path of a file, or a class at the top level of a module."""


@contextmanager
def given(target: TargetLike) -> Iterator[str]:
    """The spec of the target; the target of a class can be loaded inside the block only.

    Raises `InputError` for a class that is not at the top level of a module in a file.
    """
    if not isinstance(target, type):
        yield str(target)
        return
    with _importable(target):
        yield _spec_of(target)


def _spec_of(cls: type) -> str:
    """The target spec of a class: its file and its name."""
    if "." in cls.__qualname__:
        raise InputError(f"{cls.__qualname__}: expected a class at the top level of a module")
    return f"{_file_of(cls)}:{cls.__name__}"


def _file_of(cls: type) -> str:
    try:
        return inspect.getfile(cls)
    except (OSError, TypeError):
        raise InputError(f"{cls.__qualname__}: expected a class of a file, found one typed in") from None


@contextmanager
def _importable(cls: type) -> Iterator[None]:
    """Add the folder above the class's packages to the path, where child processes look as well.

    pytest imports test modules without that.
    """
    folder = str(Path(_file_of(cls)).resolve().parents[cls.__module__.count(".")])
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.reverse()
        sys.path.remove(folder)
        sys.path.reverse()
