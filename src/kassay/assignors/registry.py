"""The references and client libraries' assignors by spec, filled by a decorator in each one's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from kassay.model.errors import InputError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.kinds import Kind
from kassay.model.modules import import_modules

EAGER: Final = RebalanceProtocol.EAGER
COOPERATIVE: Final = RebalanceProtocol.COOPERATIVE


@dataclass(frozen=True)
class Reference:
    """One algorithm that kassay reimplements, or adapts from a client `library`.

    `factory` makes a new object; it raises `LibraryMissing`. `claims` are what the rule promises beyond
    validity.
    """

    name: str
    kind: Kind
    factory: Callable[[], Any]
    claims: tuple[str, ...]
    source: str
    protocol: RebalanceProtocol = EAGER
    summary: str = ""
    library: str = ""

    @property
    def spec(self) -> str:
        """How a user writes it as a target."""
        prefix = f"{self.library}:" if self.library else _PREFIXES.get(self.kind, "")
        return prefix + self.name


class LibraryMissing(ImportError):
    """The client library, or this assignor of it, is not there; the message says what to install."""


REFERENCES: Final[dict[str, Reference]] = {}

_PREFIXES: Final = {Kind.PLACER: "placement:", Kind.PLANNER: "plan:", Kind.PARTITIONER: "partitioner:"}
_Factory = TypeVar("_Factory", bound=Callable[[], Any])


def reference(
    name: str,
    *,
    kind: Kind = Kind.CLIENT,
    claims: tuple[str, ...] = (),
    source: str,
    protocol: RebalanceProtocol = EAGER,
    library: str = "",
) -> Callable[[_Factory], _Factory]:
    """Register a class as the reference called `name`; its first docstring line is its summary."""

    def register(factory: _Factory) -> _Factory:
        summary = (factory.__doc__ or "").strip().splitlines()[0]
        entry = Reference(name, kind, factory, claims, source, protocol, summary, library)
        if entry.spec in REFERENCES:
            raise ValueError(f"two reference algorithms are called {entry.spec!r}")
        REFERENCES[entry.spec] = entry
        return factory

    return register


def load_all() -> dict[str, Reference]:
    """Every algorithm of kassay's own by its spec, in the order of the specs."""
    return {spec: reference for spec, reference in _registered().items() if not reference.library}


def load_foreign() -> dict[str, Reference]:
    """Every client library's assignor by its spec, whether the library is installed or not."""
    return {spec: reference for spec, reference in _registered().items() if reference.library}


def libraries() -> list[str]:
    """The client libraries that there are adapters for."""
    return sorted({reference.library for reference in load_foreign().values()})


def _registered() -> dict[str, Reference]:
    """Every algorithm by its spec, in the order of the specs; imports all their files."""
    import_modules("kassay.assignors")
    return dict(sorted(REFERENCES.items()))


def find(spec: str) -> Reference | None:
    """The reference that a target spec names, or None."""
    return load_all().get(spec)


def find_foreign(spec: str) -> Reference | None:
    """The client library's assignor that a spec names, None for another's spec; raises `InputError`."""
    there, library = load_foreign(), spec.partition(":")[0]
    names = [reference.name for reference in there.values() if reference.library == library]
    if names and spec not in there:
        raise InputError(f"{spec}: no such assignor, expected one of {', '.join(names)}")
    return there.get(spec)
