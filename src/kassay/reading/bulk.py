"""Large JSON texts by msgspec, wherever it reads the same as Python's own reader.

It refuses some texts that Python takes (NaN, lone surrogates, a number beyond any float) and gives the same
values for all others, including whole numbers of any size; its errors are not shown. The depth limit is set
in its types, which costs nothing. Of a repeated key both readers keep the last. Repeats are detected by
counting: a text has one colon for each field, and more in names and strings. The document has as many fields
unless one was dropped. Colons in strings are counted only where documents usually have them; any that are
missed make the document seem to have fewer, never more.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kassay.reading import repeats

ENOUGH: Final = 1 << 20
"""From this number of characters on it is faster, including the time to load it."""
_RECORD: Final = 32
"""Objects with more fields are maps with values of one kind; a result has some twenty fields."""
_ESCAPED: Final = "\\u003"
"""The start of an escaped colon."""


class Read(NamedTuple):
    """A document without repeated keys, and of limited depth."""

    document: Any


def read_large(text: str) -> Read | None:
    """The document of a text; None where Python's reader must decide.

    Equal parts of it may be one value: do not change it.
    """
    import msgspec

    for decode in (repeats.decode_group, repeats.decode):
        try:
            document = decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            continue
        # An escaped colon would count as a colon that the text does not have.
        if document is not None and _colons(document) == text.count(":") and _ESCAPED not in text:
            return Read(document)
    return None


def _colons(value: Any) -> int:
    """A lower bound on the colons that a text has for fields and in strings."""
    if type(value) is dict:
        inner = value.values()
        if len(inner) <= _RECORD or _holds_objects(next(iter(inner))):
            return len(value) + sum(map(_colons, inner))
        return len(value)
    if type(value) is str:
        return value.count(":")
    return sum(map(_colons, value)) if type(value) is list and _holds_objects(value) else 0


def _holds_objects(value: Any) -> bool:
    """Whether it is an object, or a list whose first entry is one or contains one."""
    while type(value) is list and value:
        value = value[0]
    return type(value) is dict
