"""Large JSON texts by msgspec, wherever it reads what Python's own reader does.

It refuses some of what Python takes (NaN, half a surrogate pair, a number beyond any float) and gives all
else the same values, whole numbers of any size among them; its complaints are not shown. It is told how deep
a document may be, which costs nothing. Of a key that stands twice both keep the last. That is seen by
counting: a text has a colon for each field that is written, and no fewer fields were read unless one was
dropped. Fields are looked for where documents have them; what is not looked at only makes them seem fewer.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from msgspec.json import Decoder

ENOUGH: Final = 1 << 20
"""From so many characters on it is faster, the time to load it included."""
_DEPTH: Final = 8
"""How many objects and lists may stand inside each other: a list of results has no more."""
_RECORD: Final = 16
"""Objects of more fields are maps, whose values are alike."""


class Read(NamedTuple):
    """A document, no key of which stands twice, and which is not deep."""

    document: Any


def read_large(text: str) -> Read | None:
    """The document of a text; None where that is for Python's reader to say."""
    import msgspec

    try:
        document = _decoder().decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return Read(document) if _fields(document) == text.count(":") else None


@cache
def _decoder() -> Decoder[Any]:
    """What decodes documents that are not deep."""
    import msgspec

    leaf = None | bool | int | float | str
    value: Any = leaf
    for _ in range(_DEPTH):
        value = leaf | list[value] | dict[str, value]
    return msgspec.json.Decoder(value)


def _fields(value: Any) -> int:
    """How many fields the objects have that are easily seen; never more than there are."""
    if type(value) is dict:
        inner = value.values()
        if len(inner) <= _RECORD or _holds_objects(next(iter(inner))):
            return len(value) + sum(map(_fields, inner))
        return len(value)
    return sum(map(_fields, value)) if type(value) is list and _holds_objects(value) else 0


def _holds_objects(value: Any) -> bool:
    """Whether it is an object, or a list whose first entry is, or leads to one."""
    while type(value) is list and value:
        value = value[0]
    return type(value) is dict
