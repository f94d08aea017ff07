"""Files and JSON out: names made from others' names, and contents that are written completely or not at all.

JSON out: text that every reader accepts, whatever the names in it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, Final

from kassay.model.errors import InputError

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_COMPACT: Final = (",", ":")


def json_text(
    document: Any,
    *,
    indent: int | None = None,
    compact: bool = False,
    sort_keys: bool = False,
    ascii_only: bool = False,
) -> str:
    """The document as JSON that UTF-8 can hold, in one line unless it is indented.

    A lone surrogate, which UTF-8 cannot encode, is written as its escape; a reader gets it back. Raises
    ValueError for NaN and infinities, which JSON does not have.

    >>> json_text({"topic": "\\ud800", "ü": 1})
    '{"topic": "\\\\ud800", "ü": 1}'
    """
    text = json.dumps(
        document,
        indent=indent,
        separators=_COMPACT if compact else None,
        sort_keys=sort_keys,
        ensure_ascii=ascii_only,
        allow_nan=False,
    )
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def plain_bytes(document: Any) -> bytes:
    """A document of JSON's own types, its floats finite, as compact JSON in UTF-8.

    If msgspec was loaded to read a large document it also writes: several times as fast, and floats without
    exponents. Lone surrogates and numbers that are too long are then left to Python.
    """
    if "msgspec" in sys.modules:
        import msgspec

        with suppress(ValueError):
            return msgspec.json.encode(document)
    return json_text(document, compact=True).encode()


NAME_BYTES_MAX: Final = 120
"""The longest file name in bytes: a file system takes 255, less the room for prefixes and suffixes."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_WORD: Final = r"[A-Za-z0-9-](?:[A-Za-z0-9.-]*[A-Za-z0-9-])?"
_TOLD_APART: Final = re.compile(f"{_WORD}(?::{_WORD})*")
"""Names in which `_` for `:` is unambiguous, since they have no `_`: all references, `my.py:Rule`."""
_IN_PLACE: Final = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)
"""Errors of a folder that takes no new file while the old one is writable."""
OUT: Final = ".kassay"
"""The folder for what a run leaves, unless another is given."""
_NUMBERS: Final = count()


def file_name(*names: str, suffix: str) -> str:
    """A file name for these names: joined with dashes, and `_` for a colon.

    If that is unsafe, too long or ambiguous, what is left of them and a digest.

    >>> file_name("my.py:Rule", "complete", suffix=".json"), file_name("a/b.py", "complete", suffix=".json")
    ('my.py_Rule-complete.json', 'a_b.py-complete-c28f43e3.json')
    """
    plain = "-".join(_UNSAFE.sub("_", name).strip("_.") or "target" for name in names)
    if all(map(_TOLD_APART.fullmatch, names)) and len(plain) <= NAME_BYTES_MAX:
        return plain + suffix
    digest = blake2b(repr(names).encode(), digest_size=4).hexdigest()
    return f"{plain[: NAME_BYTES_MAX - 9]}-{digest}{suffix}"


def write_text(text: str, path: str, *, durable: bool = False) -> None:
    """Write the text to the file as `write_bytes` does."""
    try:
        data = text.encode()
    except ValueError as error:
        raise InputError(f"{path}: cannot be written ({error})") from None
    write_bytes([data], path, durable=durable)


def make_folder(folder: Path) -> None:
    """Make the folder and those above it; git leaves out a new one named `.kassay`."""
    try:
        folder.mkdir()
    except FileExistsError:
        folder.mkdir(exist_ok=True)  # raises for a file
        return
    except FileNotFoundError:
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
    if folder.name == OUT:
        (folder / ".gitignore").write_bytes(b"*\n")


def write_bytes(data: Sequence[bytes], path: str, *, durable: bool = False) -> None:
    """Write the data, part by part, to the file, and create missing folders.

    The file ends up with all of it or keeps its old content: a temporary file next to it replaces it; with
    `durable`, only once that is on the disk. Raises InputError if that fails.
    """
    try:
        place = Path(os.path.realpath(path))
        make_folder(place.parent)
        if place.exists() and not place.is_file():
            place.write_bytes(b"".join(data))  # a pipe, a terminal, /dev/null: no content to keep
            return
        try:
            _replace(place, data, durable)
        except OSError as error:
            if error.errno not in _IN_PLACE or not place.is_file():
                raise
            place.write_bytes(b"".join(data))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{path}: cannot be written ({error})") from None


def _replace(place: Path, data: Iterable[bytes], durable: bool) -> None:
    temporary = place.with_name(f".kassay-{os.getpid()}-{next(_NUMBERS)}.new")
    try:
        with temporary.open("wb") as file:
            file.writelines(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, temporary)
        temporary.replace(place)
    finally:
        with suppress(OSError):
            temporary.unlink()
