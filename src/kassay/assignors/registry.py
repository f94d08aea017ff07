"""The reference algorithms by name, filled by a decorator in each algorithm's file."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.kinds import Kind

EAGER: Final = RebalanceProtocol.EAGER
COOPERATIVE: Final = RebalanceProtocol.COOPERATIVE


@dataclass(frozen=True)
class Reference:
    """One algorithm that kassay reimplements.

    `factory` makes a new object. `claims` are what the rule promises beyond validity.
    """

    name: str
    kind: Kind
    factory: Callable[[], Any]
    claims: tuple[str, ...]
    source: str
    protocol: RebalanceProtocol = EAGER
    summary: str = ""


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
) -> Callable[[_Factory], _Factory]:
    """Register a class as the reference called `name`; its first docstring line is its summary."""

    def register(factory: _Factory) -> _Factory:
        if name in REFERENCES:
            raise ValueError(f"two reference algorithms are called {name!r}")
        summary = (factory.__doc__ or "").strip().splitlines()[0]
        REFERENCES[name] = Reference(name, kind, factory, claims, source, protocol, summary)
        return factory

    return register


def spec_of(found: Reference) -> str:
    """How a user writes the reference as a target."""
    return _PREFIXES.get(found.kind, "") + found.name


def load_all() -> dict[str, Reference]:
    """Every reference by its target spec, in the order of the specs; imports all algorithm files."""
    import kassay.assignors as package

    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if ".foreign" not in module.name:
            importlib.import_module(module.name)
    return {spec_of(found): found for found in sorted(REFERENCES.values(), key=spec_of)}


def find(spec: str) -> Reference | None:
    """The reference that a target spec names, or None."""
    return load_all().get(spec)
