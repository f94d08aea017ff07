"""Class files and jars built by hand from the JVM specification, without a compiler."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

PUBLIC, SUPER, INTERFACE, ABSTRACT = 0x0001, 0x0020, 0x0200, 0x0400
OTHER_CONSTANTS = (
    b"\x03\x00\x00\x00\x07",
    b"\x04\x00\x00\x00\x00",
    b"\x05" + bytes(8),
    b"\x06" + bytes(8),
    b"\x08\x00\x01",
    b"\x0c\x00\x01\x00\x01",
    b"\x0f\x01\x00\x01",
    b"\x12\x00\x00\x00\x01",
)
"""Constants that no reader uses; those of 8 bytes take two numbers."""


class Pool:
    """A growing constant pool."""

    def __init__(self, others: Sequence[bytes] = ()) -> None:
        self._constants: list[bytes] = []
        self._next = 1
        self._numbers: dict[bytes, int] = {}
        for other in others:
            self.add(other)

    def add(self, constant: bytes) -> int:
        """The number of the constant, which is stored once."""
        if constant not in self._numbers:
            self._numbers[constant] = self._next
            self._constants.append(constant)
            self._next += 2 if constant[0] in (5, 6) else 1
        return self._numbers[constant]

    def text(self, text: str) -> int:
        """The number of the text, in Java's encoding."""
        units = text.encode("utf-16-be", "surrogatepass")
        characters = [chr(unit) for (unit,) in struct.iter_unpack(">H", units)]
        raw = "".join(characters).encode("utf-8", "surrogatepass")
        return self.add(b"\x01" + struct.pack(">H", len(raw)) + raw)

    def name(self, name: str) -> int:
        """The number of the class of this name."""
        return self.add(b"\x07" + struct.pack(">H", self.text(name.replace(".", "/"))))

    def written(self) -> bytes:
        """The pool as bytes of the file."""
        return struct.pack(">H", self._next) + b"".join(self._constants)


def class_file(
    name: str,
    *,
    superclass: str | None = "java.lang.Object",
    interfaces: Sequence[str] = (),
    repeated: int = 1,
    access: int = PUBLIC | SUPER,
    constructors: Mapping[str, int] | None = None,
    fields: Sequence[str] = (),
    java: int = 11,
    others: Sequence[bytes] = (),
) -> bytes:
    """The bytes of a class; its interfaces may be repeated.

    Constructors are descriptors with their flags, by default a public one without parameters.
    """
    pool = Pool(others)
    named = [pool.name(each) for each in interfaces] * repeated
    head = [access, pool.name(name), pool.name(superclass) if superclass else 0, len(named), *named]
    attribute = struct.pack(">HI", pool.text("Deprecated"), 3) + b"xyz"

    def member(flags: int, called: str, descriptor: str) -> bytes:
        return struct.pack(">4H", flags, pool.text(called), pool.text(descriptor), 1) + attribute

    of_fields = [member(2, each, "I") for each in fields]
    methods = [member(PUBLIC, "assign", "()V")]
    methods += [
        member(flags, "<init>", descriptor)
        for descriptor, flags in ({"()V": PUBLIC} if constructors is None else constructors).items()
    ]
    body = struct.pack(f">{len(head)}H", *head)
    for members in (of_fields, methods):
        body += struct.pack(">H", len(members)) + b"".join(members)
    return b"\xca\xfe\xba\xbe" + struct.pack(">HH", 0, java + 44) + pool.written() + body + b"\x00\x00"


def jar(path: Path, *classes: bytes, others: Mapping[str, bytes] | None = None) -> Path:
    """A jar of these classes, each at the path of its name, and of other entries."""
    from kassay.reading.jars import read_class

    entries = {read_class(each, "").name.replace(".", "/") + ".class": each for each in classes}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**entries, **(others or {})}.items():
            archive.writestr(name, data)
    return path
