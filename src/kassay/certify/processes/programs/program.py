"""A program that can be put to the test, and what it says of itself (`docs/exec-protocol.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from kassay.assignors.plain.forms import document_form
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.failure import one_line
from kassay.reading.values import read_as

PROTOCOL_VERSION: Final = 2
"""The version of the exec protocol in which programs are greeted first."""


@dataclass(frozen=True)
class Program:
    """A command with its arguments, and what it is to whoever asked for it; it can be pickled.

    Messages begin with `label`. `name` is what to call it if it does not say. `environment` is added to its
    own. Each of its objects is made of `class_name`, with `config` beneath what the user says. `expected` is
    what a process that comes to nothing should have been.
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
    """What a program says of itself; every part may be left out.

    `supports` are the calls of version 2 that it has; a program of version 1 has none of them. `protocols`
    are those of rebalances, its preferred one first.
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
        """Which document a program is given that is given one."""
        return document_form({"kind": self.kind, "level": self.level})


@dataclass(frozen=True)
class Introduction:
    """What a program answers to `new` of the class that was named; every part may be left out."""

    name: str = ""
    version: str = ""
    protocols: tuple[str, ...] = ()


_LATER: Final = ("kassay", "supports", "protocols", "versions")
"""The parts of an answer to hello that version 1 did not have: there they mean nothing."""


def read_hello(program: Program, said: object) -> Hello:
    """The program's own account of itself; raises `TargetNotLoadable` for what cannot be one."""
    if isinstance(said, dict) and (type(said.get("kassay")) is not int or said["kassay"] < PROTOCOL_VERSION):
        said = {part: value for part, value in said.items() if part not in _LATER}
    try:
        hello = read_as(Hello, said, f"{program.label}: hello")
    except InputError as error:
        raise TargetNotLoadable(str(error)) from None
    if program.class_name is not None and "new" not in hello.supports:
        raise TargetNotLoadable(f"{program.label}: hello: supports has no 'new', expected {program.expected}")
    return replace(hello, name=one_line(hello.name) or program.name)
