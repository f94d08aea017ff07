"""Text of others in one line: unprintable characters, shell commands, URIs and Markdown, escaped.

Markdown as a type of its own: any other text is escaped when it enters, so that it shows as it is.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED_BYTES: Final = range(0xDC80, 0xDD00)
"""Python's representation of bytes in a file name that are not UTF-8 (PEP 383)."""


def visible(text: str) -> str:
    """The text in one line, each unprintable character as its escape in Python.

    Control characters, which a terminal or a browser may obey, line ends, marks that change the writing
    direction, lone surrogates and spaces other than the plain one count as unprintable.

    >>> visible("orders\\x1b[31m\\n[dlq]")
    'orders\\\\x1b[31m\\\\n[dlq]'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def percent(share: float, *, bad: bool = False) -> str:
    """A share of 1 in percent, rounded down, or up if much of it is `bad`: 100 % is all of it, 0 % none.

    Whole percents, and a decimal next to the ends, where a whole one would hide what is missing.

    >>> percent(0.426), percent(1199 / 1200), percent(1.0), percent(1 / 1200), percent(1 / 1200, bad=True)
    ('42 %', '99.9 %', '100 %', '0.0 %', '0.1 %')
    """
    if not 0 < share < 1:
        return f"{100 * share:.0f} %"
    exact, rounded = round(100 * share, 6), math.ceil if bad else math.floor
    return f"{rounded(exact)} %" if 1 <= exact <= 99 else f"{min(rounded(10 * exact) / 10, 99.9):.1f} %"


def storable(text: str) -> str:
    """The text as UTF-8, and so a column of a table, can hold it: lone surrogates as escapes.

    >>> storable("m\\ud800\\n")
    'm\\\\ud800\\n'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def shell_command(words: Iterable[str]) -> str:
    """The words as one line that a shell (bash, zsh, ksh) reads back as these words.

    >>> shell_command(["kassay", "replay", "my file", "a\\nb"])
    "kassay replay 'my file' $'a\\\\nb'"
    """
    return " ".join(shlex.quote(word) if word.isprintable() else _ansi_c(word) for word in words)


def uri_of(path: str) -> str:
    """The path, with forward slashes, as a URI: absolute as `file:`, else relative.

    >>> uri_of("my rules/a#b.py"), uri_of("/srv/100%.py")
    ('my%20rules/a%23b.py', 'file:///srv/100%25.py')
    """
    try:
        named = quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        named = quote(path.encode("utf-8", "surrogatepass"))
    return f"file://{named}" if path.startswith("/") else named


def _ansi_c(word: str) -> str:
    """The word in quotes with escapes: `$'...'`."""
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(character: str) -> str:
    code = ord(character)
    if character in "'\\":
        return f"\\{character}"
    if character.isprintable():
        return character
    if character in _NAMED:
        return _NAMED[character]
    if code in _ESCAPED_BYTES:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(number: int, noun: str) -> str:
    """The number with its noun: `2 processes`.

    >>> counted(0, "history"), counted(1, "event after the start"), counted(2000, "connector or task")
    ('0 histories', '1 event after the start', '2,000 connectors or tasks')
    """
    if number == 1:
        return f"1 {noun}"
    words = noun.split(" ")
    at = next((place - 1 for place, word in enumerate(words) if word in ("after", "of")), len(words) - 1)
    for place in {at, words.index("or") - 1} if "or" in words else {at}:
        words[place] = _plural(words[place])
    return f"{number:,} {' '.join(words)}"


def shortened(name: str, most: int = 60) -> str:
    """The name without folders, cut after `most` characters.

    >>> shortened("path/to/my_assignor.py:Mine")
    'my_assignor.py:Mine'
    """
    last = name if " " in name else name.rpartition("/")[2] or name
    return last if len(last) <= most else f"{last[: most - 3]}..."


def series(names: Iterable[object], nothing: str = "nothing", most: int = 4) -> str:
    """The names as one part of a sentence: the first `most`, and the number of the others.

    >>> series([]), series(["m0"]), series(["m0", "m1", "m2"]), series(range(6), most=2)
    ('nothing', 'm0', 'm0, m1 and m2', '0, 1 and 4 more')
    """
    words = [str(name) for name in names]
    if len(words) > most + 1:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:]) or nothing


def only(number: int, verb: str = "") -> str:
    """A number that is smaller than another one, and the verb after it.

    >>> only(0), only(2), only(0, "has"), only(1, "has"), only(2, "has")
    ('none', 'only 2', 'none has', 'only 1 has', 'only 2 have')
    """
    follows = f" {_MANY.get(verb, verb) if number > 1 else verb}" if verb else ""
    return (f"only {number}" if number else "none") + follows


_MANY: Final = {"does": "do", "has": "have", "is": "are", "was": "were"}


def _plural(noun: str) -> str:
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


_ACTIVE: Final = re.compile(r"[\\`*_\[\]<>|~#&!$]|^[-+=]")
"""Characters that are syntax in GitHub's Markdown within a line, or at the start of one."""
_NUMBERED: Final = re.compile(r"^(\d+)([.)])")


class Markdown(str):
    """Markdown of one line that can be joined with other Markdown."""

    __slots__ = ()


def inline(text: str) -> Markdown:
    """The text as Markdown that shows it in one line; Markdown as it is.

    >>> print(inline("orders[dlq] | *"))
    orders\\[dlq\\] \\| \\*
    """
    if isinstance(text, Markdown):
        return text
    return Markdown(_NUMBERED.sub(r"\1\\\2", _ACTIVE.sub(r"\\\g<0>", visible(text))))


def code(text: str) -> Markdown:
    """The text as a code span, also within a table.

    >>> print(code("a`b|c"))
    ``a`b\\|c``
    """
    shown = visible(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if shown[:1] in ("", "`", " ") or shown[-1] in "` " else ""
    return Markdown(f"{fence}{pad}{shown}{pad}{fence}")


def joined(*parts: str) -> Markdown:
    """The parts, concatenated."""
    return Markdown("".join(map(inline, parts)))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    dashes = [Markdown("---")] * len(head)
    return [f"| {' | '.join(map(inline, row))} |" for row in (head, dashes, *rows)]
