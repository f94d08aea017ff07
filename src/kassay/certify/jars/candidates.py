"""Which classes of a jar can be put to the test, and as what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from kassay.kinds.java import Interface, interfaces
from kassay.model.errors import InputError
from kassay.reading.classfile import ClassFile
from kassay.reading.jar import ClassPath

_PARAMETER: Final = re.compile(r"\[*(?:L(?:[^;]*/)?([^;/]*);|([BCDFIJSZ]))")
"""A parameter in a descriptor: a class, of which the short name matters, or a letter for a basic type."""


class JarClass(NamedTuple):
    """A class that implements one of Kafka's interfaces; `public`: an object of it can be constructed."""

    name: str
    interfaces: tuple[Interface, ...]
    public: bool


def candidates(paths: Sequence[str | Path]) -> tuple[JarClass, ...]:
    """The classes of the first jar that are of a kind; all of the jars are followed for what they extend.

    No code of theirs runs. What a class extends that lies in none of the jars is known only if it is Kafka's.
    Raises `InputError`, one line, for what is no jar, or holds what is no class.
    """
    if not paths:
        raise InputError("no jar, expected jar:FILE, perhaps with more jars behind colons")
    class_path = ClassPath(paths)
    every = [
        JarClass(one.name, kinds, any(_arguments(text) in kinds[0].constructors for text in one.constructors))
        for one in class_path.jars[0].classes()
        if one.concrete and (kinds := interfaces_of(one, class_path))
    ]
    return tuple(sorted(every))


def _arguments(descriptor: str) -> tuple[str, ...]:
    """The parameters of a constructor by the short names of their types."""
    names = _PARAMETER.findall(descriptor.partition(")")[0])
    return tuple(name or {"I": "int"}.get(letter, letter) for name, letter in names)


def interfaces_of(one: ClassFile, class_path: ClassPath) -> tuple[Interface, ...]:
    """Those of Kafka's interfaces that the class implements, the most particular ones, in their order."""
    names = ancestors(one, class_path)
    implemented = [interface for interface in interfaces() if interface.name in names]
    general = {interface.general for interface in implemented}
    return tuple(interface for interface in implemented if interface.name not in general)


def ancestors(one: ClassFile, class_path: ClassPath) -> set[str]:
    """All that the class extends or implements, as far as it can be followed."""
    names: set[str] = set()
    ahead = [one]
    while ahead:
        for name in _parents(ahead.pop()):
            if name in names:
                continue
            names.add(name)
            if (parent := class_path.find(name)) is not None:
                ahead.append(parent)
    known = _known()
    return names | {known[name] for name in names & known.keys()}


@cache
def _known() -> Mapping[str, str]:
    """What of Kafka's is of which of the interfaces."""
    return {known: one.name for one in interfaces() for known in (*one.known, one.name)}


def _parents(one: ClassFile) -> Iterable[str]:
    """What the class extends and implements by itself."""
    return one.interfaces if one.superclass is None else (one.superclass, *one.interfaces)
