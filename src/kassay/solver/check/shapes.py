"""How the checkers read a document: what is valid at each place, and what is wrong there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.solver.check.refusal import MOST, RefusedError, Shape

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
    return isinstance(shape, Leaf | _Rows | _Pair | _ByName) and shape.glance(values)


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


def nullable(shape: Shape) -> Shape:
    """A value of the shape, or null."""

    def read(value: Any) -> None:
        if value is not None:
            shape(value)

    return read


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
