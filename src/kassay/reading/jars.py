"""Jars on a class path and their class files, read without Java and within bounds.

Java's class files: the class's name, its superclass and interfaces, and its constructors.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.documents import is_file, is_folder

MAGIC: Final = b"\xca\xfe\xba\xbe"
_EXPECTED: Final = "a class file of Java"
_UTF8, _LONG, _DOUBLE, _CLASS = 1, 5, 6, 7
_SIZES: Final = {
    3: 4,
    4: 4,
    _LONG: 8,
    _DOUBLE: 8,
    _CLASS: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
"""The size in bytes of a constant of each tag, except texts (JVM specification, 4.4)."""
_PUBLIC, _INTERFACE, _ABSTRACT = 0x0001, 0x0200, 0x0400
_FIRST_JAVA: Final = 44
"""The class files of Java N have the major version N + 44."""


class ClassFile(NamedTuple):
    """The content of a class file; names are Java's, `a.b.C$D`.

    `constructors` are the descriptors of the public ones: `()V` takes no arguments. `java` is the oldest Java
    that loads the file.
    """

    name: str
    superclass: str | None
    interfaces: tuple[str, ...]
    concrete: bool
    constructors: tuple[str, ...]
    java: int


def read_class(data: bytes, where: str) -> ClassFile:
    """The content of a class file (JVM specification, 4.1); raises `InputError` with the place `where`."""
    try:
        return _Reader(data).read()
    except (struct.error, IndexError, KeyError, UnicodeDecodeError):
        raise InputError(f"{where}: is cut off or no class file, expected {_EXPECTED}") from None


class _Reader:
    """Reads the bytes once; raises `IndexError`, `KeyError` and `struct.error` for invalid ones."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._constants: dict[int, int] = {}
        self._names: dict[int, str] = {}

    def read(self) -> ClassFile:
        """The class file."""
        if not self._data.startswith(MAGIC):
            raise KeyError(MAGIC)
        self._at = 6
        major = self._number()
        self._pool()
        access, this, parent = self._number(), self._number(), self._number()
        interfaces = tuple([self._class_name(self._number()) for _ in range(self._number())])
        self._members()
        methods = self._members()
        self._attributes()
        if self._at != len(self._data):
            raise IndexError(self._at)
        constructors = [
            self._text(text)
            for name, text, flags in methods
            if flags & _PUBLIC and self._text(name) == "<init>"
        ]
        return ClassFile(
            self._class_name(this),
            self._class_name(parent) if parent else None,
            interfaces,
            not access & (_INTERFACE | _ABSTRACT),
            tuple(constructors),
            max(1, major - _FIRST_JAVA),
        )

    def _number(self) -> int:
        at = self._at
        self._at = at + 2
        return (self._data[at] << 8) | self._data[at + 1]

    def _pool(self) -> None:
        """Where each constant begins."""
        data, at, constants = self._data, self._at + 2, self._constants
        count, number = self._number(), 1
        while number < count:
            constants[number] = at
            tag = data[at]
            if tag == _UTF8:
                at += 3 + ((data[at + 1] << 8) | data[at + 2])
            else:
                at += 1 + _SIZES[tag]
            number += 2 if tag in (_LONG, _DOUBLE) else 1
        self._at = at

    def _members(self) -> list[tuple[int, int, int]]:
        """The fields or methods that follow: the numbers of name and descriptor, and the flags."""
        members = []
        for _ in range(self._number()):
            flags, name, descriptor = self._number(), self._number(), self._number()
            self._attributes()
            members.append((name, descriptor, flags))
        return members

    def _attributes(self) -> None:
        """Skips them."""
        for _ in range(self._number()):
            (size,) = struct.unpack_from(">I", self._data, self._at + 2)
            self._at += 6 + size

    def _text(self, number: int) -> str:
        at = self._tagged(number, _UTF8)
        size = (self._data[at] << 8) | self._data[at + 1]
        text = self._data[at + 2 : at + 2 + size].decode("utf-8", "surrogatepass")
        # Java encodes a character beyond 16 bits as two surrogates.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _class_name(self, number: int) -> str:
        """The name of a class, stored once however often it occurs."""
        at = self._tagged(number, _CLASS)
        text = (self._data[at] << 8) | self._data[at + 1]
        if text not in self._names:
            self._names[text] = self._text(text).replace("/", ".")
        return self._names[text]

    def _tagged(self, number: int, tag: int) -> int:
        """The offset of the bytes of the constant of that number, which must have that tag."""
        at = self._constants[number]
        if self._data[at] != tag:
            raise KeyError(number)
        return at + 1


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
        except zipfile.BadZipFile:
            raise InputError(f"{path}: cannot be read as a jar (no zip archive, or a cut off one)") from None
        except (OSError, ValueError, NotImplementedError) as error:
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
