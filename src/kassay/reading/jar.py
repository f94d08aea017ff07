"""Jars as they are on a class path: their class files, read without Java and within bounds."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.classfile import ClassFile, read_class
from kassay.reading.paths import is_file, is_folder

_SUFFIX: Final = ".class"
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
SMALL: Final = 8 << 20
"""Class files of up to this total size in bytes are no bomb, however well they compress."""
RATIO: Final = 20
"""Class files compress to a third, seldom to a tenth: a jar that expands by this factor is a bomb."""


class Jar:
    """The classes of one jar; raises `InputError` for a file that is no jar."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        if not is_file(path):
            raise InputError(
                f"{path}: {'is a folder' if is_folder(path) else 'no such file'}, expected a jar"
            )
        try:
            size = Path(path).stat().st_size
            self._zip = zipfile.ZipFile(path)
        except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: cannot be read as a jar ({error})") from None
        self._entries = {
            entry.filename: entry for entry in self._zip.infolist() if entry.filename.endswith(_SUFFIX)
        }
        if odd := [name for name, entry in self._entries.items() if entry.compress_type not in _METHODS]:
            raise InputError(f"{path}: {odd[0]!r}: packed in a way that Java does not read, expected deflate")
        unpacked = sum(entry.file_size for entry in self._entries.values())
        if unpacked > max(SMALL, RATIO * size):
            raise InputError(
                f"{path}: {size} bytes unpack to {unpacked}, expected at most {RATIO} times as many"
            )

    @property
    def names(self) -> list[str]:
        """The names of all classes, from their paths."""
        return [entry.removesuffix(_SUFFIX).replace("/", ".") for entry in self._entries]

    def classes(self) -> list[ClassFile]:
        """All classes that a class loader finds there, in the order of the jar; raises `InputError`.

        A class file whose path differs from its name (for another version of Java, or of an archive inside)
        is skipped.
        """
        read = [(name, self._read(name)) for name in self._entries if not name.startswith("META-INF/")]
        return [one for name, one in read if one.name.replace(".", "/") + _SUFFIX == name]

    def find(self, name: str) -> ClassFile | None:
        """The class of that name, or None; raises `InputError`."""
        entry = name.replace(".", "/") + _SUFFIX
        return self._read(entry) if entry in self._entries else None

    def _read(self, name: str) -> ClassFile:
        where = f"{self.path}: {name!r}"
        try:
            data = self._zip.read(self._entries[name])
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise InputError(f"{where}: cannot be unpacked ({error})") from None
        return read_class(data, where)


class ClassPath:
    """Several jars, of which the first one that has a class provides it; raises `InputError`."""

    def __init__(self, paths: Iterable[str | Path]) -> None:
        self.jars = tuple(map(Jar, paths))
        self._known: dict[str, ClassFile | None] = {}

    def find(self, name: str) -> ClassFile | None:
        """The class of that name, or None."""
        if name not in self._known:
            self._known[name] = next(filter(None, (jar.find(name) for jar in self.jars)), None)
        return self._known[name]
