"""Large JSON texts by msgspec, wherever it reads what Python's own reader does.

It refuses some of what Python takes (NaN, half a surrogate pair, a number beyond any float) and gives all
else the same values, whole numbers of any size among them; its complaints are not shown. It is told how deep
a document may be, which costs nothing. Of a key that stands twice both keep the last. That is seen by
counting: a text has a colon for each field that is written, and those in names and words beside. As many are
read unless a field was dropped. They are looked for where documents have them; what is not looked at only
makes them seem fewer.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kassay.reading import repeats

ENOUGH: Final = 1 << 20
"""From so many characters on it is faster, the time to load it included."""
_RECORD: Final = 32
"""Objects of more fields are maps, whose values are alike; a result has some twenty."""
_ESCAPED: Final = "\\u003"
"""What an escaped colon begins with."""


class Read(NamedTuple):
    """A document, no key of which stands twice, and which is not deep."""

    document: Any


def read_large(text: str) -> Read | None:
    """The document of a text; None where that is for Python's reader to say.

    Parts of it that are equal may be one value: it is not to be changed.
    """
    import msgspec

    for decode in (repeats.decode_group, repeats.decode):
        try:
            document = decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            continue
        # An escaped colon would be read where none is written.
        if document is not None and _colons(document) == text.count(":") and _ESCAPED not in text:
            return Read(document)
    return None


def _colons(value: Any) -> int:
    """How many colons a text has for fields, and in words, that are easily seen; never more than it has."""
    if type(value) is dict:
        inner = value.values()
        if len(inner) <= _RECORD or _holds_objects(next(iter(inner))):
            return len(value) + sum(map(_colons, inner))
        return len(value)
    if type(value) is str:
        return value.count(":")
    return sum(map(_colons, value)) if type(value) is list and _holds_objects(value) else 0


def _holds_objects(value: Any) -> bool:
    """Whether it is an object, or a list whose first entry is, or leads to one."""
    while type(value) is list and value:
        value = value[0]
    return type(value) is dict
