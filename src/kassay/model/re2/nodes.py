"""The nodes of a regular expression, and sets of characters."""

from __future__ import annotations

import unicodedata
from typing import Final, NamedTuple, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Inclusive ranges of code points."""

LAST: Final = 0x10FFFF
_KELVIN, _LONG_S = 0x212A, 0x17F


class Chars(NamedTuple):
    """One character of a set; `folded` ignores case, `categories` are Unicode general categories."""

    ranges: Ranges
    negated: bool = False
    folded: bool = False
    parts: tuple[Chars, ...] = ()
    categories: tuple[str, ...] = ()

    def holds(self, char: str) -> bool:
        """Whether a character is in the set."""
        points = _case_variants(char) if self.folded else (ord(char),)
        inside = (
            any(low <= point <= high for point in points for low, high in self.ranges)
            or any(unicodedata.category(chr(point)).startswith(self.categories) for point in points)
            or any(part.holds(char) for part in self.parts)
        )
        return inside != self.negated


class Assertion(NamedTuple):
    """A position: "begin" or "end" of the text or of a line ("line begin"), a "word" edge or "no word"."""

    kind: str


class Sequence(NamedTuple):
    """A sequence of nodes; an empty one matches the empty text."""

    nodes: tuple[Node, ...] = ()


class Choice(NamedTuple):
    """A choice between nodes."""

    nodes: tuple[Node, ...]


class Repeat(NamedTuple):
    """A repeated node; `most` -1 means unbounded."""

    node: Node
    least: int
    most: int


Node: TypeAlias = Chars | Assertion | Sequence | Choice | Repeat


def _case_variants(char: str) -> tuple[int, ...]:
    """The code points of the same letter in other cases."""
    letters = {char, char.lower(), char.upper()}
    points = {ord(letter) for letter in letters if len(letter) == 1}
    if ord("k") in points:
        points.add(_KELVIN)
    if ord("s") in points:
        points.add(_LONG_S)
    return tuple(points)


def ranges_of(*texts: str) -> Ranges:
    """Ranges from texts of two characters, such as "az".

    >>> ranges_of("09", "__")
    ((48, 57), (95, 95))
    """
    return tuple((ord(text[0]), ord(text[-1])) for text in texts)


PERL: Final = {
    "d": ranges_of("09"),
    "s": ranges_of("\t\n", "\f\r", "  "),
    "w": ranges_of("09", "AZ", "__", "az"),
}
POSIX: Final = {
    "alnum": ranges_of("09", "AZ", "az"),
    "alpha": ranges_of("AZ", "az"),
    "ascii": ranges_of("\0\x7f"),
    "blank": ranges_of("\t\t", "  "),
    "cntrl": ranges_of("\0\x1f", "\x7f\x7f"),
    "digit": ranges_of("09"),
    "graph": ranges_of("!~"),
    "lower": ranges_of("az"),
    "print": ranges_of(" ~"),
    "punct": ranges_of("!/", ":@", "[`", "{~"),
    "space": ranges_of("\t\r", "  "),
    "upper": ranges_of("AZ"),
    "word": ranges_of("09", "AZ", "az", "__"),
    "xdigit": ranges_of("09", "AF", "af"),
}
