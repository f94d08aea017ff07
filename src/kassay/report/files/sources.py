"""The place of a target's source in its repository: the file, and the line of its class."""

from __future__ import annotations

import ast
import shlex
import warnings
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from kassay.reading.paths import is_file, is_there
from kassay.reading.specs import command_of, place_and_class
from kassay.writing.text import uri_of

_BYTES_MAX: Final = 1 << 20
_DEFINITIONS: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class SourcePlace(NamedTuple):
    """A place in a file: its URI, relative to the root of its repository; the line, from 1."""

    uri: str
    in_repository: bool
    line: int


def source_of(target: str) -> SourcePlace | None:
    """Where the target of that spec is defined; None for one without a file, such as a reference.

    A class or a function is found by its name; without a name it is the first class of the file. The source
    of a program is the first word of its command that is a file. Nothing is imported.
    """
    place, name = _file_and_class(target)
    if place is None:
        return None
    path, root = Path(place), repository()
    line = _line(path, name) if path.suffix == ".py" else 1
    try:
        return SourcePlace(uri_of(path.resolve().relative_to(root).as_posix()), in_repository=True, line=line)
    except (OSError, ValueError):
        return SourcePlace(uri_of(PurePath(place).as_posix()), in_repository=False, line=line)


def repository() -> Path:
    """The nearest git repository from this folder upwards; this folder if there is none."""
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if is_there(each / ".git")), here)


def _file_and_class(target: str) -> tuple[str | None, str]:
    command = command_of(target)
    if command is not None:
        return next((word for word in _words(command) if is_file(word)), None), ""
    place, name = place_and_class(target)
    if place.endswith(".py"):
        return place, name
    parts = place.split(".")
    if all(map(str.isidentifier, parts)) and len(parts) + bool(name) > 1:
        for folder in ("", "src"):
            path = Path(folder, *parts).with_suffix(".py")
            if is_file(path):
                return str(path), name
    return None, ""


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _line(path: Path, name: str) -> int:
    """The line on which the class or function begins; 1 if it is unknown."""
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read(_BYTES_MAX))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    definitions = [node for node in tree.body if isinstance(node, _DEFINITIONS)]
    if name:
        return next((node.lineno for node in definitions if node.name == name), 1)
    classes = [node for node in definitions if isinstance(node, ast.ClassDef)]
    return next((node.lineno for node in (*classes, *definitions)), 1)
