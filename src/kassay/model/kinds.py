"""The kinds of targets, by name: what is put to the test, and what claims and references are of.

A family declares its kinds in `model/<family>/kinds.py`; what a kind does is in `kinds/<family>`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from kassay.model.errors import InputError


class RebalanceProtocol(StrEnum):
    """How assignments take effect: all at once, or revoked first and assigned in the next round (KIP-429)."""

    EAGER = "eager"
    COOPERATIVE = "cooperative"


class Nouns(NamedTuple):
    """What is counted of a kind: its cases, the calls in one, its members, what they get, and its events.

    Cases and calls have both numbers, since every run counts them. Empty where a kind has no such thing: a
    partitioner has no members, a request to a placer no events. `worlds` is what an exhaustive scope holds.
    """

    case: str
    cases: str
    call: str
    calls: str
    who: str
    what: str
    event: str = ""
    worlds: str = "cases"


class Instances(NamedTuple):
    """The instances with a known optimum that targets of a kind answer: their family, what it is called in a
    message, the suite that is measured on where none is named, and what a table of gaps adds in a note."""

    family: str
    called: str
    suite: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of target; two are the same only if they are one object, which `kind_named` finds by its name.

    `family` is the folder behind each door that holds it. `meta` is what a target's META calls it, `title`
    what a list of targets does. `method` is the one that answers, `forms` are the plain forms of a user's
    class that are of this kind alone, `levels` what a target may say its answers are for. `speaks` says
    whether a rebalance protocol decides how its targets are called, `usual` which one where a target names
    none; `chosen` whether the same target may be run under either. Targets of kinds with the same `question`
    are called with the same input. `certified`: targets of it can be put to the test.

    `assumptions` are those that narrow its inputs, `listed` is the list that its references are in, and
    `exec_version` the first version of the exec protocol whose programs can be of it. Kinds are
    listed by their `place`.
    """

    name: str
    family: str
    nouns: Nouns
    meta: str = ""
    title: str = ""
    question: str = ""
    method: str = "assign"
    forms: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    speaks: bool = False
    chosen: bool = False
    usual: RebalanceProtocol = RebalanceProtocol.EAGER
    certified: bool = True
    assumptions: tuple[str, ...] = ()
    instances: Instances | None = None
    listed: str = "assignors"
    exec_version: int = 1
    place: int = 100

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Kind({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], Kind], tuple[str]]:
        """By its name: a process that reads it has its own object."""
        return kind_named, (self.name,)


_DECLARED: Final[dict[str, Kind]] = {}


def declare(kind: Kind) -> Kind:
    """The kind, from now on found by its name; raises `ValueError` if another one has it."""
    if _DECLARED.setdefault(kind.name, kind) is not kind:
        raise ValueError(f"two kinds are called {kind.name!r}")
    return kind


@cache
def _load() -> None:
    """Import what declares the kinds of every family."""
    import kassay.model as root

    for package in pkgutil.iter_modules(root.__path__):
        if package.ispkg:
            inside = [module.name for module in pkgutil.iter_modules([f"{root.__path__[0]}/{package.name}"])]
            if "kinds" in inside:
                import_module(f"{root.__name__}.{package.name}.kinds")


def _listed() -> list[Kind]:
    """All kinds, by their places and their names."""
    _load()
    return sorted(_DECLARED.values(), key=lambda kind: (kind.place, kind.name))


def every_kind() -> tuple[Kind, ...]:
    """All kinds whose targets can be put to the test, by their places."""
    return tuple(kind for kind in _listed() if kind.certified)


def kind_called(meta: str) -> Kind | None:
    """The kind that a target's META calls so; None if there is none."""
    return next((kind for kind in every_kind() if kind.meta == meta), None)


def kind_of_form(form: str) -> Kind | None:
    """The kind that a plain form is of; None for one that several kinds share."""
    return next((kind for kind in every_kind() if form in kind.forms), None)


def kind_named(name: str) -> Kind:
    """The kind of that name; raises `InputError` if there is none."""
    if name not in _DECLARED:
        _load()
    if name not in _DECLARED:
        raise InputError(f"kind {name!r}: expected one of {', '.join(map(str, _listed()))}")
    return _DECLARED[name]
