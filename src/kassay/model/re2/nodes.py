"""What a regular expression is made of, and sets of characters."""

from __future__ import annotations

import unicodedata
from typing import Final, NamedTuple, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, from and to, both included."""

LAST: Final = 0x10FFFF
_KELVIN, _LONG_S = 0x212A, 0x17F


class Chars(NamedTuple):
    """One character of a set; `folded` ignores case, `categories` are Unicode's (general ones)."""

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
    """A place: "begin" or "end" of the text or of a line ("line begin"), an edge of a "word" or "no word"."""

    kind: str


class Sequence(NamedTuple):
    """One node after the other; none matches nothing at all."""

    nodes: tuple[Node, ...] = ()


class Choice(NamedTuple):
    """One of several."""

    nodes: tuple[Node, ...]


class Repeat(NamedTuple):
    """A node so many times; `most` -1 is without bound."""

    node: Node
    least: int
    most: int


Node: TypeAlias = Chars | Assertion | Sequence | Choice | Repeat


def _case_variants(char: str) -> tuple[int, ...]:
    """The code points that are the same letter but for its case."""
    letters = {char, char.lower(), char.upper()}
    points = {ord(letter) for letter in letters if len(letter) == 1}
    if ord("k") in points:
        points.add(_KELVIN)
    if ord("s") in points:
        points.add(_LONG_S)
    return tuple(points)


def ranges_of(*texts: str) -> Ranges:
    """Ranges out of texts like "az", from and to.

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
