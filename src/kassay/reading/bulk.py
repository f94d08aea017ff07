"""Large JSON texts by msgspec, wherever it reads what Python's own reader does.

It refuses some of what Python takes (NaN, half a surrogate pair, a number beyond any float) and gives all
else the same values, whole numbers of any size among them; its complaints are not shown. Of a key that stands
twice both keep the last. That is seen by counting: a text has a colon for each field that is written, and no
fewer fields were read unless one was dropped.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kassay.reading.nesting import nesting

ENOUGH: Final = 1 << 20
"""From so many characters on it is faster, the time to load it included."""


class Read(NamedTuple):
    """A document, no key of which stands twice, and which is not deep."""

    document: Any


def read_large(text: str) -> Read | None:
    """The document of a text; None where that is for Python's reader to say."""
    import msgspec

    try:
        document = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    nested = nesting(document)
    return Read(document) if nested.shallow and nested.fields == text.count(":") else None
