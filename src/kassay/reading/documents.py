"""Files and texts as JSON and TOML documents, whose values are not checked yet.

A file may be compressed with gzip; `-` is standard input. A repeated key in an object is an error, where
Python's own reader would keep the last.
"""

from __future__ import annotations

import gc
import gzip
import json
import sys
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, compress
from pathlib import Path
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading import bulk

DEPTH: Final = 100
"""The nesting limit for objects and lists: more than any document needs, less than recursion bears."""
_INNER: Final = frozenset({list, dict})
_GZIP: Final = b"\x1f\x8b"


class Located(NamedTuple):
    """A document and its place, for instance `groups.jsonl:3`."""

    document: Any
    where: str


def read_text(path: str | Path, expected: str = "") -> str:
    """The text of a file; raises `InputError`, which may say what was `expected` there."""
    also = f", expected {expected}" if expected else ""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return (gzip.decompress(raw) if raw.startswith(_GZIP) else raw).decode()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{also}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected {expected or 'a file'}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start}){also}") from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be read ({reason})") from None


def read_json(path: str | Path, expected: str = "") -> Any:
    """The document of a JSON file; raises `InputError`."""
    return parse_json(read_text(path, expected), str(path))


def read_toml(path: str | Path, expected: str = "") -> dict[str, Any]:
    """The document of a TOML file; raises `InputError`."""
    try:
        document = tomllib.loads(read_text(path, expected))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not TOML ({error})") from None
    _refuse_deep(document, str(path))
    return document


def parse_json(text: str, name: str, line: int | None = None) -> Any:
    """The document of a text from `name`, or from its `line` if it has several documents.

    Raises `InputError` for invalid JSON, and for a repeated key in an object.
    """
    read = _large(text)
    return _read_by_python(text, name, line) if read is None else read.document


def _large(text: str) -> bulk.Read | None:
    """The document of a large text; None where it is not large, or msgspec cannot decide."""
    if len(text) < bulk.ENOUGH:
        return None
    with no_collection():
        return bulk.read_large(text)


def _read_by_python(text: str, name: str, line: int | None = None) -> Any:
    """The document of a text; raises the error in it."""
    twice: list[tuple[dict[str, Any], str]] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            keys = [key for key, _ in pairs]
            twice.append((fields, next(key for key in keys if keys.count(key) > 1)))
        return fields

    first = line or 1
    try:
        with no_collection():
            document = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{first + error.lineno - 1}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}:{first}: not JSON ({error})") from None
    where = name if line is None else f"{name}:{line}"
    _refuse_deep(document, where)
    if twice:
        # An object is complete after those inside it, so no key around it dropped the last one.
        fields, key = twice[-1]
        place = next(path for path, value in _objects(document, "") if value is fields)
        raise InputError(f"{where}: {joined(place, key)}: found twice, expected once")
    return document


def documents(path: str) -> list[Located]:
    """The documents of a file; all of them are read before the first is used.

    Raises `InputError` for a file that is unreadable, invalid JSON, or empty.
    """
    text = read_text(path)
    name = "standard input" if path == "-" else path
    # No document has another document as its first line, so a large text is not split into lines.
    large = _large(text)
    if large is None:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        if not lines:
            raise InputError(f"{name}: empty, expected one JSON document or JSON lines")
        if len(lines) > 1 and _is_json(lines[0][1]):
            return [Located(parse_json(line, name, number), f"{name}:{number}") for number, line in lines]
    # One line, or one document formatted over several.
    document = _read_by_python(text, name) if large is None else large.document
    if isinstance(document, list) and document:
        return [Located(each, f"{name}[{index}]") for index, each in enumerate(document)]
    return [Located(document, name)]


@contextmanager
def no_collection() -> Iterator[None]:
    """A context without Python's search for garbage cycles.

    Documents, problems and proofs have up to millions of values without any cycle, and each search goes
    through all of them again: a third of the time at 100,000 partitions.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def at(where: str) -> Iterator[None]:
    """Adds the place to `InputError`s raised in the block; their other attributes stay."""
    try:
        yield
    except InputError as error:
        error.args = (f"{where}: {error}",)
        raise


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_deep(document: Any, where: str) -> None:
    """Raise for a document that is deeper than Python's recursion might bear."""
    level: list[Any] = [[document]]
    for _ in range(DEPTH + 2):
        parts = [value.values() if type(value) is dict else value for value in level]
        inner = [*chain.from_iterable(parts)]
        level = [*compress(inner, map(_INNER.__contains__, map(type, inner)))]
        if not level:
            return
    raise InputError(f"{where}: objects and lists more than {DEPTH} deep, expected fewer")


def joined(path: str, key: str | int) -> str:
    """The path of the value at `key` in the object or list at `path`: `members[3].topics`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _objects(value: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a document with its path."""
    if isinstance(value, dict):
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from _objects(item, joined(path, key))
