"""Which vector files there are checks for, filled by a decorator in each format's file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kassay.model.modules import import_modules


class Check(Protocol):
    """Checks one vector: None when the target answers as Kafka did, else one line that says how not.

    `factory` makes a new object of the target; `exact` asks for the order inside lists as well.
    Raises `InputError` for a vector that is not of its format.
    """

    def __call__(self, vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
        """Check one vector."""


@dataclass(frozen=True)
class Format:
    """How the vectors of one `algorithm` are checked, and which reference they belong to by default.

    `reference` is a target spec, or a function from the vector to one where a file serves several.
    """

    algorithm: str
    reference: str | Callable[[Mapping[str, Any]], str]
    check: Check


FORMATS: Final[dict[str, Format]] = {}


def vector_format(
    algorithm: str, *, reference: str | Callable[[Mapping[str, Any]], str]
) -> Callable[[Check], Check]:
    """Register the check for the vector files whose header names `algorithm`."""

    def register(check: Check) -> Check:
        if algorithm in FORMATS:
            raise ValueError(f"two checks for vectors of {algorithm!r}")
        FORMATS[algorithm] = Format(algorithm, reference, check)
        return check

    return register


def load_formats() -> dict[str, Format]:
    """Every format by algorithm; imports all format files."""
    import_modules("kassay.certify.vectors")
    return FORMATS
