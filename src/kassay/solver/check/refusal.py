"""Shared parts of the checkers: how they refuse a document, and how they state what it proves."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError

Document = Mapping[str, Any]
Shape = Callable[[Any], None]
"""The check of a place of a document; raises at the first invalid value."""
MOST: Final = 1_000_000
"""The largest size that an instance may have: as many partitions as Kafka's largest clusters."""


class RefusedError(Exception):
    """A step of a check failed; the message says which, and why."""


class Posed(NamedTuple):
    """An instance in canonical form, and its size in words."""

    form: Document
    size: str

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the form: equal for equal problems, whatever their names."""
        return hashlib.sha256(_quickly(self.form) or _ordered(self.form)).hexdigest()


def _ordered(form: Document) -> bytes:
    """The text whose digest is computed."""
    return json.dumps(form, sort_keys=True, separators=(",", ":")).encode()


def _quickly(form: Document) -> bytes:
    """That text by msgspec, if it was loaded to read a large document; None where they might differ."""
    if "msgspec" not in sys.modules:
        return b""
    import msgspec

    try:
        text = msgspec.json.encode(form, order="sorted")
    except ValueError:
        return b""
    # Characters that Python escapes: those beyond ASCII, and DEL.
    return text if text.isascii() and b"\x7f" not in text else b""


class Proven(NamedTuple):
    """What a certificate proves: in words, and every figure that a result may state of it.

    `figures` has the result's fields with their required values, `beside` those that only some results have,
    computed when one does. `prover` names the solver on whose word the figures rely where arithmetic does not
    verify them. `least` has fields of earlier results that may be null, with their least values; no
    certificate proves more of them.
    """

    reason: str
    figures: dict[str, Any]
    prover: str | None = None
    beside: Mapping[str, Callable[[], Any]] = MappingProxyType({})
    least: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class ProofKind:
    """A kind of proof: its instances, the shape of its certificate, and its check.

    `pose` reads an instance of the family; `takes` says of its form whether this kind of proof covers such an
    instance; `check` is called with the form and a certificate of that shape. All raise `RefusedError`, the
    readers of shapes `InputError`. `kind` is the certificate's field of that name, for kinds that share a
    schema.
    """

    schema: str
    family: str
    pose: Callable[[Any], Posed]
    takes: Callable[[Document], bool]
    shape: Shape
    check: Callable[[Document, Document], Proven]
    kind: str | None = None


def require(condition: bool, reason: str) -> None:
    """Refuse unless the condition holds."""
    if not condition:
        raise RefusedError(reason)


def within(sizes: Iterable[int], field: str, things: str) -> None:
    """Raise `InputError` where the field's sizes sum to more than MOST: a short text can name very many."""
    total = sum(sizes)
    if total > MOST:
        raise InputError(f"instance.{field}: found {total} {things} in all, expected at most {MOST}")


def one_price_each(prices: list[int], places: int) -> list[int]:
    """The prices, refused unless there is one for each place."""
    require(len(prices) == places, f"expected {places} prices, one a place")
    return prices


def met(goal: str, value: int | list[int]) -> dict[str, Any]:
    """The entry of a goal that is reached: its value is its bound."""
    return {"goal": goal, "value": value, "bound": value, "proven": True}


def squares(loads: list[int]) -> dict[str, Any]:
    """The figures of the loads that every result has."""
    return {"loads": sorted(loads), "sum_squares": sum(load * load for load in loads)}
