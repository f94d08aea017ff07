"""The classes of a jar: which can be tested, as what kind, and what they need.

Kafka's interfaces of testable classes are listed with their kind and the jar that a user needs for
them. A class of a class path has the kind of the interface that it implements; whether what this kind needs
is there, and whether the class can be configured, is read from the jars.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from kassay.kinds.java import Interface, interfaces
from kassay.model.errors import InputError, TargetNotFound
from kassay.reading.jars import ClassFile, ClassPath

_PARAMETER: Final = re.compile(r"\[*(?:L(?:[^;]*/)?([^;/]*);|([BCDFIJSZ]))")
"""A parameter in a descriptor: a class, of which the short name counts, or the letter of a basic type."""


class JarClass(NamedTuple):
    """A class that implements one of Kafka's interfaces; `public`: it can be instantiated."""

    name: str
    interfaces: tuple[Interface, ...]
    public: bool


def candidates(paths: Sequence[str | Path]) -> tuple[JarClass, ...]:
    """The testable classes of the first jar; superclasses are looked up in all of the jars.

    None of their code runs. A superclass in none of the jars is known only if it is Kafka's. Raises
    `InputError`, one line, if a file is not a jar or an entry is not a class.
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
    """The parameters of a constructor, by the short names of their types."""
    names = _PARAMETER.findall(descriptor.partition(")")[0])
    return tuple(name or {"I": "int"}.get(letter, letter) for name, letter in names)


def interfaces_of(one: ClassFile, class_path: ClassPath) -> tuple[Interface, ...]:
    """Kafka's interfaces that the class implements, the most specific ones, in order."""
    names = ancestors(one, class_path)
    implemented = [interface for interface in interfaces() if interface.name in names]
    general = {interface.general for interface in implemented}
    return tuple(interface for interface in implemented if interface.name not in general)


def ancestors(one: ClassFile, class_path: ClassPath) -> set[str]:
    """All classes and interfaces that the class extends or implements, as far as they are known."""
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
    """The direct superclass and interfaces of the class."""
    return one.interfaces if one.superclass is None else (one.superclass, *one.interfaces)


_CLIENTS_NEEDED: Final = ("org.apache.kafka.common.TopicPartition", "kafka-clients")
"""The class that requests of every kind need, and the jar that contains it."""
_CONFIGURABLE: Final = "org.apache.kafka.common.Configurable"


def require_kafka(label: str, class_path: ClassPath, class_name: str, variable: str) -> None:
    """Raise `TargetNotFound`, naming the jar to add, if the class path lacks what the class's kind needs.

    The environment variable `variable` may name the client's jar. A class of no kind passes; Java refuses it.
    """
    one = class_path.find(class_name)
    kinds = interfaces_of(one, class_path) if one is not None else ()
    if not kinds:
        return
    for name, jar in ((kinds[0].name, kinds[0].jar), _CLIENTS_NEEDED):
        if class_path.find(name) is None:
            raise TargetNotFound(
                f"{label}: kind {kinds[0].kind} needs {name}, which is in none of these jars, "
                f"expected {jar}-VERSION.jar behind a colon"
                + (f" or in {variable}" if jar == _CLIENTS_NEEDED[1] else "")
            )


def is_configurable(class_name: str, class_path: ClassPath) -> bool:
    """Whether the class is configurable: it implements Kafka's `Configurable`."""
    one = class_path.find(class_name)
    return one is not None and _CONFIGURABLE in ancestors(one, class_path)
