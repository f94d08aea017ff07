"""Classes of names: what a program may see in names, alone or in relation to each other.

Each class makes any number of different names and recognises itself in names. A class is used for a thing
only if all its names are legal there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise, permutations, product
from typing import Final
from unicodedata import normalize
from uuid import UUID

from kassay.model.shape.legal import UUIDS, NameRange
from kassay.properties.sources import Seeded, Source

Names = tuple[str, ...]


@dataclass(frozen=True)
class NameClass:
    """A class of names: `make(n, source)` returns n different names, `seen` says whether names show it.

    `words` complete "names ...". `least` is the smallest number of names that can show it.
    """

    id: str
    words: str
    make: Callable[[int, Source], Names]
    seen: Callable[[Sequence[str]], bool]
    least: int = 1


_WORDS: Final = ("orders", "payments", "audit", "clicks", "users", "stock", "prices", "mail")


def _word(number: int) -> str:
    """A word for the number; a letter makes those beyond the list different."""
    return _WORDS[number % len(_WORDS)] + ("" if number < len(_WORDS) else _letters(number // len(_WORDS)))


def _letters(number: int) -> str:
    """The number in letters: a, b, ..., z, ba, bb."""
    text = ""
    while True:
        number, rest = divmod(number, 26)
        text = chr(97 + rest) + text
        if not number:
            return text


def _each(form: Callable[[int], str]) -> Callable[[int, Source], Names]:
    """Names by number, in a random order."""

    def make(size: int, source: Source) -> Names:
        start = source.integer(0, 3)
        names = [form(start + number) for number in range(size)]
        turn = source.integer(0, size - 1) if size else 0
        return (*names[turn:], *names[:turn])

    return make


def _cases(size: int, source: Source) -> Names:
    """Names that differ only in case."""
    word = source.choice(("orders", "payments")) + "abcdefgh"[: max(0, size.bit_length() - 6)]
    every = product(*((c, c.upper()) for c in word))
    return tuple("".join(letters) for letters in islice(every, size))


def _prefixes(stem: str, more: str) -> Callable[[int, Source], Names]:
    """Names of which each is the beginning of the next, in chains of eight."""

    def make(size: int, source: Source) -> Names:
        names = [
            ("" if number < 8 else _letters(number // 8)) + stem + more * (number % 8)
            for number in range(size)
        ]
        return tuple(names) if source.boolean() else tuple(reversed(names))

    return make


def _suffixes(size: int, source: Source) -> Names:
    """Names of which each is the end of the next, in chains of eight."""
    names = ["my-" * (number % 8) + "orders" + _letters(number // 8) * (number > 7) for number in range(size)]
    return tuple(names) if source.boolean() else tuple(reversed(names))


def _composed(size: int, _: Source) -> Names:
    """Names that are equal in the composed and the decomposed form of Unicode."""
    forms = ("é", "e\u0301", "\u00c5", "A\u030a", "\u212b", "ﬁ")
    return tuple(forms[n % 6] + (_letters(n // 6) if n > 5 else "") for n in range(size))


def _anagrams(size: int, source: Source) -> Names:
    """Names of the same letters in another order: sums over characters are equal."""
    letters = "abcdefg" if size <= 5040 else "abcdefghij"
    names = list(islice(("".join(p) for p in permutations(letters)), size))
    return tuple(names) if source.boolean() else tuple(reversed(names))


def _equal_hashes(size: int, source: Source) -> Names:
    """Names with the same `String.hashCode` in Java."""
    width = max(2, (size - 1).bit_length())
    names = ["".join(pair) for pair in islice(product(("Aa", "BB"), repeat=width), size)]
    return tuple(names) if source.boolean() else tuple(reversed(names))


def _uuid(number: int) -> str:
    return str(UUID(int=(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128, version=4))


def _number_tails(size: int, source: Source) -> Names:
    """Names with numbers at the end whose order as text is not their order as numbers."""
    start = source.choice((9, 99))
    stem = source.choice(("t", "orders-", "worker"))
    return tuple(f"{stem}{number}" for number in (*range(start, start + size),))


def _glued(mark: str) -> Callable[[int, Source], Names]:
    """A name, and the same with the mark and a number behind it."""

    def make(size: int, source: Source) -> Names:
        # Things that are mentioned first are there from the start: a target meets both names of the pair.
        pair = ("t", f"t{mark}1") if source.boolean() else (f"t{mark}1", "t")
        return (*pair, *(f"t{mark}{number}" for number in (0, *range(2, size))))[:size]

    return make


def _padded(size: int, _: Source) -> Names:
    """Names whose numbers are equal but for leading zeros."""
    return tuple(f"t{'0' * (number % 4)}{7 + number // 4}" for number in range(size))


def _long(length: int, at: str) -> Callable[[int, Source], Names]:
    """Names of that length that differ only at the head, in the middle or at the tail."""

    def make(size: int, source: Source) -> Names:
        texts = [_letters(26**2 + number) for number in range(size)]
        filler = source.choice("xq") * (length - 3)
        half = len(filler) // 2
        cut = {"head": 0, "middle": half, "tail": len(filler)}[at]
        return tuple(filler[:cut] + text + filler[cut:] for text in texts)

    return make


def _any(pattern: str) -> Callable[[Sequence[str]], bool]:
    search = re.compile(pattern).search
    return lambda names: any(search(name) for name in names)


def _distinct_pairs(key: Callable[[str], object]) -> Callable[[Sequence[str]], bool]:
    """Whether two of the names have the same key."""
    return lambda names: bool(names) and max(Counter(map(key, names)).values()) > 1


def _one_begins_another(names: Sequence[str]) -> bool:
    ordered = sorted(names)
    return any(after.startswith(before) for before, after in pairwise(ordered))


def _one_ends_another(names: Sequence[str]) -> bool:
    return _one_begins_another([name[::-1] for name in names])


def _one_is_another_and_a_number(mark: str) -> Callable[[Sequence[str]], bool]:
    """Whether a name is another with the mark and digits behind it: one text once a number is joined."""

    def seen(names: Sequence[str]) -> bool:
        parts = (name.rpartition(mark) if mark else (name.rstrip("0123456789"), "", "") for name in names)
        heads = {head for name, (head, _, _) in zip(names, parts) if name[len(head) + len(mark) :].isdigit()}
        return not heads.isdisjoint(names)

    return seen


def _of_length(least: int) -> Callable[[Sequence[str]], bool]:
    return lambda names: any(len(name) >= least for name in names)


def _text_order_differs(names: Sequence[str]) -> bool:
    numbered = [(m[1], int(m[2])) for name in names if (m := re.fullmatch(r"(.*?)(\d+)", name))]
    stems = {stem for stem, _ in numbered}
    return any(
        sorted(own) != sorted(own, key=str)
        for stem in stems
        for own in [[number for other, number in numbered if other == stem]]
    )


def java_hash(name: str) -> int:
    """Java's `String.hashCode` for characters of the basic plane."""
    value = 0
    for character in name:
        value = (31 * value + ord(character)) % 2**32
    return value


