"""Files: names made from others' names, and contents that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError

NAME_BYTES_MAX: Final = 120
"""The longest file name in bytes: a file system takes 255, less the room for prefixes and suffixes."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_WORD: Final = r"[A-Za-z0-9-](?:[A-Za-z0-9.-]*[A-Za-z0-9-])?"
_TOLD_APART: Final = re.compile(f"{_WORD}(?::{_WORD})*")
"""Names in which `_` for `:` is unambiguous, since they have no `_`: all references, `my.py:Rule`."""
_IN_PLACE: Final = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)
"""Errors of a folder that takes no new file while the old one is writable."""
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


def write_bytes(data: Sequence[bytes], path: str, *, durable: bool = False) -> None:
    """Write the data, part by part, to the file, and create missing folders.

    The file ends up with all of it or keeps its old content: a temporary file next to it replaces it; with
    `durable`, only once that is on the disk. Raises InputError if that fails.
    """
    try:
        place = Path(os.path.realpath(path))
        place.parent.mkdir(parents=True, exist_ok=True)
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
