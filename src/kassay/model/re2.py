"""Regular expressions as Kafka's coordinator reads them (RE2): which are valid, which names they match.

No look-around, no back-references, no possessive or stacked repetitions; repetition counts go up to
1,000, nested ones multiplied. Groups nest up to 200 deep. Topics have names in ASCII: of a script of
Unicode's only what it has there is known.

`Expression` says whether a whole name matches: all ways at once, so that none takes long. Time is linear
in the length of the name; repetitions are expanded, so there are as many states as in RE2. Source: the
syntax page of RE2; `Parser` of RE2/J, with which Kafka's `TopicRegexResolver` compiles. K. Thompson,
"Regular expression search algorithm", CACM 11 (1968).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
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


COUNT_MAX: Final = 1000
DEPTH_MAX: Final = 200
_COUNT: Final = re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_NAME: Final = re.compile(r"\(\?P?<(\w+)>", re.ASCII)
_FLAGS: Final = re.compile(r"\(\?([imsU]*)(-[imsU]+)?([:)])")
_OCTAL: Final = re.compile("0[0-7]{0,2}|[1-7][0-7]{1,2}")
_HEXADECIMAL: Final = re.compile(r"x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})")
_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_PLACES: Final = {"A": "begin", "z": "end", "b": "word", "B": "no word"}
_CATEGORIES: Final = (
    "C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs"
)
_SCRIPTS: Final = (
    "Arabic Armenian Avestan Balinese Bamum Batak Bengali Bopomofo Brahmi Braille Buginese Buhid "
    "Canadian_Aboriginal Carian Cham Cherokee Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari "
    "Egyptian_Hieroglyphs Ethiopic Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han Hangul Hanunoo "
    "Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese "
    "Kaithi Kannada Katakana Kayah_Li Kharoshthi Khmer Lao Lepcha Limbu Linear_B Lisu Lycian Lydian "
    "Malayalam Mandaic Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko Ogham Ol_Chiki Old_Italic "
    "Old_Persian Old_South_Arabian Old_Turkic Oriya Osmanya Phags_Pa Phoenician Rejang Runic Samaritan "
    "Saurashtra Shavian Sinhala Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet "
    "Tamil Telugu Thaana Thai Tibetan Tifinagh Ugaritic Unknown Vai Yi"
)
_ASCII: Final[dict[str, Ranges]] = {
    "Any": ((0, LAST),),
    "Common": ((0, 0x40), (0x5B, 0x60), (0x7B, 0xA9)),
    "Latin": ((0x41, 0x5A), (0x61, 0x7A)),
}
"""The Unicode sets that contain characters of topic names."""


class InvalidExpression(ValueError):
    """An expression that RE2/J does not compile; the message says why."""


class _Group(NamedTuple):
    """An open group: the alternatives so far, the nodes of the current one, the flags outside."""

    choices: list[Node]
    nodes: list[Node]
    flags: frozenset[str]


class Reader:
    """Parses one expression into a tree."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._flags: frozenset[str] = frozenset()
        self._groups: list[_Group] = [_Group([], [], self._flags)]
        self._names: set[str] = set()
        self._repeated = False

    def read(self) -> Node:
        """The tree; raises `InvalidExpression`."""
        while self._at < len(self._text):
            start, char = self._at, self._text[self._at]
            repeats = self._repetition(char)
            if repeats is None:
                # RE2/J takes a brace without a count literally, but nothing may repeat it.
                self._repeated = char == "{"
                self._item(char)
            else:
                self._repeat(*repeats, self._text[start : self._at])
        if len(self._groups) > 1:
            raise InvalidExpression("missing closing )")
        return _closed(self._groups[0])

    def _add(self, node: Node) -> None:
        self._groups[-1].nodes.append(node)

    def _chars(self, ranges: Ranges, *, negated: bool = False) -> Chars:
        return Chars(ranges, negated, "i" in self._flags)

    def _item(self, char: str) -> None:
        """Parse an item that is not a repetition."""
        if char == "(":
            self._open()
            return
        if char == "[":
            self._add(self._set())
            return
        if char == "\\":
            self._escape()
            return
        self._at += 1
        if char == "|":
            self._groups[-1].choices.append(Sequence(tuple(self._groups[-1].nodes)))
            self._groups[-1].nodes.clear()
        elif char == ")":
            self._close()
        elif char in "^$":
            line = "line " if "m" in self._flags else ""
            self._add(Assertion(line + ("begin" if char == "^" else "end")))
        elif char == ".":
            self._add(Chars((), negated=True) if "s" in self._flags else Chars(((10, 10),), negated=True))
        else:
            self._add(self._chars(_one(ord(char))))

    def _open(self) -> None:
        """Parse a group, or flags alone."""
        flags = self._flags
        if not self._text.startswith("(?", self._at):
            self._at += 1
        elif name := _NAME.match(self._text, self._at):
            if name[1] in self._names:
                raise InvalidExpression(f"duplicate group name {name[1]}")
            self._names.add(name[1])
            self._at = name.end()
        elif change := _FLAGS.match(self._text, self._at):
            self._at = change.end()
            self._flags = (flags | set(change[1])) - set((change[2] or "")[1:])
            if change[3] == ")":
                return
        else:
            raise InvalidExpression(f"invalid group {self._text[self._at : self._at + 4]}")
        if len(self._groups) > DEPTH_MAX:
            raise InvalidExpression("groups nest too deep")
        self._groups.append(_Group([], [], flags))

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise InvalidExpression("unexpected )")
        group = self._groups.pop()
        self._flags = group.flags
        self._add(_closed(group))

    def _repetition(self, char: str) -> tuple[int, int] | None:
        """The bounds of a repetition operator here, if there is one; consumes it."""
        if char in "*+?":
            self._at += 1
            least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[char]
        elif char == "{" and (count := _COUNT.match(self._text, self._at)):
            least, most = _bounds(count)
            self._at = count.end()
        else:
            return None
        if self._text.startswith("?", self._at):
            self._at += 1
        return least, most

    def _repeat(self, least: int, most: int, operator: str) -> None:
        nodes = self._groups[-1].nodes
        if self._repeated:
            raise InvalidExpression(f"invalid nested repetition {operator}")
        if not nodes:
            raise InvalidExpression(f"missing argument to {operator}")
        self._repeated = True
        nodes[-1] = Repeat(nodes[-1], least, most)
        if operator[0] == "{" and max(least, most) >= 2 and _times(nodes[-1]) > COUNT_MAX:
            raise InvalidExpression(f"repetitions nest to more than {COUNT_MAX}")

    def _escape(self) -> None:
        """Parse a backslash outside a set."""
        following = self._text[self._at + 1 : self._at + 2]
        if following in _PLACES:
            self._at += 2
            self._add(Assertion(_PLACES[following]))
        elif following == "Q":
            end = self._text.find("\\E", self._at + 2)
            quoted = self._text[self._at + 2 : end if end >= 0 else None]
            self._at = end + 2 if end >= 0 else len(self._text)
            for char in quoted:
                self._add(self._chars(_one(ord(char))))
        else:
            known = self._known_set()
            self._add(self._chars(_one(self._point())) if known is None else known)

    def _known_set(self) -> Chars | None:
        """A Perl or Unicode class that starts with a backslash, or None."""
        following = self._text[self._at + 1 : self._at + 2]
        if following and following in "dswDSW":
            self._at += 2
            return self._chars(PERL[following.lower()], negated=following.isupper())
        if following not in ("p", "P"):
            return None
        self._at += 2
        name = self._text[self._at : self._at + 1]
        if name == "{":
            end = self._text.find("}", self._at)
            if end < 0:
                raise InvalidExpression("invalid character class")
            name, self._at = self._text[self._at + 1 : end], end + 1
        else:
            self._at += 1
        negated = (following == "P") != name.startswith("^")
        name = name.removeprefix("^")
        if name in _CATEGORIES.split():
            return Chars((), negated, "i" in self._flags, categories=(name,))
        if name not in _SCRIPTS.split() and name not in _ASCII:
            raise InvalidExpression(f"unknown character class {name!r}")
        return self._chars(_ASCII.get(name, ()), negated=negated)

    def _set(self) -> Chars:
        """A set in brackets."""
        start = self._at
        self._at += 1
        negated = self._text.startswith("^", self._at)
        self._at += negated
        ranges: list[tuple[int, int]] = []
        parts: list[Chars] = []
        first = True
        while first or not self._text.startswith("]", self._at):
            if self._at >= len(self._text):
                raise InvalidExpression(f"missing closing ] of {self._text[start:]}")
            first = False
            part = self._posix()
            if part is None and self._text[self._at] == "\\":
                part = self._known_set()
            if part is not None:
                parts.append(part)
                continue
            ranges.append(self._range())
        self._at += 1
        return Chars(tuple(ranges), negated, "i" in self._flags, tuple(parts))

    def _posix(self) -> Chars | None:
        """A class such as [:alpha:] inside a set, or None."""
        end = self._text.find(":]", self._at + 2) if self._text.startswith("[:", self._at) else -1
        if end < 0:
            return None
        name = self._text[self._at + 2 : end]
        negated = name.startswith("^")
        if name.removeprefix("^") not in POSIX:
            raise InvalidExpression(f"unknown character class [:{name}:]")
        self._at = end + 2
        return self._chars(POSIX[name.removeprefix("^")], negated=negated)

    def _range(self) -> tuple[int, int]:
        low = high = self._point()
        dash = self._text.startswith("-", self._at) and self._at + 1 < len(self._text)
        if dash and self._text[self._at + 1] != "]":
            self._at += 1
            high = self._point()
            if high < low:
                raise InvalidExpression(f"invalid range {chr(low)}-{chr(high)}")
        return low, high

    def _point(self) -> int:
        """One character, literal or escaped."""
        char = self._text[self._at : self._at + 1]
        if not char:
            raise InvalidExpression("missing closing ]")
        self._at += 1
        if char != "\\":
            return ord(char)
        escaped = self._text[self._at : self._at + 1]
        if not escaped:
            raise InvalidExpression("trailing backslash")
        if escaped == "x":
            return self._hexadecimal()
        octal = _OCTAL.match(self._text, self._at)
        if octal:
            self._at = octal.end()
            return int(octal[0], 8)
        self._at += 1
        if escaped.isascii() and escaped.isalnum():
            if escaped not in _ESCAPES:
                raise InvalidExpression(f"invalid escape \\{escaped}")
            return _ESCAPES[escaped]
        return ord(escaped)

    def _hexadecimal(self) -> int:
        digits = _HEXADECIMAL.match(self._text, self._at)
        number = int(digits[1] or digits[2], 16) if digits else LAST + 1
        if digits is None or number > LAST:
            raise InvalidExpression("invalid escape \\x")
        self._at = digits.end()
        return number


