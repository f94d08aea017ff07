"""The argument after a claim's colon: a number in a range, or one of several words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kassay.model.errors import InputError


@dataclass(frozen=True)
class Parameter:
    """The argument that a claim takes after its colon, as text.

    `default` is the argument of a claim without a colon; an empty one means a rule of the claim's own.
    `expected` describes in words what `fits` accepts, and `example` is an accepted one.
    """

    default: str
    example: str
    expected: str
    fits: Callable[[str], bool]

    def require(self, claim_id: str, text: str) -> None:
        """Raise `InputError`, with what was expected, for a text that does not fit."""
        if not self.fits(text):
            spelled = f"{claim_id}:{text}"
            raise InputError(
                f"{spelled[:80]}: expected {claim_id}:VALUE with {self.expected}, "
                f"such as {claim_id}:{self.example}"
            )


@dataclass(frozen=True)
class NumberRange:
    """Decimal numbers from `least` to `most`; neither a sign nor an exponent, `nan` or `inf`."""

    least: float
    most: float
    whole: bool = False

    def __str__(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.least} to {self.most}"

    def __contains__(self, text: str) -> bool:
        form = r"[0-9]{1,9}" if self.whole else r"[0-9]{1,9}(\.[0-9]{1,9})?"
        return re.fullmatch(form, text) is not None and self.least <= float(text) <= self.most


def number(allowed: NumberRange, *, default: str = "", example: str = "") -> Parameter:
    """A number; `example` where the default is no number."""
    return Parameter(default, example or default, str(allowed), allowed.__contains__)


def one_of(*words: str) -> Parameter:
    """One of the words; the first is the default."""
    return Parameter(words[0], words[-1], f"one of {' | '.join(words)}", words.__contains__)
