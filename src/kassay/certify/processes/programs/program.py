"""A program under test, and its description of itself (`docs/exec-protocol.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from kassay.assignors.plain_answers import document_form
from kassay.model.errors import InputError, TargetNotLoadable, one_line
from kassay.reading.values import read_as

PROTOCOL_VERSION: Final = 2
"""The version of the exec protocol used for the first greeting."""


@dataclass(frozen=True)
class Program:
    """A command with its arguments and context; it can be pickled.

    Messages begin with `label`. `name` is used if the program reports none. `environment` is added to its
    own. `class_name` is the class of each object; `config` holds defaults below the user's configuration.
    `expected` describes a valid program, for the error about an invalid one.
    """

    argv: tuple[str, ...]
    label: str
    name: str
    environment: tuple[tuple[str, str], ...] = ()
    class_name: str | None = None
    config: tuple[tuple[str, str], ...] = ()
    expected: str = "an answer to hello (docs/exec-protocol.md)"


@dataclass(frozen=True)
class Hello:
    """A program's description of itself; every part is optional.

    `supports`: the calls of version 2 that it has; a program of version 1 has none. `protocols`: its
    rebalance protocols, the preferred one first.
    """

    name: str = ""
    kind: str | None = None
    level: str | None = None
    protocol: str | None = None
    claims: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    kassay: Literal[1, 2] = 1
    supports: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def form(self) -> str | None:
        """The form of the document that the program expects, for kinds that use documents."""
        return document_form({"kind": self.kind, "level": self.level})


@dataclass(frozen=True)
class Introduction:
    """The program's answer to `new` for the given class; every part is optional."""

    name: str = ""
    version: str = ""
    protocols: tuple[str, ...] = ()


_LATER: Final = ("kassay", "supports", "protocols", "versions")
"""Parts of a hello answer that version 1 lacks, where they have no meaning."""


def read_hello(program: Program, said: object) -> Hello:
    """The program's description of itself; raises `TargetNotLoadable` if it is invalid."""
    if isinstance(said, dict) and (type(said.get("kassay")) is not int or said["kassay"] < PROTOCOL_VERSION):
        said = {part: value for part, value in said.items() if part not in _LATER}
    try:
        hello = read_as(Hello, said, f"{program.label}: hello")
    except InputError as error:
        raise TargetNotLoadable(str(error)) from None
    if program.class_name is not None and "new" not in hello.supports:
        raise TargetNotLoadable(f"{program.label}: hello: supports has no 'new', expected {program.expected}")
    return replace(hello, name=one_line(hello.name) or program.name)