def _one(point: int) -> Ranges:
    return ((point, point),)


def _closed(group: _Group) -> Node:
    last = Sequence(tuple(group.nodes))
    return Choice((*group.choices, last)) if group.choices else last


def _bounds(count: re.Match[str]) -> tuple[int, int]:
    """The bounds of {n}, {n,} or {n,m}; raises `InvalidExpression`."""
    if any(len(digits) > 8 for digits in count.groups("")):
        raise InvalidExpression(f"invalid repeat count {count[0]}")
    least = int(count[1])
    most = int(count[3]) if count[3] else -1 if count[2] else least
    if max(least, most) > COUNT_MAX or 0 <= most < least:
        raise InvalidExpression(f"invalid repeat count {count[0]}")
    return least, most


def _times(node: Node) -> int:
    """The number of copies of its smallest part that a node expands to."""
    if isinstance(node, Repeat):
        return max(1, node.least, node.most) * _times(node.node)
    if isinstance(node, Sequence | Choice):
        return max((_times(part) for part in node.nodes), default=1)
    return 1


STATES_MAX: Final = 200_000

_Edge: TypeAlias = tuple[Chars | Assertion | None, int]
"""The condition of a transition (None: empty) and its target."""


class Expression(NamedTuple):
    """A compiled expression: the transitions of each state; it starts in state 0 and accepts in the last."""

    states: tuple[tuple[_Edge, ...], ...]

    def matches(self, name: str) -> bool:
        """Whether the expression matches the whole name."""
        present = self._closure({0}, name, 0)
        for place, char in enumerate(name):
            after = {
                target
                for state in present
                for condition, target in self.states[state]
                if isinstance(condition, Chars) and condition.holds(char)
            }
            present = self._closure(after, name, place + 1)
        return len(self.states) - 1 in present

    def _closure(self, states: set[int], name: str, place: int) -> set[int]:
        """All states that are reachable without consuming a character."""
        waiting = list(states)
        while waiting:
            for condition, target in self.states[waiting.pop()]:
                free = condition is None or (
                    isinstance(condition, Assertion) and _is_at(condition, name, place)
                )
                if free and target not in states:
                    states.add(target)
                    waiting.append(target)
        return states


