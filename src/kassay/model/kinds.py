"""The kinds of targets, what claims and references are of, and the three verdicts."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from kassay.model.errors import InputError


class Verdict(StrEnum):
    """The verdict on a claim, an invariant or a target; an exhausted budget is `unknown`, never `holds`."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


class RebalanceProtocol(StrEnum):
    """How assignments take effect: all at once, or revoked first and assigned in the next round (KIP-429)."""

    EAGER = "eager"
    COOPERATIVE = "cooperative"


class Nouns(NamedTuple):
    """What is counted of a kind: its cases, the calls in one, its members, their parts, and its events.

    Cases and calls have singular and plural, since every run counts them. A noun is empty where a kind has no
    such thing: a partitioner has no members, a request to a placer no events. `worlds` is the content of an
    exhaustive scope.
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
    """The instances with a known optimum that targets of a kind answer.

    Their family, their name in messages, the default suite, and the note under a table of gaps.
    """

    family: str
    called: str
    suite: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of target; two are the same only if they are one object, which `kind_named` finds by its name.

    `family` is the folder of its modules in each package. `meta` is its word in a target's META, `title` its
    heading in a list of targets. `method` is the one that answers, `forms` are the plain forms of a user's
    class that only this kind has, `levels` are the levels that a target may declare for its answers. `speaks`
    says whether a rebalance protocol decides how its targets are called, `usual` is the default protocol of a
    target that names none; `chosen` says whether the same target may run under either. Targets of kinds with
    the same `question` are called with the same input. `certified` says whether kassay can test targets of
    the kind.

    `assumptions` are those that narrow its inputs, `listed` is the list that its references are in, and
    `exec_version` is the first version of the exec protocol whose programs can be of the kind. Kinds are
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
        """Pickle by name: the process that unpickles it gets its own object."""
        return kind_named, (self.name,)


_DECLARED: Final[dict[str, Kind]] = {}


def declare(kind: Kind) -> Kind:
    """The kind, registered under its name; raises `ValueError` if another kind has that name."""
    if _DECLARED.setdefault(kind.name, kind) is not kind:
        raise ValueError(f"two kinds are called {kind.name!r}")
    return kind


@cache
def _load() -> None:
    """Import the declarations of every family."""
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
    """All kinds that kassay can test, by their places."""
    return tuple(kind for kind in _listed() if kind.certified)


def kind_called(meta: str) -> Kind | None:
    """The kind with this word in a target's META; None if there is none."""
    return next((kind for kind in every_kind() if kind.meta == meta), None)


def kind_of_form(form: str) -> Kind | None:
    """The kind of a plain form; None for a form that several kinds share."""
    return next((kind for kind in every_kind() if form in kind.forms), None)


def kind_named(name: str) -> Kind:
    """The kind of that name; raises `InputError` if there is none."""
    if name not in _DECLARED:
        _load()
    if name not in _DECLARED:
        raise InputError(f"kind {name!r}: expected one of {', '.join(map(str, _listed()))}")
    return _DECLARED[name]
