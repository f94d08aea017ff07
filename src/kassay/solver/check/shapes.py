"""What the checkers share: the shapes of documents, refusals, and what a proof states.

A shape says what may stand at each place of a document, and a misfit names its place. `RefusedError` is how a
checker refuses a document, `Proven` what it found proven, `ProofKind` a kind of proof, and `Due` what a place
pays for its count where every place should hold its share (placements and tasks).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain
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

    `figures` has the result's fields with their required values, `optional` those that only some results
    have, computed when one does. `prover` names the solver on whose word the figures rely where arithmetic
    does not verify them. `least` has fields of earlier results that may be null, with their least values; no
    certificate proves more of them.
    """

    reason: str
    question: ProvenQuestion
    figures: dict[str, Any]
    prover: str | None = None
    optional: Mapping[str, Callable[[], Any]] = MappingProxyType({})
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


_SHOWN: Final = 60


class _MisfitError(Exception):
    """An error at a place of a document; `steps` lead there, the last one first."""

    def __init__(self, sentence: str, *steps: str | int, unknown: bool = False) -> None:
        super().__init__(sentence)
        self.steps = list(steps)
        self.unknown = unknown

    @property
    def path(self) -> str:
        """The place: `members[3].topics`."""
        return "".join(map(_step, reversed(self.steps))).removeprefix(".")


def fit(shape: Shape, value: Any, where: str) -> None:
    """Raise unless the value has the shape.

    `InputError` names the place, the value and what was expected; an unknown field is refused.
    """
    try:
        shape(value)
    except _MisfitError as misfit:
        place = ".".join(filter(None, (where, misfit.path))).replace(".[", "[")
        error = RefusedError if misfit.unknown else InputError
        raise error(f"{place}: {misfit}") from None


def wrong(value: Any, expected: str) -> _MisfitError:
    """The error that states the value and what was expected."""
    return _MisfitError(f"found {shown(value)}, expected {expected}")


