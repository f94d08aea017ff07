"""The assumptions that a user may make about the inputs: those of each kind, and of wide input for all."""

from __future__ import annotations

from kassay.model.errors import InputError
from kassay.model.kinds import Kind, every_kind
from kassay.properties.wide.ranges import WIDTHS
from kassay.reading.documents import suggestion


def every_assumption() -> tuple[str, ...]:
    """The assumptions of all kinds, sorted."""
    return tuple(sorted({name for kind in every_kind() for name in (*kind.assumptions, *WIDTHS)}))


def parse_assumptions(names: list[str], kind: Kind | None = None) -> frozenset[str]:
    """The assumptions by name; raises `InputError` for an unknown one, or for one of other kinds only."""
    known = every_assumption()
    for name in names:
        if name not in known:
            hint = suggestion(name, known)
            raise InputError(f"unknown assumption {name!r}: expected one of {', '.join(known)}{hint}")
        if kind is not None and name not in (*kind.assumptions, *WIDTHS):
            some = f"one of {', '.join((*kind.assumptions, *WIDTHS))}"
            raise InputError(f"assumption {name!r} narrows nothing of kind {kind}, expected {some}")
    return frozenset(names)
