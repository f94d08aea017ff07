"""Instances and certificates where users keep them: one JSON document a file, JSON lines, or a suite.

A file may be compressed with gzip; `-` is standard input. Every complaint names the file and the line.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError

_GZIP: Final = b"\x1f\x8b"


class Located(NamedTuple):
    """A document and where it stands, for instance `groups.jsonl:3`."""

    document: Any
    where: str


def located_in_suite(name: str) -> Iterator[Located]:
    """The instances of a suite, made one at a time; raises `InputError` for a suite that is not there."""
    # Imported here, for whoever checks certificates reads files and should load nothing of the solver.
    from kassay.solver.instances.suites import suite

    return (Located(document, document["name"]) for document in suite(name))


def documents(path: str) -> list[Located]:
    """The documents of a file, all of them read before anything is done with one.

    Raises `InputError` for a file that cannot be read, is no JSON, or is empty.
    """
    text = _text(path)
    name = "standard input" if path == "-" else path
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise InputError(f"{name}: empty, expected one JSON document or JSON lines")
    if len(lines) > 1 and _is_json(lines[0][1]):
        return [Located(_parse(line, name, number), f"{name}:{number}") for number, line in lines]
    # One line, or one document that somebody laid out over several.
    found = _parse(text, name)
    if isinstance(found, list) and found:
        return [Located(document, f"{name}[{index}]") for index, document in enumerate(found)]
    return [Located(found, name)]


@contextmanager
def at(where: str) -> Iterator[None]:
    """A block whose `InputError`s are told with the place; what an error carries stays with it."""
    try:
        yield
    except InputError as error:
        error.args = (f"{where}: {error}",)
        raise


def _text(path: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return (gzip.decompress(raw) if raw.startswith(_GZIP) else raw).decode()
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start})") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        what = "no such file" if isinstance(error, FileNotFoundError) else f"cannot be read ({reason})"
        raise InputError(f"{path}: {what}") from None


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parse(text: str, name: str, first_line: int = 1) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{first_line + error.lineno - 1}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}:{first_line}: not JSON ({error})") from None
