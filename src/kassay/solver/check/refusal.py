"""Shared parts of the checkers: how they refuse a document, and how they state what it proves."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
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


class ProvenQuestion(NamedTuple):
    """What was minimised, and among which answers: all that a certificate chooses beyond its instance.

    `objectives` are in lexicographic order. `costs` has what each movement costs: a number, or the field of
    the instance that says it. With a `tolerance` the heaviest member carries at most `limit`, that much above
    a bound that the checker derives; with a `budget` only answers count whose movements cost no more.
    """

    objectives: tuple[str, ...]
    costs: Mapping[str, int | str]
    tolerance: Fraction | None = None
    limit: int | None = None
    budget: int | None = None

    @property
    def sentence(self) -> str:
        """The question in words."""
        words = [f"minimised: {', then '.join(self.objectives)}"]
        words += [f"{cost} for each {thing}" for thing, cost in self.costs.items()]
        if self.tolerance is not None:
            words.append(f"tolerance {_percent(self.tolerance)}: at most {self.limit} a member")
        if self.budget is not None:
            words.append(f"budget {self.budget}")
        return "; ".join(words)

    def to_json(self) -> dict[str, Any]:
        """The fields of a document."""
        tolerance = None if self.tolerance is None else [*self.tolerance.as_integer_ratio()]
        return {
            "objectives": list(self.objectives),
            "costs": dict(self.costs),
            "tolerance": tolerance,
            "limit": self.limit,
            "budget": self.budget,
        }


def _percent(share: Fraction) -> str:
    """The share as an exact percentage, or as a fraction."""
    percent = share * 100
    if percent.denominator == 1:
        return f"{percent} %"
    tenths = percent * 1000
    return f"{float(percent):.3f} %" if tenths.denominator == 1 and tenths < 10**9 else f"{share}"


class Proven(NamedTuple):
    """What a certificate proves: in words, of which question, and every figure that a result may state of it.

    `figures` has the result's fields with their required values, `beside` those that only some results have,
    computed when one does. `prover` names the solver on whose word the figures rely where arithmetic does not
    verify them. `least` has fields of earlier results that may be null, with their least values; no
    certificate proves more of them.
    """

    reason: str
    question: ProvenQuestion
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
