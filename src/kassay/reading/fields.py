"""Constraints on fields beyond their Python type, and the errors about fields."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST

_SHOWN: Final = 60
YEAR_S: Final = 366 * 86_400.0
SECONDS: Final = "seconds, more than 0 and at most a year"


class Bound(NamedTuple):
    """A constraint on a type inside `Annotated`: what is expected, and whether a value satisfies it."""

    expected: str
    holds: Callable[[Any], bool]


def at_least(least: int) -> Bound:
    """Whole numbers that are not below `least`."""
    return Bound(f"a whole number from {least} on", partial(operator.le, least))


def at_most(most: int) -> Bound:
    """Whole numbers that are not above `most`."""
    return Bound(f"a whole number up to {most}", partial(operator.ge, most))


def _is_size(value: int) -> bool:
    return 0 <= value <= MOST


def _is_time(seconds: float) -> bool:
    return 0 < seconds <= YEAR_S


def within(sizes: Iterable[int], path: str, things: str = "partitions") -> None:
    """Raise unless the sizes sum to at most MOST things."""
    total = sum(sizes)
    if total > MOST:
        raise InputError(f"{path}: found {total} {things} in all, expected at most {MOST}")


Name = Annotated[str, Bound("a name", bool)]
Count = Annotated[int, at_least(0)]
Size = Annotated[int, Bound(f"a whole number from 0 to {MOST}", _is_size)]
"""A number of things to create."""
Limited = Annotated[int, at_most(MOST)]
"""Such a number where another check reports negative values."""
Int32 = Annotated[int, Bound("a 32-bit number", range(-(2**31), 2**31).__contains__)]
Positive = Annotated[int, at_least(1)]
Seconds = Annotated[float, Bound(SECONDS, _is_time)]


def suggestion(name: str, known: Iterable[str]) -> str:
    """The known name that an unknown one may mean, as the end of an error; empty if none is similar."""
    import difflib  # for error messages only

    near = difflib.get_close_matches(name, sorted(set(known)), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def shown(value: object) -> str:
    """The value as an error quotes it: one line, shortened if long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def difference(value: object, expected: str) -> str:
    """The value and what was expected."""
    return f"found {shown(value)}, expected {expected}"


def wrong(path: str, value: object, expected: str) -> InputError:
    """The error that states the value at a path, and what was expected there."""
    return InputError(f"{path}: {difference(value, expected)}")