def _numbered_value(name: str) -> object:
    match = re.fullmatch(r"(.*?)0*(\d+)", name)
    return (match[1], match[2]) if match else name


_CONTROLS: Final = ("\n", "\t", "\r\n", "\x00", "\x1b")
_PAIRS: Final = (
    ("lengths-16", 17, "tail"),
    ("lengths-24", 25, "tail"),
    ("lengths-32", 34, "tail"),
    ("lengths-36", 40, "tail"),
    ("lengths-64", 66, "tail"),
    ("lengths-128", 130, "tail"),
    ("longest-topic-head", 249, "head"),
    ("longest-topic", 249, "tail"),
)

NAME_CLASSES: Final[tuple[NameClass, ...]] = (
    NameClass("dash", "with a dash", _each(lambda n: f"{_word(n)}-v2"), _any("[^-]-[^-]")),
    NameClass("upper", "in capitals", _each(lambda n: _word(n).upper()), _any("^[A-Z]+$")),
    NameClass("dot", "with a dot", _each(lambda n: f"{_word(n)}.v2"), _any(r"[^.]\.[^.]")),
    NameClass("underscore", "with an underscore", _each(lambda n: f"{_word(n)}_v2"), _any("[^_]_[^_]")),
    NameClass("case", "that differ only in case", _cases, _distinct_pairs(str.lower), 2),
    NameClass("prefix", "of which one begins another", _prefixes("orders", "-x"), _one_begins_another, 2),
    NameClass(
        "prefix-letter", "one a letter longer than another", _prefixes("order", "s"), _one_begins_another, 2
    ),
    NameClass("suffix", "of which one ends with another", _suffixes, _one_ends_another, 2),
    NameClass(
        "same-head",
        "with the same first 16 characters",
        _each(lambda n: f"customer-events-{_word(n)}"),
        _distinct_pairs(lambda name: (name[:16], len(name) < 16 and name)),
        2,
    ),
    NameClass(
        "same-tail",
        "with the same last 8 characters",
        _each(lambda n: f"{_word(n)}-events-1"),
        _distinct_pairs(lambda name: (name[-8:], len(name) < 8 and name)),
        2,
    ),
    NameClass(
        "same-ends",
        "that differ only in the middle",
        _each(lambda n: f"prod-eu-{_letters(26 + n)}-events"),
        _distinct_pairs(lambda name: (name[:8], name[-7:])),
        2,
    ),
    NameClass(
        "number-order", "sorted differently as text and by number", _number_tails, _text_order_differs, 2
    ),
    NameClass("zeros", "that differ only in leading zeros", _padded, _distinct_pairs(_numbered_value), 2),
    NameClass("digits", "of digits only", _each(lambda n: f"{'00' * (n % 2)}{7 * n + 3}"), _any(r"^\d+$")),
    NameClass(
        "leading-digit", "that begin with a digit", _each(lambda n: f"{n}st-{_word(n)}"), _any(r"^\d\D")
    ),
    *(
        NameClass(f"leading-{called}", f"that begin with {words}", _each(form), _any(rf"^\{mark}"))
        for called, words, mark, form in (
            ("underscore", "an underscore", "_", lambda n: f"__{_word(n)}"),
            ("dash", "a dash", "-", lambda n: f"-{_word(n)}"),
            ("dot", "a dot", ".", lambda n: f".{_word(n)}"),
        )
    ),
    *(
        NameClass(f"trailing-{called}", f"that end with {words}", _each(form), _any(rf"\{mark}$"))
        for called, words, mark, form in (
            ("dash", "a dash", "-", lambda n: f"{_word(n)}-"),
            ("dot", "a dot", ".", lambda n: f"{_word(n)}."),
            ("underscore", "an underscore", "_", lambda n: f"{_word(n)}_"),
        )
    ),
    NameClass(
        "double-separator",
        "with a separator twice",
        _each(lambda n: f"{_word(n)}{('--', '..', '__')[n % 3]}{_letters(n)}"),
        _any(r"--|__|\.\."),
    ),
    NameClass(
        "separators",
        "that differ only in a separator",
        _each(lambda n: f"{_word(n // 2)}{'-.'[n % 2]}v1"),
        _distinct_pairs(lambda name: re.sub("[._-]", "_", name)),
        2,
    ),
    NameClass(
        "several-parts", "of several parts", _each(lambda n: f"prod.eu-west.{_word(n)}.v2"), _any(r"\..*\.")
    ),
    NameClass(
        "one-letter",
        "of one character",
        _each(lambda n: _letters(n)),
        lambda names: any(len(name) == 1 for name in names),
    ),
    NameClass(
        "partition-like",
        "that look like a partition",
        _each(lambda n: "orders" + f"-{n % 7}" * (1 + n // 7)),
        _any(r"-\d+$"),
    ),
    *(
        NameClass(
            f"glued{called}",
            f"equal once joined to a number{how}",
            _glued(mark),
            _one_is_another_and_a_number(mark),
            2,
        )
        for called, how, mark in (
            ("", "", ""),
            ("-dash", " by a dash", "-"),
            ("-dot", " by a dot", "."),
            ("-underscore", " by an underscore", "_"),
        )
    ),
    NameClass(
        "anagram", "of the same letters", _anagrams, _distinct_pairs(lambda name: "".join(sorted(name))), 2
    ),
    NameClass("java-hash", "with the same hash in Java", _equal_hashes, _distinct_pairs(java_hash), 2),
    NameClass(
        "look-alike",
        "of characters that look alike",
        _each(lambda n: "".join("O0lI1"[(n // 5**k) % 5] for k in range(6))),
        _any("[O0lI1]{6}"),
    ),
    NameClass(
        "reserved",
        "that are words of a language",
        _each(
            lambda n: (
                ("null", "None", "true", "default", "all", "undefined", "NaN", "class")[n % 8]
                if n < 8
                else f"null{_letters(n)}"
            )
        ),
        _any("^(null|None|true|default|all|undefined|NaN|class)$"),
    ),
    NameClass("uuid", "that are UUIDs", _each(_uuid), _any("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")),
    NameClass(
        "client-uuid",
        "as clients make them",
        _each(lambda n: f"consumer-app-1-{_uuid(n)}"),
        _any("[a-z0-9]-[0-9a-f]{8}-[0-9a-f]{4}-"),
    ),
    NameClass(
        "client-id",
        "of several clients, with UUIDs",
        _each(lambda n: f"{_word(n)}-{_uuid(n // 2)}"),
        _any("[a-z0-9]-[0-9a-f]{8}-[0-9a-f]{4}-"),
    ),
    *(
        NameClass(
            id_, f"of {length} characters, different at the {at}", _long(length, at), _of_length(length)
        )
        for id_, length, at in _PAIRS
    ),
    NameClass(
        "colon", "with a colon", _each(lambda n: f"{_word(n)}:{_letters(n)}{':9092' * (n % 2)}"), _any(":")
    ),
    NameClass("slash", "with a slash", _each(lambda n: f"eu/{_word(n)}/{_letters(n)}"), _any("/")),
    NameClass(
        "comma",
        "with a comma or semicolon",
        _each(lambda n: f"{_word(n)},{_letters(n)};x{';' * (n % 2)}"),
        _any("[,;]"),
    ),
    NameClass(
        "blank", "with a blank", _each(lambda n: f"{_word(n)} {_letters(n)}{'  x' * (n % 2)}"), _any(" ")
    ),
    NameClass(
        "outer-blanks",
        "with blanks at the ends",
        _each(lambda n: f"{' ' * (n % 3 != 1)}{_word(n // 3)}{' ' * (n % 3 > 0)}"),
        _any("^ | $"),
    ),
    NameClass(
        "control",
        "with a line break, a tab or another control character",
        _each(lambda n: f"{_word(n)}{_CONTROLS[n % len(_CONTROLS)]}{_letters(n)}"),
        _any("[\x00-\x1f\x7f]"),
    ),
    NameClass(
        "sign",
        "with other signs",
        _each(lambda n: f"{_word(n)}@|#%=+&$*?!~{_letters(n)}"),
        _any("[@|#%=+&$*?!~]"),
    ),
    NameClass(
        "quote",
        "with quotes, brackets or a backslash",
        _each(lambda n: f"{_word(n)}'\"\\{{[(<{_letters(n)}>"),
        _any(r"['\"\\{\[(<]"),
    ),
    NameClass(
        "accent",
        "with a letter that is not ASCII",
        _each(lambda n: f"café-{_word(n)}"),
        _any("[\u00a1-\u024f]"),
    ),
    NameClass(
        "wide",
        "in another script, with digits beyond 0 to 9",
        _each(lambda n: f"注文{'²①٣५'[n % 4]}{_word(n)}"),
        _any("[\u3000-\u9fff][²①٣५]"),
    ),
    NameClass(
        "astral",
        "with a character beyond the basic plane",
        _each(lambda n: f"\U0001f680{_word(n)}"),
        _any("[\U00010000-\U0010ffff]"),
    ),
    NameClass(
        "composed",
        "equal once normalised",
        _composed,
        _distinct_pairs(lambda name: normalize("NFC", name)),
        2,
    ),
    NameClass("fold", "whose capitals are longer", _each(lambda n: f"straße-{_word(n)}"), _any("ß")),
    NameClass("long-text", "of 300 characters", _long(300, "tail"), _of_length(256)),
)
"""The classes, those of topic names first, in the order in which a run takes them."""


def _halves(upper: Callable[[int], int], lower: Callable[[int], int]) -> Callable[[int, Source], Names]:
    """UUIDs of these halves by number, in a random order."""

    def form(number: int) -> str:
        return str(UUID(int=(upper(number) % 2**64 << 64) | lower(number) % 2**64))

    return _each(form)


def _mixed(number: int) -> int:
    """A half of a UUID with many different digits, the sign bit clear; other numbers give other halves."""
    return (number + 1) * 0x1E3779B97F4A7C15 % 2**63


def _signs_differ(half: Callable[[str], str]) -> Callable[[Sequence[str]], bool]:
    """Whether the order of a half as signed numbers is not its order as text."""
    return lambda names: len({half(name)[0] in "89abcdef" for name in names}) > 1


def _upper(name: str) -> str:
    return name.replace("-", "")[:16]


def _lower(name: str) -> str:
    return name.replace("-", "")[16:]


_SIGN: Final = 1 << 63

UUID_CLASSES: Final[tuple[NameClass, ...]] = (
    NameClass(
        "signs",
        "sorted differently as signed and as unsigned numbers",
        _halves(lambda n: _mixed(n) | _SIGN * (n % 2), lambda n: _mixed(2 * n + 9) | _SIGN),
        _signs_differ(_upper),
        2,
    ),
    NameClass(
        "lower-signs",
        "with the same upper half, sorted differently as signed and as unsigned numbers",
        _halves(lambda _: _mixed(7), lambda n: _mixed(n) | _SIGN * (n % 2)),
        _signs_differ(_lower),
        2,
    ),
    NameClass(
        "negative",
        "with the top bit set",
        _halves(lambda n: _mixed(n) | _SIGN, lambda n: _mixed(2 * n + 9) | _SIGN),
        _any("^[89a-f]"),
    ),
    NameClass(
        "same-upper",
        "with the same upper half",
        _halves(lambda _: _mixed(3), lambda n: _mixed(n) | _SIGN),
        _distinct_pairs(_upper),
        2,
    ),
    NameClass(
        "same-lower",
        "with the same lower half",
        _halves(_mixed, lambda _: _mixed(3) | _SIGN),
        _distinct_pairs(_lower),
        2,
    ),
    NameClass(
        "small",
        "of zeros but for the last digits",
        lambda size, _: tuple(str(UUID(int=number)) for number in range(size)),
        _any("^0{8}-(0{4}-){3}0{12}$"),
    ),
    NameClass(
        "ones",
        "of which one has all bits set",
        lambda size, _: tuple(str(UUID(int=2**128 - 1 - number)) for number in range(size)),
        _any("^f{8}-(f{4}-){3}f{12}$"),
    ),
    NameClass(
        "same-hash",
        "with the same hash in Java",
        _halves(_mixed, lambda n: _mixed(n) ^ _SIGN),
        _distinct_pairs(lambda name: int(_upper(name), 16) ^ int(_lower(name), 16)),
        2,
    ),
)
"""The classes of UUIDs, beyond random ones."""


@cache
def classes_for(legal: NameRange) -> tuple[NameClass, ...]:
    """The classes whose names are legal in the range."""
    own = UUID_CLASSES if legal is UUIDS else ()
    every = (*NAME_CLASSES, *own)
    return tuple(known for known in every if all(map(legal.accepts, known.make(4, Seeded(0)))))
