"""What a field may hold beyond its Python type, and the errors about fields."""

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
    """Narrows a type where it stands in `Annotated`: what is expected, and whether a value is that."""

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
    """Raise unless there are at most MOST of the things together."""
    total = sum(sizes)
    if total > MOST:
        raise InputError(f"{path}: found {total} {things} in all, expected at most {MOST}")


Name = Annotated[str, Bound("a name", bool)]
Count = Annotated[int, at_least(0)]
Size = Annotated[int, Bound(f"a whole number from 0 to {MOST}", _is_size)]
"""How many there are of something that is to be made."""
Limited = Annotated[int, at_most(MOST)]
"""Such a number where what is negative is somebody else's error to tell."""
Int32 = Annotated[int, Bound("a 32-bit number", range(-(2**31), 2**31).__contains__)]
Positive = Annotated[int, at_least(1)]
Seconds = Annotated[float, Bound(SECONDS, _is_time)]


def suggestion(name: str, known: Iterable[str]) -> str:
    """What may have been meant by an unknown name, to end a complaint with; empty if nothing is like it."""
    import difflib  # for complaints alone

    near = difflib.get_close_matches(name, sorted(set(known)), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def shown(value: object) -> str:
    """The value as a complaint quotes it: one line, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def difference(value: object, expected: str) -> str:
    """What stands there, and what was expected."""
    return f"found {shown(value)}, expected {expected}"


def wrong(path: str, value: object, expected: str) -> InputError:
    """The error that says what stands at a path, and what was expected there."""
    return InputError(f"{path}: {difference(value, expected)}")