def _is_at(assertion: Assertion, name: str, place: int) -> bool:
    before, after = name[:place][-1:], name[place : place + 1]
    if assertion.kind in ("word", "no word"):
        return (_is_word(before) != _is_word(after)) == (assertion.kind == "word")
    side = before if assertion.kind.endswith("begin") else after
    return side == "" or (assertion.kind.startswith("line") and side == "\n")


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


class _Builder:
    """Builds the states of an expression."""

    def __init__(self) -> None:
        self.states: list[list[_Edge]] = [[]]

    def state(self) -> int:
        if len(self.states) >= STATES_MAX:
            raise InvalidExpression("expression is too large")
        self.states.append([])
        return len(self.states) - 1

    def add(self, node: Node, start: int) -> int:
        """Add the states of a node that starts in `start`; returns its end state."""
        if isinstance(node, Sequence):
            for part in node.nodes:
                start = self.add(part, start)
            return start
        if isinstance(node, Repeat):
            return self._repeat(node, start)
        if isinstance(node, Choice):
            ends = [self.add(part, self._linked(start)) for part in node.nodes]
            end = self.state()
            for each in ends:
                self.states[each].append((None, end))
            return end
        end = self.state()
        self.states[start].append((node, end))
        return end

    def _linked(self, start: int) -> int:
        state = self.state()
        self.states[start].append((None, state))
        return state

    def _repeat(self, node: Repeat, start: int) -> int:
        for _ in range(node.least):
            start = self.add(node.node, start)
        if node.most < 0:
            loop = self._linked(start)
            self.states[self.add(node.node, loop)].append((None, loop))
            return self._linked(loop)
        ends = [start]
        for _ in range(node.most - node.least):
            ends.append(self.add(node.node, ends[-1]))
        end = self.state()
        for each in ends:
            self.states[each].append((None, end))
        return end


@lru_cache(maxsize=256)
def compiled(text: str) -> Expression:
    """The compiled expression; raises `InvalidExpression` if the text is not valid RE2."""
    builder = _Builder()
    end = builder.add(Reader(text).read(), 0)
    last = builder.state()
    builder.states[end].append((None, last))
    return Expression(tuple(map(tuple, builder.states)))