def shown(value: Any) -> str:
    """The value as an error quotes it: one line, shortened if long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _step(step: str | int) -> str:
    return f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{shown(step)}]"


def _all_fit(shape: Shape, values: Sequence[Any]) -> bool:
    """Whether a fast check shows that all values have the shape; False means nothing."""
    return isinstance(shape, _GLANCE) and shape.glance(values)


def _are(kind: type, values: Sequence[Any]) -> bool:
    """Whether all values are of exactly this type: True is no whole number."""
    return {*map(type, values)} <= {kind}


@dataclass(frozen=True)
class Leaf:
    """A single value for which `holds` is true; `all_hold` checks many values faster."""

    expected: str
    holds: Callable[[Any], bool]
    all_hold: Callable[[Sequence[Any]], bool] | None = None

    def __call__(self, value: Any) -> None:
        """Raise unless the value is valid."""
        if not self.holds(value):
            raise wrong(value, self.expected)

    def glance(self, values: Sequence[Any]) -> bool:
        """Whether all values are valid."""
        return all(map(self.holds, values)) if self.all_hold is None else self.all_hold(values)


WHOLE: Final = Leaf("a whole number", lambda value: type(value) is int, lambda values: _are(int, values))
COUNT: Final = Leaf(
    "a whole number from 0 on",
    lambda value: type(value) is int and value >= 0,
    lambda values: _are(int, values) and min(values, default=0) >= 0,
)
SIZE: Final = Leaf(
    f"a whole number from 0 to {MOST}", lambda value: type(value) is int and 0 <= value <= MOST
)
POSITIVE: Final = Leaf("a whole number from 1 on", lambda value: type(value) is int and value >= 1)
TEXT: Final = Leaf("a text", lambda value: type(value) is str, lambda values: _are(str, values))
NAME: Final = Leaf(
    "a name",
    lambda value: type(value) is str and value != "",
    lambda values: _are(str, values) and "" not in values,
)
FLAG: Final = Leaf("true or false", lambda value: type(value) is bool)
ANYTHING: Final = Leaf("anything", lambda _: True)


def one_of(*values: str) -> Shape:
    """One of these strings."""
    return Leaf(" or ".join(map(repr, values)), lambda value: type(value) is str and value in values)


@dataclass(frozen=True)
class _Nullable:
    shape: Shape

    def __call__(self, value: Any) -> None:
        if value is not None:
            self.shape(value)

    def glance(self, values: Sequence[Any]) -> bool:
        return _all_fit(self.shape, [value for value in values if value is not None])


def nullable(shape: Shape) -> Shape:
    """A value of the shape, or null."""
    return _Nullable(shape)


@dataclass(frozen=True)
class _Rows:
    shape: Shape

    def __call__(self, value: Any) -> None:
        if type(value) is not list:
            raise wrong(value, "a list")
        if _all_fit(self.shape, value):
            return
        # A value in a field of one record is often in that field of the next one too.
        look = partial(self.shape.read, fitting={}) if isinstance(self.shape, _Record) else self.shape
        index = 0
        try:
            for index, each in enumerate(value):  # noqa: B007
                look(each)
        except _MisfitError as misfit:
            misfit.steps.append(index)
            raise

    def glance(self, values: Sequence[Any]) -> bool:
        return _are(list, values) and _all_fit(self.shape, [*chain.from_iterable(values)])


def rows(shape: Shape) -> Shape:
    """A list of any length."""
    return _Rows(shape)


@dataclass(frozen=True)
class _Pair:
    first: Shape
    second: Shape

    def __call__(self, value: Any) -> None:
        if type(value) is not list or len(value) != 2:
            raise wrong(value, "a list of 2 entries")
        self.first(value[0])
        self.second(value[1])

    def glance(self, values: Sequence[Any]) -> bool:
        if not _are(list, values) or not {*map(len, values)} <= {2}:
            return False
        flat = [*chain.from_iterable(values)]
        return _all_fit(self.first, flat[::2]) and _all_fit(self.second, flat[1::2])


def pair(first: Shape, second: Shape) -> Shape:
    """A list of two."""
    return _Pair(first, second)


@dataclass(frozen=True)
class _ByName:
    shape: Shape

    def __call__(self, value: Any) -> None:
        if type(value) is not dict:
            raise wrong(value, "an object")
        if not self.glance([value]):
            for name, each in value.items():
                _inside(name, self.shape, each)

    def glance(self, values: Sequence[Any]) -> bool:
        return _are(dict, values) and _all_fit(
            self.shape, [*chain.from_iterable([value.values() for value in values])]
        )


def by_name(shape: Shape) -> Shape:
    """An object with any names."""
    return _ByName(shape)


_GLANCE: Final = (Leaf, _Nullable, _Rows, _Pair, _ByName)
"""The shapes that can be checked for many values at once."""


@dataclass(frozen=True)
class _Record:
    needed: Mapping[str, Shape]
    shapes: Mapping[str, Shape]

    def __call__(self, value: Any) -> None:
        self.read(value, {})

    def read(self, value: Any, fitting: dict[str, Any]) -> None:
        """Raise unless the value has the shape; values in `fitting`, by field, are already checked."""
        if type(value) is not dict:
            raise wrong(value, "an object")
        for name, each in value.items():
            if name not in self.shapes:
                known = ", ".join(self.shapes)
                raise _MisfitError(f"an unknown field, expected {known}", name, unknown=True)
            if fitting.get(name, fitting) is not each:
                _inside(name, self.shapes[name], each)
                fitting[name] = each
        for name in self.needed:
            if name not in value:
                raise _MisfitError("missing", name)


def record(needed: Mapping[str, Shape], optional: Mapping[str, Shape] = {}) -> Shape:
    """An object with these fields and no others; the optional ones may be missing or null."""
    return _Record(needed, {**needed, **{name: nullable(shape) for name, shape in optional.items()}})


def _inside(name: str, shape: Shape, value: Any) -> None:
    try:
        shape(value)
    except _MisfitError as misfit:
        misfit.steps.append(name)
        raise


class Due(NamedTuple):
    """A place whose share is `own` of `every` parts of `total` units.

    It pays `weight` times its squared distance from that, times `every`, without the constant.
    """

    own: int
    every: int
    total: int
    weight: int

    def pays(self, held: int) -> int:
        """The payment for this number of units."""
        return self.weight * (self.every * held * held - 2 * self.total * self.own * held)

    def least(self, price: int, most: int, base: int = 0) -> int:
        """The least of payment - price * count, with 0 to `most` units in addition to its `base`."""
        # A parabola in the count: its integer minimum is next to the vertex, or at an end.
        near = (2 * self.weight * self.total * self.own + price) // (2 * self.weight * self.every) - base
        counts = {min(max(count, 0), most) for count in range(near - 1, near + 3)}
        return min(self.pays(base + count) - price * count for count in counts)
